import { Command, Option } from 'commander';
import type { EnvironmentName } from '../env/create.ts';
import { faults } from '../experiment/plans.ts';
import { runCommand } from '../report/main.ts';
import { addBenchOptions, type BenchFlags, isScripted, settingsOf } from './arguments.ts';
import { runJobs } from './bench-run.ts';
import { list, share, whole } from './numbers.ts';

type Flags = BenchFlags & {
  readonly environment: EnvironmentName;
  readonly horizons: readonly number[];
  readonly rates: readonly number[];
};

/** `skillstate bench faults …`: how each arm copes with a model whose replies are spoiled. */
export async function faultsCommand(args: readonly string[]): Promise<number> {
  let exit = 0;
  const program = new Command('skillstate bench faults')
    .description('reply faults of a scripted model at the paper’s mix: 68% overwrites, 20% types, 12% syntax')
    .addOption(
      new Option('--environment <name>')
        .choices(['warehouse', 'warehouse-crowded', 'repository'])
        .default('warehouse'),
    )
    .option('--horizons <numbers>', 'events of an episode, with commas between', list(whole), [50])
    .option('--rates <shares>', 'faults a call, with commas between', list(share), [0, 0.1, 0.2, 0.3]);
  addBenchOptions(program).action(async (flags: Flags) => {
    const { environment, horizons, rates } = flags;
    if (!isScripted(flags.model))
      throw new Error('faults are those of a scripted model: --model reference or http');
    const settings = settingsOf(flags);
    exit = await runJobs(
      () => horizons.flatMap((horizon) => faults(settings, environment, horizon, rates)),
      flags,
    );
  });
  const parsed = await runCommand(program, args);
  return parsed === 0 ? exit : parsed;
}
