import {
  createRuntime,
  type Layout,
  openSqliteStore,
  type RunReport,
  type Runtime,
  type Store,
} from '@skillstate/runtime';
import type { BenchModel, EpisodeModel } from '../../harness/model.ts';
import { createRecorder } from '../../harness/recorder.ts';
import type { ArmSpec } from '../../harness/result.ts';
import { withFields } from '../../outcome/fields.ts';
import type { Measure } from '../../strategy/budget.ts';
import { createArm } from '../../strategy/create.ts';
import { openTau, type TauStep } from '../environment.ts';
import type { TauDomain } from '../load.ts';
import type { Split, TauTask } from '../task.ts';
import { withToolCalls } from './arm.ts';
import { tauKey } from './key.ts';
import type { TauResult } from './result.ts';
import { type Finished, tauResult } from './score.ts';
import { tauSkill } from './skill.ts';
import { openTauTools } from './tools.ts';
import type { EpisodeUser, UserSource } from './user.ts';

export type TauRequest = {
  readonly domain: TauDomain;
  readonly split: Split;
  readonly task: TauTask;
  /** From 0; pass^k is over trials. */
  readonly trial: number;
  readonly arm: ArmSpec;
  /** Most steps; the original's tool-calling agent has 30. */
  readonly steps: number;
  /** Refused replies that a step may have, besides the accepted one. */
  readonly retries: number;
};

export type TauOptions = TauRequest & {
  readonly model: BenchModel;
  readonly user: UserSource;
  readonly tokens: Measure;
  readonly tokensBy: 'counted' | 'estimated';
  /** Where the run is kept. Default: a store in memory, closed afterwards. */
  readonly store?: Store;
};

/** The policies say that it is now 2024-05-15 15:00 EST; every step takes a minute. */
const NOON = Date.UTC(2024, 4, 15, 20);
const ZONE = 'Etc/GMT+5';

/**
 * Runs one task on the runtime: the user's first message is the first O, and each action is one step of the
 * environment. The user or a hand-off ends the episode: the run is then ended from outside. Rejects only for misuse and
 * a broken store; what a model, a user or the environment does wrong is in the result.
 */
export async function playTau(options: TauOptions): Promise<TauResult> {
  const { model, user, task, trial } = options;
  const store = options.store ?? (await openSqliteStore(':memory:', { durability: 'process' }));
  const key = tauKey(options, model.facts, user.facts(trial));
  const startedAt = new Date().toISOString();
  const started = performance.now();
  const asked = await model.open(key);
  try {
    const finished = await play(options, store, key, asked, user.open(task, trial));
    return tauResult(options, key, finished, { startedAt, wallMs: Math.round(performance.now() - started) });
  } finally {
    await asked.close();
    if (options.store === undefined) await store.close();
  }
}

async function play(
  options: TauOptions,
  store: Store,
  key: string,
  asked: EpisodeModel,
  user: EpisodeUser,
): Promise<Finished> {
  const { domain, task, model, tokens } = options;
  const environment = openTau(domain, task, user);
  const { strategy, layout, compressor } = createArm(options.arm, { tokens });
  const recorder = createRecorder({ tokens, turn: () => environment.trace().length, stuck: () => false });
  const clock = { now: () => NOON + environment.trace().length * 60_000, sleep: () => Promise.resolve() };
  const ending = createEnding(store, clock.now);
  const runtime = createRuntime({
    store,
    model: recorder.model(model, asked),
    strategy: recorder.strategy(withToolCalls(withFields(strategy))),
    tools: openTauTools(domain, environment, ending.after, ending.failed),
    clock,
    zone: ZONE,
    listen: recorder.listen,
  });
  const opening = await environment.reset().catch(ending.note);
  const base = { environment, user, recorder, compressor, opening };
  if (opening === null) return { ...base, report: null, state: {}, over: false, error: ending.error() };
  const report = await drive(runtime, options, layout, key, opening, () => recorder.failure !== null);
  return { ...base, report, state: report.state, over: ending.over(), error: ending.error() };
}

/** Runs until the run is at rest. An agent that waits is told that nobody speaks; that was one of its steps. */
async function drive(
  runtime: Runtime,
  { domain, retries, steps }: TauOptions,
  layout: Layout,
  key: string,
  opening: string,
  broken: () => boolean,
): Promise<RunReport> {
  const skill = tauSkill(domain, { layout, retries, steps });
  let report = await runtime.start(skill, { run: key, input: opening });
  while (report.status === 'waiting' && !broken() && report.steps < steps) {
    await runtime.send(key, 'Nobody speaks until you do.', 'environment');
    report = await runtime.resume(key);
  }
  return report;
}

/** Ends the run from outside once the conversation is over or has broken off, and keeps which it was. */
function createEnding(store: Store, now: () => number) {
  const seen = { over: false, error: null as unknown };
  const end = async (run: string, why: string): Promise<void> => {
    await store.send(run, { at: now(), kind: 'cancel', from: 'environment', body: { why } });
  };
  return {
    over: () => seen.over,
    error: () => seen.error,
    note(error: unknown): null {
      seen.error = error;
      return null;
    },
    async after(run: string, { done }: TauStep): Promise<void> {
      seen.over = done;
      if (done) await end(run, 'the conversation is over');
    },
    async failed(run: string, error: unknown): Promise<void> {
      seen.error = error;
      await end(run, 'the conversation broke off');
    },
  };
}
