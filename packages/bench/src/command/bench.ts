import { budgetCommand } from './budget.ts';
import { delayedCommand } from './delayed.ts';
import { faultsCommand } from './faults.ts';
import { intercodeCommand } from './intercode.ts';
import { noiseCommand } from './noise.ts';
import { recoveryCommand } from './recovery.ts';
import { reportCommand } from './report.ts';
import { scalingCommand } from './scaling.ts';
import { serveCommand } from './serve.ts';
import { tauCommand } from './tau.ts';

type Subcommand = { readonly about: string; readonly run: (args: readonly string[]) => Promise<number> };

/** One file a subcommand; each reads its own options. */
const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  warehouse: {
    about: 'experiment 1 in the warehouse: score and prompt size over the horizon',
    run: (args) => scalingCommand('warehouse', args),
  },
  'warehouse-crowded': {
    about: 'the same with up to 300 occupied shelves',
    run: (args) => scalingCommand('warehouse-crowded', args),
  },
  repository: {
    about: 'the same in the software repository',
    run: (args) => scalingCommand('repository', args),
  },
  noise: { about: 'experiment 2: irrelevant lines in every observation', run: noiseCommand },
  recovery: { about: 'experiment 3: the world changes at half-time', run: recoveryCommand },
  budget: { about: 'experiment 5: arms that keep to a size', run: budgetCommand },
  faults: { about: 'spoiled replies', run: faultsCommand },
  delayed: { about: 'facts whose use comes later', run: delayedCommand },
  tau: { about: 'τ-bench', run: tauCommand },
  intercode: { about: 'InterCode CTF', run: intercodeCommand },
  serve: { about: 'an episode as an MCP server, for any other agent', run: serveCommand },
  report: { about: 'the report of a kept bench once more', run: reportCommand },
};

/** `skillstate bench SUBCOMMAND …`. Resolves with the exit code: 0 done, 1 an error, 2 stopped before the end. */
export async function benchMain(args: readonly string[]): Promise<number> {
  const [name = '--help', ...rest] = args;
  if (Object.hasOwn(SUBCOMMANDS, name)) return (SUBCOMMANDS[name] as Subcommand).run(rest);
  const help = name === '--help' || name === '-h' || name === 'help';
  const lines = Object.entries(SUBCOMMANDS).map(([word, { about }]) => `  ${word.padEnd(19)}${about}`);
  const usage = `Usage: skillstate bench <what> [options]   (skillstate bench <what> --help)\n\n${lines.join('\n')}\n`;
  (help ? process.stdout : process.stderr).write(help ? usage : `error: no bench ${name}\n\n${usage}`);
  return help ? 0 : 1;
}
