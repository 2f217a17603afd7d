import { Command } from 'commander';
import type { EnvironmentName } from '../env/create.ts';
import type { Job } from '../experiment/job.ts';
import { runCommand } from './run-command.ts';
import type { StrategyName } from '../harness/result.ts';
import type { Measure } from '../strategy/budget.ts';
import { addBenchOptions, type BenchFlags } from './arguments.ts';
import { runJobs } from './bench-run.ts';
import { list, oneOf, whole } from './numbers.ts';

export type ExperimentFlags = BenchFlags & {
  readonly horizons: readonly number[];
  readonly environments: readonly EnvironmentName[];
};

/** A subcommand of the paper's experiments: its defaults, its own options, and the episodes that they ask for. */
export type Experiment<Own> = {
  readonly name: string;
  readonly about: string;
  readonly horizons: readonly number[];
  readonly environments: readonly EnvironmentName[];
  /** All, where it says none. */
  readonly arms?: readonly StrategyName[];
  /** Whether other environments can be asked for. */
  readonly choice: boolean;
  readonly options?: (program: Command) => Command;
  readonly plan: (flags: ExperimentFlags & Own, tokens: Measure) => readonly Job[] | Promise<readonly Job[]>;
};

const WORLDS: readonly EnvironmentName[] = ['warehouse', 'warehouse-crowded', 'repository'];

/** Resolves with the exit code: 0 done, 1 an error, 2 stopped before the end. */
export async function runExperiment<Own>(
  { name, about, horizons, environments, arms, choice, options, plan }: Experiment<Own>,
  args: readonly string[],
): Promise<number> {
  let exit = 0;
  const program = new Command(`skillstate bench ${name}`).description(about);
  program.option('--horizons <numbers>', 'events of an episode, with commas between', list(whole), horizons);
  if (choice) program.option('--environments <names>', WORLDS.join(', '), list(oneOf(WORLDS)), environments);
  options?.(program);
  addBenchOptions(program, arms).action(async (given: ExperimentFlags & Own) => {
    const flags = { ...given, environments: given.environments ?? environments };
    exit = await runJobs((tokens) => plan(flags, tokens), flags);
  });
  const parsed = await runCommand(program, args);
  return parsed === 0 ? exit : parsed;
}

/** The plans of every environment at every horizon, one after the other. */
export function everywhere(
  { environments, horizons }: ExperimentFlags,
  plan: (environment: EnvironmentName, horizon: number) => readonly Job[],
): readonly Job[] {
  return environments.flatMap((environment) => horizons.flatMap((horizon) => plan(environment, horizon)));
}
