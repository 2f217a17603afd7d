import { setImmediate as immediate } from 'node:timers/promises';
import type { EpisodeSpec } from '../env/create.ts';
import { runEpisode } from '../harness/episode.ts';
import { episodeKey } from '../harness/key.ts';
import { wrapped } from '../harness/guards.ts';
import type { BenchModel } from '../harness/model.ts';
import type { EpisodeResult, Expected } from '../harness/result.ts';
import { type Digest, type DigestOptions, digestEpisode } from '../report/digest.ts';
import type { Measure } from '../strategy/budget.ts';
import type { Surprise } from '../strategy/surprise.ts';
import { expectedSizes } from './expected.ts';
import { type Job, seedOf } from './job.ts';
import { createTally, type Progress, type Tally } from './progress.ts';
import { playTruth, type TrueTurn } from './truth-play.ts';

export type BenchOptions = {
  readonly jobs: readonly Job[];
  /** The model of a job, with whatever guards and records there are around it. */
  readonly model: (job: Job) => BenchModel;
  readonly tokens: Measure;
  readonly tokensBy: 'counted' | 'estimated';
  /** Episodes at the same time. */
  readonly parallel: number;
  /** Episodes that need not run again, by key. */
  readonly known?: ReadonlyMap<string, Digest>;
  /** Prices of what the results cost. */
  readonly pricing?: DigestOptions;
  /** Whether closed forms hold for this model: one that answers all that can be answered. */
  readonly closedForms: boolean;
  /** Once given, no other episode starts. */
  readonly signal?: AbortSignal;
  /** For `llmlingua`; the n-gram model of the episode by default. */
  readonly surprise?: Surprise;
  readonly onResult?: (result: EpisodeResult) => Promise<void>;
  readonly onProgress?: (progress: Progress) => void;
};

/** Why a bench stopped that was told to. */
export const INTERRUPTED = 'interrupted';

export type BenchEnd = {
  readonly results: readonly Digest[];
  /** Why the bench ended before all its jobs; null: it did not. */
  readonly stopped: string | null;
};

/**
 * Runs the jobs, several at a time, in order. An episode that is `stopped` (nothing more may be spent, the model cannot
 * be reached) ends the bench: those under way go on, no other starts, and it is not kept, so that a resumed bench runs it
 * again. Results keep the jobs' order, as digests: `onResult` is given all of it.
 */
export async function runBench(options: BenchOptions): Promise<BenchEnd> {
  const { jobs } = options;
  const results: (Digest | null)[] = jobs.map(() => null);
  const tally = createTally(jobs, options.onProgress ?? (() => undefined));
  const expect = closedForms(options);
  let [next, stopped] = [0, null as string | null];
  const interrupted = (): boolean => {
    if (options.signal?.aborted) stopped ??= INTERRUPTED;
    return options.signal?.aborted ?? false;
  };
  const settled = async (job: Job, model: BenchModel): Promise<Digest> => {
    const watching = watched(model, tally, job);
    const played = await play(options, job, watching);
    if (played.ended === 'stopped') return digestEpisode(played, {});
    const result = { ...played, expected: await expect(job) };
    await options.onResult?.(result);
    return digestEpisode(result, options.pricing ?? {});
  };
  const worker = async (): Promise<void> => {
    while (next < jobs.length && stopped === null) {
      if (interrupted()) return;
      const index = next++;
      const job = jobs[index] as Job;
      const model = options.model(job);
      const kept = options.known?.get(episodeKey(job.request, model.facts));
      const digest = kept ?? (await settled(job, model));
      if (digest.ended !== 'over') {
        if (!interrupted()) stopped ??= `${digest.key}: ${digest.reason}`;
        continue;
      }
      results[index] = digest;
      const { inputTokens, outputTokens } = digest.totals;
      tally.ended(job, kept === undefined ? inputTokens + outputTokens : null);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.parallel) }, worker));
  return { results: results.filter((result) => result !== null), stopped };
}

function play(
  { tokens, tokensBy, surprise }: BenchOptions,
  { request }: Job,
  model: BenchModel,
): Promise<EpisodeResult> {
  return runEpisode({ ...request, model, tokens, tokensBy, ...(surprise !== undefined && { surprise }) });
}

/** A truth as long as this is played anew for each arm: its states would take hundreds of megabytes. */
const LONG = 500;

/** Closed forms where they hold: no faults, no drift, every fact with a place. The truth of a spec is played once. */
function closedForms({
  closedForms: wanted,
  tokens,
  surprise,
}: BenchOptions): (job: Job) => Promise<Expected | null> {
  let last: { readonly spec: string; readonly turns: readonly TrueTurn[] } | null = null;
  const truthOf = (spec: EpisodeSpec): Iterable<TrueTurn> => {
    if (spec.horizon >= LONG) return playTruth(spec);
    const name = JSON.stringify(spec);
    if (last?.spec !== name) last = { spec: name, turns: [...playTruth(spec)] };
    return last.turns;
  };
  return async ({ request, behaviour: { reasoning, faults } }) => {
    const { spec, arm } = request;
    if (!wanted || faults !== null || spec.drift !== undefined || spec.environment === 'delayed') return null;
    return expectedSizes(spec, arm, truthOf(spec), { reasoning, seed: seedOf(request) }, tokens, surprise);
  };
}

/** A scripted model never waits; so often the program looks up, for signals and the terminal. */
const LOOK_UP_MS = 50;

/** The model, telling of every call. */
function watched(model: BenchModel, tally: Tally, job: Job): BenchModel {
  let last = performance.now();
  return wrapped(model, (ask) => async (request, about) => {
    tally.asked(job, about.step);
    if (performance.now() - last > LOOK_UP_MS) {
      await immediate();
      last = performance.now();
    }
    const reply = await ask(request, about);
    tally.answered(job, reply.usage.inputTokens + reply.usage.outputTokens);
    return reply;
  });
}
