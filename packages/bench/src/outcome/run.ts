import type { Failure } from './outcome.ts';

type Kept = { readonly key: string; readonly failure: Failure | null };

export type RunOptions<Job, Result extends Kept> = {
  readonly jobs: readonly Job[];
  readonly keyOf: (job: Job) => string;
  readonly play: (job: Job) => Promise<Result>;
  /** Episodes at the same time. */
  readonly parallel: number;
  /** Results of an earlier run. Those that a provider failed are played again. */
  readonly known?: ReadonlyMap<string, Result>;
  readonly onResult?: (result: Result) => Promise<void>;
  readonly onProgress?: (done: number, jobs: number) => void;
};

/** Provider failures in a row after which nothing more is started. */
const MOST_FAILURES = 3;

/**
 * Plays the jobs, several at a time, in order; results keep the jobs' order. `stopped` says why not all were played: the
 * model could not be asked several times in a row.
 */
export async function runEpisodes<Job, Result extends Kept>(
  options: RunOptions<Job, Result>,
): Promise<{ readonly results: readonly Result[]; readonly stopped: string | null }> {
  const { jobs, known } = options;
  const results: (Result | null)[] = jobs.map(() => null);
  let [next, done, failed] = [0, 0, 0];
  let stopped: string | null = null;
  const worker = async (): Promise<void> => {
    while (next < jobs.length && stopped === null) {
      const index = next++;
      const job = jobs[index] as Job;
      const kept = known?.get(options.keyOf(job));
      const again = kept === undefined || kept.failure?.who === 'provider';
      const result = again ? await options.play(job) : kept;
      if (again) await options.onResult?.(result);
      results[index] = result;
      failed = result.failure?.who === 'provider' ? failed + 1 : 0;
      if (failed >= MOST_FAILURES) stopped = result.failure?.why ?? 'the model cannot be asked';
      options.onProgress?.(++done, jobs.length);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, options.parallel) }, worker));
  return { results: results.filter((result) => result !== null), stopped };
}
