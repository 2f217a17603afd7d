import { type Clock, createRuntime, type RunReport, type Runtime, type Store } from '@skillstate/runtime';
import { createEnvironment } from '../env/create.ts';
import { composeObservation, type Environment, type Episode, type Recovery } from '../env/environment.ts';
import type { Measure } from '../strategy/budget.ts';
import { createArm } from '../strategy/create.ts';
import type { Surprise } from '../strategy/surprise.ts';
import { createActTool, type Groups } from './act.ts';
import { type EpisodeRequest, episodeKey } from './key.ts';
import type { BenchModel } from './model.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import type { EpisodeResult } from './result.ts';
import { runtimeSkill } from './skill.ts';
import { openEpisodeStore } from './store.ts';
import { rejectionsOf, totalsOf } from './totals.ts';

export type EpisodeOptions = EpisodeRequest & {
  readonly model: BenchModel;
  readonly tokens: Measure;
  /** Whether `tokens` is a tokenizer's count or an estimate. */
  readonly tokensBy: 'counted' | 'estimated';
  /** Where the run is kept. Default: a store of its own that is gone afterwards. */
  readonly store?: Store;
  /** For `llmlingua`; the n-gram model of the episode by default. */
  readonly surprise?: Surprise;
};

/** Steps in a row that may leave a turn open (looking things up) before it is given up. */
const MOST_IDLE = 10;

/**
 * Runs one episode on the runtime: one model call an event, retries extra. O of a turn is the last action's result and
 * the turn's event. The environment ends the episode: after the last event the run is ended from outside, unasked.
 * A turn whose retries are used up is given up with `Wait`. Rejects only for misuse and a broken store; a model that
 * cannot be asked gives a result that is `stopped`.
 */
export async function runEpisode(options: EpisodeOptions): Promise<EpisodeResult> {
  const store = options.store ?? (await openEpisodeStore(options.spec.horizon));
  const key = episodeKey(options, options.model.facts);
  const startedAt = new Date().toISOString();
  const asked = await options.model.open(key);
  try {
    return resultOf(options, key, await play(options, store, key, asked), startedAt);
  } finally {
    await asked.close();
    if (options.store === undefined) await store.close();
  }
}

type Played = {
  readonly episode: Episode;
  readonly recorder: Recorder;
  readonly groups: Groups;
  readonly report: RunReport;
  readonly compressor: string | null;
};

async function play(
  options: EpisodeOptions,
  store: Store,
  key: string,
  asked: Awaited<ReturnType<BenchModel['open']>>,
): Promise<Played> {
  const { spec, arm: armSpec, model, tokens, retries, surprise } = options;
  const episode = createEnvironment(spec);
  const { environment } = episode;
  const arm = createArm(armSpec, surprise === undefined ? { tokens } : { tokens, surprise });
  const groups: Groups = {};
  const over = async (run: string): Promise<void> => {
    await store.send(run, {
      at: clock.now(),
      kind: 'cancel',
      from: 'environment',
      body: { why: 'the episode is over' },
    });
  };
  const act = createActTool(episode, () => recorder, groups, over);
  const recorder = createRecorder({ tokens, turn: environment.turn, stuck: () => act.idle() > MOST_IDLE });
  const clock = turnClock(environment);
  const runtime = createRuntime({
    store,
    model: recorder.model(model, asked),
    strategy: recorder.strategy(arm.strategy),
    tools: [act],
    clock,
    listen: recorder.listen,
  });
  const skill = runtimeSkill(episode.skill, arm.layout, retries);
  const first = await runtime.start(skill, { run: key, input: environment.event(0) });
  const report = await playOn(runtime, first, environment, recorder);
  return { episode, recorder, groups, report, compressor: arm.compressor };
}

/** A fixed day in which every turn takes a minute, so that prompts that show the time are the same in every process. */
function turnClock({ turn }: Environment): Clock {
  const day = Date.UTC(2026, 0, 5, 8);
  return { now: () => day + turn() * 60_000, sleep: () => Promise.resolve() };
}

/** Drives a run that came to rest before the episode was over. */
async function playOn(
  runtime: Runtime,
  first: RunReport,
  environment: Environment,
  recorder: Recorder,
): Promise<RunReport> {
  let report = first;
  while (environment.turn() < environment.horizon && recorder.failure === null) {
    if (report.status === 'needs_attention') recorder.forfeiting = true;
    else if (report.status === 'waiting') await waited(runtime, report.run, environment);
    else return missRest(environment, report);
    report = await runtime.resume(report.run);
  }
  return report;
}

/** The agent waits for a message: that is this turn's answer, and the next event is the message. */
async function waited(runtime: Runtime, run: string, environment: Environment): Promise<void> {
  const { text } = environment.act('Wait');
  await runtime.send(run, composeObservation(text, environment.event(environment.turn())));
}

/** The agent ended its run too early: what is left of the episode goes unanswered. */
function missRest(environment: Environment, report: RunReport): RunReport {
  while (environment.turn() < environment.horizon) environment.act('Wait');
  return report;
}

/** Where the changed fact was asked for, some answer must have been right (paper, table 3). */
function hasRecovered(recovery: Recovery | null): boolean {
  return recovery === null || recovery.firstProbe === null || recovery.steps !== null;
}

function resultOf(
  options: EpisodeOptions,
  key: string,
  { episode, recorder, groups, report, compressor }: Played,
  startedAt: string,
): EpisodeResult {
  const { experiment, arm, spec, repetition, model, retries, tokensBy } = options;
  const { calls, steps, parts, failure, forfeited, sources, at, ms } = recorder;
  const score = episode.truth.score();
  const recovery = episode.truth.recovery();
  const stopped = failure !== null;
  const reason = failure === null ? report.reason : `${failure.code}: ${failure.hint}`;
  return {
    v: 1,
    key,
    experiment,
    arm,
    spec,
    repetition,
    model: model.facts,
    limits: { retries },
    ended: stopped ? 'stopped' : 'over',
    status: report.status,
    reason,
    score,
    success: !stopped && score.successful === score.actionable && hasRecovered(recovery),
    recovery,
    groups,
    steps,
    calls,
    parts: parts.records,
    rejections: rejectionsOf(calls),
    forfeited,
    totals: totalsOf(calls, steps, {
      showsState: arm.strategy === 'state' || arm.strategy === 'state-paper',
    }),
    tokensBy: sources.has('counted') || !sources.has('provider') ? tokensBy : 'provider',
    compressor,
    expected: null,
    timing: { startedAt, wallMs: Math.round((at.at(-1) ?? 0) + (ms.at(-1) ?? 0)), at, ms },
  };
}
