import type { BenchModel } from '../../harness/model.ts';
import type { ArmSpec } from '../../harness/result.ts';
import type { Outcome } from '../../outcome/outcome.ts';
import { runEpisodes } from '../../outcome/run.ts';
import type { Measure } from '../../strategy/budget.ts';
import { type GoldReport, goldReport } from '../gold.ts';
import type { TauDomain } from '../load.ts';
import type { Split, TauTask } from '../task.ts';
import { playTau, type TauOptions } from './episode.ts';
import { tauKey } from './key.ts';
import type { TauResult } from './result.ts';
import { scriptedAgent, scriptedAnswers } from './scripted.ts';
import { scriptedUsers, type UserSource } from './user.ts';

export type TauBenchOptions = {
  readonly domain: TauDomain;
  readonly split: Split;
  readonly tasks: readonly TauTask[];
  readonly arms: readonly ArmSpec[];
  readonly trials: number;
  readonly steps: number;
  readonly retries: number;
  readonly model: (task: TauTask, arm: ArmSpec) => BenchModel;
  readonly user: UserSource;
  readonly tokens: Measure;
  readonly tokensBy: 'counted' | 'estimated';
  readonly parallel: number;
  readonly known?: ReadonlyMap<string, TauResult>;
  readonly onResult?: (result: TauResult) => Promise<void>;
  readonly onProgress?: (done: number, jobs: number) => void;
};

export type TauBench = {
  readonly domain: TauDomain['name'];
  readonly split: Split;
  readonly revision: string;
  /** The ground truth, replayed before anything else. */
  readonly gold: GoldReport;
  readonly results: readonly TauResult[];
  /** What an agent that does nothing gets on the same tasks: the floor (P80). */
  readonly floor: readonly TauResult[];
  readonly stopped: string | null;
};

/** Replays the ground truth, plays the do-nothing agent, then every task with every arm, arms innermost. */
export async function runTauBench(options: TauBenchOptions): Promise<TauBench> {
  const { domain, split, arms } = options;
  const gold = goldReport(domain, split);
  const floor = await playFloor(options);
  const jobs = options.tasks.flatMap((task) =>
    Array.from({ length: options.trials }, (_, trial) => trial).flatMap((trial) =>
      arms.map((arm) => jobOf(options, task, trial, arm)),
    ),
  );
  const { results, stopped } = await runEpisodes({
    ...options,
    jobs,
    keyOf: (job) => tauKey(job, job.model.facts, job.user.facts(job.trial)),
    play: playTau,
  });
  return { domain: domain.name, split, revision: domain.revision, gold, results, floor, stopped };
}

function jobOf(options: TauBenchOptions, task: TauTask, trial: number, arm: ArmSpec): TauOptions {
  const { domain, split, steps, retries, user, tokens, tokensBy } = options;
  return {
    domain,
    split,
    task,
    trial,
    arm,
    steps,
    retries,
    user,
    tokens,
    tokensBy,
    model: options.model(task, arm),
  };
}

async function playFloor(options: TauBenchOptions): Promise<TauResult[]> {
  const arm: ArmSpec = { id: 'state', strategy: 'state' };
  const user = scriptedUsers(scriptedAnswers);
  const results: TauResult[] = [];
  for (const task of options.tasks) {
    const model = scriptedAgent('nothing', options.domain, task, arm.strategy);
    results.push(await playTau({ ...jobOf(options, task, 0, arm), user, model }));
  }
  return results;
}

/** The result as the tables of public benchmarks read it. */
export function tauOutcome(result: TauResult): Outcome {
  const { key, arm, task, trial, official, verified, knownBad, failure, ended, calls, totals, tokensBy } =
    result;
  return {
    key,
    arm: arm.id,
    task,
    trial,
    passed: official.reward === 1,
    verified: verified.verdict,
    knownBad,
    failure,
    ended,
    calls,
    totals,
    tokensBy,
  };
}
