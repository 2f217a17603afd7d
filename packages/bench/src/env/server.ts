import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { composeObservation, type Episode } from './environment.ts';

export type ServerFiles = {
  /** Where the score is written after every command; the agent's tools never show it. */
  readonly score?: string;
  /** Commands, one JSON string a line: what `resumeEpisode` replays. */
  readonly journal?: string;
};

/**
 * One episode as an MCP server. `act` carries out a command and returns its result with the next event; `status`
 * returns the open event and changes nothing. A refused command has `isError: true`.
 */
export function createEnvironmentServer(episode: Episode, files: ServerFiles = {}): McpServer {
  const { environment, skill } = episode;
  const server = new McpServer(
    { name: `skillexecbench-${environment.name}`, version: '1.0.0' },
    { capabilities: { tools: {} }, instructions: skill.instructions },
  );
  server.registerTool(
    'act',
    {
      description: 'Carries out one command and returns its result and the next event.',
      inputSchema: fromJsonSchema<{ command: string }>({
        type: 'object',
        properties: { command: { type: 'string', maxLength: 200, description: 'The exact command.' } },
        required: ['command'],
        additionalProperties: false,
      }),
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    ({ command }) => act(episode, files, command),
  );
  server.registerTool(
    'status',
    {
      description: 'Shows the open event again. Changes nothing.',
      inputSchema: fromJsonSchema<object>({ type: 'object', properties: {}, additionalProperties: false }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => text(`Turn ${environment.turn() + 1} of ${environment.horizon}.\n${open(episode)}`, false),
  );
  return server;
}

type TextResult = { content: { type: 'text'; text: string }[]; isError: boolean };

function text(written: string, isError: boolean): TextResult {
  return { content: [{ type: 'text', text: written }], isError };
}

const open = ({ environment }: Episode): string => environment.event(environment.turn());

function act(episode: Episode, files: ServerFiles, command: string): TextResult {
  const { environment, truth } = episode;
  if (environment.turn() >= environment.horizon) return text(open(episode), true);
  if (files.journal !== undefined) appendFileSync(files.journal, `${JSON.stringify(command)}\n`);
  const result = environment.act(command);
  if (files.score !== undefined) {
    writeFileSync(files.score, `${JSON.stringify({ ...truth.score(), recovery: truth.recovery() })}\n`);
  }
  return text(composeObservation(result.text, open(episode)), !result.ok);
}

/**
 * Replays a journal into a fresh episode, so that a restarted server goes on where the last one was. A last line that
 * was cut off by a kill was never answered and is left out.
 */
export function resumeEpisode({ environment }: Episode, journal: string): void {
  if (!existsSync(journal)) return;
  const lines = readFileSync(journal, 'utf8').split('\n');
  const cut = lines.pop();
  if (cut !== '') writeFileSync(journal, lines.map((line) => `${line}\n`).join(''));
  for (const line of lines) environment.act(String(JSON.parse(line)));
}
