import { Command } from 'commander';
import type { EnvironmentName } from '../env/create.ts';
import type { Job } from '../experiment/job.ts';
import { budgets, noise, recovery, scaling } from '../experiment/plans.ts';
import { runCommand } from '../report/main.ts';
import type { Measure } from '../strategy/budget.ts';
import { addBenchOptions, type BenchFlags, settingsOf } from './arguments.ts';
import { runJobs } from './bench-run.ts';
import { count, list, whole } from './numbers.ts';

type Flags = BenchFlags & {
  readonly horizons?: readonly number[];
  readonly noise?: true | readonly number[];
  readonly overrides?: boolean;
  readonly drift?: boolean;
  readonly budget?: true | readonly number[];
  readonly crowded?: boolean;
};

/** The paper's: section 5.2, 5.3, ours (long enough for 20 probes), 5.6. */
const HORIZONS = [10, 25, 50, 100, 200];
const NOISE_HORIZON = [50];
const DRIFT_HORIZON = [60];
const BUDGET_HORIZON = [100];
const LEVELS = [0, 5, 20, 50];

/** `skillstate bench warehouse …`. Resolves with the exit code: 2 where the bench stopped before its end. */
export function warehouseCommand(args: readonly string[]): Promise<number> {
  return environmentCommand('warehouse', args);
}

/** `skillstate bench repository …`. */
export function repositoryCommand(args: readonly string[]): Promise<number> {
  return environmentCommand('repository', args);
}

async function environmentCommand(
  name: 'warehouse' | 'repository',
  args: readonly string[],
): Promise<number> {
  let exit = 0;
  const program = new Command(`skillstate bench ${name}`)
    .description('score and prompt size over the horizon (experiment 1), or another experiment')
    .option('--horizons <numbers>', 'events of an episode, with commas between', list(whole))
    .option('--noise [lines]', 'experiment 2: telemetry lines in every observation', list(count))
    .option('--overrides', 'with --noise: every fifth line claims new rules')
    .option('--drift', 'experiment 3: the world changes at half-time')
    .option(
      '--budget [sizes]',
      'experiment 5: budget-matched arms over these sizes of a prompt',
      list(whole),
    );
  if (name === 'warehouse') program.option('--crowded', 'up to 300 occupied shelves');
  addBenchOptions(program).action(async (flags: Flags) => {
    const environment = flags.crowded === true ? 'warehouse-crowded' : name;
    exit = await runJobs((tokens) => planOf(environment, flags, tokens), flags);
  });
  const parsed = await runCommand(program, args);
  return parsed === 0 ? exit : parsed;
}

async function planOf(environment: EnvironmentName, flags: Flags, tokens: Measure): Promise<readonly Job[]> {
  const settings = settingsOf(flags);
  const over = (usual: readonly number[]): readonly number[] => flags.horizons ?? usual;
  const jobs: Job[] = [];
  const levels = flags.noise === true ? LEVELS : flags.noise;
  for (const horizon of levels === undefined ? [] : over(NOISE_HORIZON))
    jobs.push(...noise(settings, environment, horizon, levels ?? [], flags.overrides ?? false));
  for (const horizon of flags.drift === true ? over(DRIFT_HORIZON) : [])
    jobs.push(...recovery(settings, environment, horizon));
  for (const horizon of flags.budget === undefined ? [] : over(BUDGET_HORIZON)) {
    const sizes = flags.budget === undefined || flags.budget === true ? null : flags.budget;
    const both: readonly EnvironmentName[] =
      environment === 'warehouse' ? ['warehouse', 'warehouse-crowded'] : [environment];
    jobs.push(...(await budgets(settings, both, horizon, flags.unit, sizes, tokens)));
  }
  return jobs.length > 0 ? jobs : scaling(settings, environment, over(HORIZONS));
}
