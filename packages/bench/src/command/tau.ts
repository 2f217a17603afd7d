import { Command } from 'commander';
import { runCommand } from '../report/main.ts';
import { replayText } from '../tau/replay-text.ts';
import { replayVectors } from '../tau/replay.ts';

type Flags = { readonly vectors?: string; readonly data?: string; readonly json?: boolean };

/** `skillstate bench tau …`. Resolves with the exit code: 1 where a vector differs. */
export async function tauCommand(args: readonly string[]): Promise<number> {
  let exit = 0;
  const program = new Command('skillstate bench tau')
    .description('τ-bench: replay recorded results')
    .option('--vectors <path>', 'replay the vectors in this folder (or file) and count what agrees')
    .option('--data <path>', 'the data: a folder of vectors with its data, or a τ-bench checkout')
    .option('--json', 'as JSON')
    .action((flags: Flags) => {
      if (flags.vectors !== undefined) exit = replay(flags.vectors, flags);
      else throw new Error('say what to do: --vectors PATH');
    });
  const parsed = await runCommand(program, args);
  return parsed === 0 ? exit : parsed;
}

function replay(vectors: string, { data, json }: Flags): number {
  const report = replayVectors(vectors, data === undefined ? {} : { data });
  process.stdout.write(`${json === true ? JSON.stringify(report, null, 2) : replayText(report)}\n`);
  return report.differ === 0 && report.total > 0 ? 0 : 1;
}
