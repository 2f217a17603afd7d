import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command, Option } from 'commander';
import { createEnvironment, type EnvironmentName, ENVIRONMENTS } from '../env/create.ts';
import { createEnvironmentServer, resumeEpisode } from '../env/server.ts';
import { count, whole } from './numbers.ts';
import { runCommand } from './run-command.ts';

type Flags = {
  readonly environment: EnvironmentName;
  readonly seed: number;
  readonly horizon: number;
  readonly noise: number;
  readonly overrides?: boolean;
  readonly drift?: string;
  readonly condition?: string;
  readonly score?: string;
  readonly journal?: string;
};

/** `skillstate bench serve …`: one episode as an MCP server over stdio, for any other agent. It ends with its input. */
export function serveCommand(args: readonly string[]): Promise<number> {
  const program = new Command('skillstate bench serve')
    .description(
      'one episode as an MCP server over stdio (tools act and status), to measure any other agent on it',
    )
    .addOption(new Option('--environment <name>', 'the world').choices(ENVIRONMENTS).default('warehouse'))
    .option('--seed <n>', 'of the episode', count, 1)
    .option('--horizon <n>', 'events', whole, 50)
    .option('--noise <n>', 'irrelevant lines in every event', count, 0)
    .option('--overrides', 'some of them claim new rules')
    .option('--drift <name>', 'what changes at half-time')
    .option('--condition <name>', 'of the world `delayed`')
    .option('--score <file>', 'written after every command: the score, which no tool tells')
    .option('--journal <file>', 'commands so far; a restarted server goes on there')
    .action((flags: Flags) => {
      const { score, journal, ...spec } = flags;
      const episode = createEnvironment(spec);
      if (journal !== undefined) resumeEpisode(episode, journal);
      const files = { ...(score !== undefined && { score }), ...(journal !== undefined && { journal }) };
      serveStdio(() => createEnvironmentServer(episode, files));
    });
  return runCommand(program, args);
}
