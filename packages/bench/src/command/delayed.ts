import { Command } from 'commander';
import { delayed } from '../experiment/plans.ts';
import { runCommand } from '../report/main.ts';
import { addBenchOptions, type BenchFlags, settingsOf } from './arguments.ts';
import { runJobs } from './bench-run.ts';
import { list, whole } from './numbers.ts';

type Flags = BenchFlags & { readonly horizons: readonly number[] };

/** `skillstate bench delayed …`: facts whose use comes 5 to 100 steps later. */
export async function delayedCommand(args: readonly string[]): Promise<number> {
  let exit = 0;
  const program = new Command('skillstate bench delayed')
    .description('facts of unforeseen use: no field, notes, a named field, a reminder, recall')
    .option('--horizons <numbers>', 'events of an episode, with commas between', list(whole), [300]);
  addBenchOptions(program).action(async (flags: Flags) => {
    const settings = settingsOf(flags);
    exit = await runJobs(() => flags.horizons.flatMap((horizon) => delayed(settings, horizon)), flags);
  });
  const parsed = await runCommand(program, args);
  return parsed === 0 ? exit : parsed;
}
