import { Command } from 'commander';
import { dataPlaces } from '../data/places.ts';
import { bubblewrapPort } from '../intercode/port.ts';
import { replayIntercodeVectors, replaySolutions } from '../intercode/replay.ts';
import { solutionsText, vectorsText } from '../intercode/replay-text.ts';
import { findIntercodeData, intercodeCheckoutCommand } from '../intercode/tasks.ts';
import { runCommand } from '../report/main.ts';

type Flags = {
  readonly vectors?: string;
  readonly solutions?: string;
  readonly data?: string;
  readonly json?: boolean;
};

/** `skillstate bench intercode …`. Resolves with the exit code: 1 where something differs. */
export async function intercodeCommand(args: readonly string[]): Promise<number> {
  let exit = 0;
  const program = new Command('skillstate bench intercode')
    .description('InterCode CTF: replay recorded results')
    .option(
      '--solutions <path>',
      'run the scripts ID.sh of this folder in the sandbox and score what they print',
    )
    .option('--vectors <path>', 'replay the vectors in this folder in mode `original`')
    .option('--data <path>', 'the data: a folder with ic_ctf.json and task_assets, or an InterCode checkout')
    .option('--json', 'as JSON')
    .action(async (flags: Flags) => {
      if (flags.solutions === undefined && flags.vectors === undefined)
        throw new Error('say what to do: --solutions PATH or --vectors PATH');
      const data = dataFolder(flags.data);
      if (flags.solutions !== undefined) exit = Math.max(exit, await solutions(data, flags.solutions, flags));
      if (flags.vectors !== undefined) exit = Math.max(exit, await vectors(data, flags.vectors, flags));
    });
  const parsed = await runCommand(program, args);
  return parsed === 0 ? exit : parsed;
}

function dataFolder(named: string | undefined): string {
  const places = dataPlaces(named);
  const found = findIntercodeData(places);
  if (found !== null) return found;
  throw new Error(
    `no InterCode data (ic_ctf.json) in ${places.join(', ')}. Name its folder with --data; to get it: ${intercodeCheckoutCommand}`,
  );
}

async function solutions(data: string, path: string, { json }: Flags): Promise<number> {
  const onProgress = (id: number, score: 0 | 1): void => {
    if (process.stderr.isTTY) process.stderr.write(`solution ${id}: ${score}\n`);
  };
  const replayed = await replaySolutions(data, { port: bubblewrapPort(), solutions: path, onProgress });
  if (!replayed.ok) throw new Error(`${replayed.problem.path}: ${replayed.problem.hint}`);
  const { report } = replayed;
  process.stdout.write(`${json === true ? JSON.stringify(report, null, 2) : solutionsText(report)}\n`);
  return report.differences.length === 0 && report.agree > 0 ? 0 : 1;
}

async function vectors(data: string, path: string, { json }: Flags): Promise<number> {
  const replayed = await replayIntercodeVectors(data, path);
  if (!replayed.ok) throw new Error(`${replayed.problem.path}: ${replayed.problem.hint}`);
  const { files } = replayed;
  process.stdout.write(`${json === true ? JSON.stringify(files, null, 2) : vectorsText(files)}\n`);
  return Object.values(files).every(({ total, agree }) => total === agree) ? 0 : 1;
}
