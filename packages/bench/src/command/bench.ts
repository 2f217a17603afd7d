import { delayedCommand } from './delayed.ts';
import { faultsCommand } from './faults.ts';
import { intercodeCommand } from './intercode.ts';
import { reportCommand } from './report.ts';
import { tauCommand } from './tau.ts';
import { repositoryCommand, warehouseCommand } from './warehouse.ts';

type Subcommand = { readonly about: string; readonly run: (args: readonly string[]) => Promise<number> };

/** One file a subcommand; each reads its own options. */
const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  warehouse: { about: 'experiments 1, 2, 3 and 5 in the warehouse', run: warehouseCommand },
  repository: { about: 'the same in the software repository', run: repositoryCommand },
  delayed: { about: 'facts whose use comes later', run: delayedCommand },
  faults: { about: 'spoiled replies', run: faultsCommand },
  tau: { about: 'τ-bench', run: tauCommand },
  intercode: { about: 'InterCode CTF', run: intercodeCommand },
  report: { about: 'the report of a kept bench once more', run: reportCommand },
};

/** `skillstate bench SUBCOMMAND …`. Resolves with the exit code: 0 done, 1 an error, 2 stopped before the end. */
export async function benchMain(args: readonly string[]): Promise<number> {
  const [name = '--help', ...rest] = args;
  if (Object.hasOwn(SUBCOMMANDS, name)) return (SUBCOMMANDS[name] as Subcommand).run(rest);
  const help = name === '--help' || name === '-h' || name === 'help';
  const lines = Object.entries(SUBCOMMANDS).map(([word, { about }]) => `  ${word.padEnd(12)}${about}`);
  const usage = `Usage: skillstate bench <what> [options]   (skillstate bench <what> --help)\n\n${lines.join('\n')}\n`;
  (help ? process.stdout : process.stderr).write(help ? usage : `error: no bench ${name}\n\n${usage}`);
  return help ? 0 : 1;
}
