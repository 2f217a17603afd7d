import { runEpisode } from '../harness/episode.ts';
import { episodeKey } from '../harness/key.ts';
import type { BenchModel } from '../harness/model.ts';
import type { EpisodeResult, Expected } from '../harness/result.ts';
import { type Digest, type DigestOptions, digestEpisode } from '../report/digest.ts';
import type { Measure } from '../strategy/budget.ts';
import type { Surprise } from '../strategy/surprise.ts';
import { expectedSizes } from './expected.ts';
import { type Job, seedOf } from './job.ts';
import { type Progress, workOf } from './progress.ts';
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
  /** For `llmlingua`; the n-gram model of the episode by default. */
  readonly surprise?: Surprise;
  readonly onResult?: (result: EpisodeResult) => Promise<void>;
  readonly onProgress?: (progress: Progress) => void;
};

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
  const tally = createTally(jobs, options.onProgress);
  const expect = closedForms(options);
  let [next, stopped] = [0, null as string | null];
  const settled = async (job: Job, model: BenchModel): Promise<Digest> => {
    const result = { ...(await play(options, job, model)), expected: await expect(job) };
    if (result.ended === 'over') await options.onResult?.(result);
    return digestEpisode(result, options.pricing ?? {});
  };
  const worker = async (): Promise<void> => {
    while (next < jobs.length && stopped === null) {
      const index = next++;
      const job = jobs[index] as Job;
      const model = options.model(job);
      const kept = options.known?.get(episodeKey(job.request, model.facts));
      const digest = kept ?? (await settled(job, model));
      if (digest.ended === 'stopped') stopped ??= `${digest.key}: ${digest.reason}`;
      else results[index] = digest;
      tally(job, digest);
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

/** Closed forms where they hold: no faults, no drift, every fact with a place. The truth of a spec is played once. */
function closedForms({
  closedForms: wanted,
  tokens,
  surprise,
}: BenchOptions): (job: Job) => Promise<Expected | null> {
  let last: { readonly spec: string; readonly turns: readonly TrueTurn[] } | null = null;
  return async ({ request, behaviour: { reasoning, faultRate } }) => {
    const { spec, arm } = request;
    if (!wanted || faultRate > 0 || spec.drift !== undefined || spec.environment === 'delayed') return null;
    const name = JSON.stringify(spec);
    if (last?.spec !== name) last = { spec: name, turns: playTruth(spec) };
    return expectedSizes(spec, arm, last.turns, { reasoning, seed: seedOf(request) }, tokens, surprise);
  };
}

function createTally(
  jobs: readonly Job[],
  tell: BenchOptions['onProgress'],
): (job: Job, result: Digest) => void {
  const started = performance.now();
  const all = jobs.reduce((sum, job) => sum + workOf(job), 0);
  let [done, work, tokens] = [0, 0, 0];
  return (job, { totals }) => {
    done += 1;
    work += workOf(job);
    tokens += totals.inputTokens + totals.outputTokens;
    const elapsedMs = performance.now() - started;
    const leftMs = work === 0 ? null : (elapsedMs * (all - work)) / work;
    tell?.({ done, jobs: jobs.length, elapsedMs, leftMs, tokens });
  };
}
