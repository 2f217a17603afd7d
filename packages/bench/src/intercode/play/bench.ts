import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchModel } from '../../harness/model.ts';
import type { ArmSpec } from '../../harness/result.ts';
import type { Outcome } from '../../outcome/outcome.ts';
import { runEpisodes } from '../../outcome/run.ts';
import { availabilityOf } from '../availability.ts';
import { ctfKey, type CtfOptions, playCtf } from './episode.ts';
import type { CtfResult } from './result.ts';
import { scriptedCtfAgent } from './scripted.ts';

export type CtfBenchOptions = Pick<
  CtfOptions,
  'data' | 'mode' | 'port' | 'network' | 'steps' | 'retries' | 'tokens' | 'tokensBy'
> & {
  /** Task numbers; undefined: all. Those that are not available here are left out. */
  readonly tasks?: readonly number[] | undefined;
  readonly arms: readonly ArmSpec[];
  readonly trials: number;
  readonly model: (task: number, arm: ArmSpec) => BenchModel;
  readonly parallel: number;
  readonly known?: ReadonlyMap<string, CtfResult>;
  readonly onResult?: (result: CtfResult) => Promise<void>;
  readonly onProgress?: (done: number, jobs: number) => void;
};

export type CtfBench = {
  readonly results: readonly CtfResult[];
  /** What an agent that gives up at once gets: the floor (P80). */
  readonly floor: readonly CtfResult[];
  readonly played: readonly number[];
  readonly unavailable: readonly { readonly task: number; readonly why: string; readonly reason: string }[];
  readonly notes: readonly { readonly task: number; readonly note: string }[];
  readonly stopped: string | null;
};

/** Sorts out which tasks can be played here, plays the do-nothing agent, then every task with every arm, arms innermost. */
export async function runCtfBench(options: CtfBenchOptions): Promise<CtfBench> {
  const { data, network, arms, tasks } = options;
  const availability = await availabilityOf(data, { network });
  const wanted = [...availability].filter(([id]) => tasks === undefined || tasks.includes(id));
  const played = wanted.flatMap(([id, { available }]) => (available ? [id] : []));
  const unavailable = wanted.flatMap(([task, one]) =>
    one.available ? [] : [{ task, why: one.why, reason: one.reason }],
  );
  const notes = wanted.flatMap(([task, one]) =>
    one.available && one.note !== null ? [{ task, note: one.note }] : [],
  );
  const floor: CtfResult[] = [];
  for (const task of played) floor.push(await playCtf(floorJob(options, task)));
  const jobs = played.flatMap((task) =>
    Array.from({ length: options.trials }, (_, trial) => trial).flatMap((trial) =>
      arms.map((arm) => jobOf(options, task, trial, arm)),
    ),
  );
  const { results, stopped } = await runEpisodes({ ...options, jobs, keyOf: ctfKey, play: playCtf });
  return { results, floor, played, unavailable, notes, stopped };
}

function jobOf(options: CtfBenchOptions, task: number, trial: number, arm: ArmSpec): CtfOptions {
  const { data, mode, port, network, steps, retries, tokens, tokensBy } = options;
  const model = options.model(task, arm);
  return { data, task, trial, mode, port, network, arm, steps, retries, model, tokens, tokensBy };
}

function floorJob(options: CtfBenchOptions, task: number): CtfOptions {
  const arm: ArmSpec = { id: 'state', strategy: 'state' };
  const model = (): BenchModel => scriptedCtfAgent('nothing', null, arm.strategy);
  return jobOf({ ...options, model }, task, 0, arm);
}

/** The solution script of a task beside its definitions, for the scripted agent; null: there is none. */
export function solutionOf(folder: string, task: number): Promise<string | null> {
  return readFile(join(folder, `${task}.sh`), 'utf8').catch(() => null);
}

/** The result as the tables of public benchmarks read it. */
export function ctfOutcome(result: CtfResult): Outcome {
  const { key, arm, task, trial, reward, knownBad, failure, ended, calls, totals, tokensBy } = result;
  const about = { key, arm: arm.id, task, trial, knownBad, failure, ended, calls, totals, tokensBy };
  return { ...about, passed: reward === 1, verified: null };
}
