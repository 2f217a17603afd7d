import type { Job } from './job.ts';

export type Progress = {
  readonly done: number;
  readonly jobs: number;
  /** Estimated from the work done so far; null while nothing is. */
  readonly leftMs: number | null;
  /** Of this run: of episodes that ended and of those under way. */
  readonly tokens: number;
  /** Of the episode that was asked for last; null before the first call. */
  readonly step: { readonly at: number; readonly of: number } | null;
};

/** A transcript of this length doubles the work of a step. */
const TRANSCRIPT_STEPS = 200;

/** Work of an episode's first steps, in steps of a prompt that does not grow. */
export function workOf({ request: { arm, spec } }: Job, steps: number = spec.horizon): number {
  const grows =
    arm.strategy === 'prompt' ||
    (arm.strategy.startsWith('stateful') && arm.strategy !== 'stateful-idiomatic');
  return steps * (grows ? 1 + steps / TRANSCRIPT_STEPS : 1);
}

export type Tally = {
  /** A call of an episode under way is made. */
  asked(job: Job, step: number): void;
  /** It is answered. */
  answered(job: Job, tokens: number): void;
  /** `tokens`: all of the episode; null: it was known before, and says nothing about the rate. */
  ended(job: Job, tokens: number | null): void;
};

/** Counts a bench's work and tells of it at every call. Rate and rest leave out episodes that were known before. */
export function createTally(
  jobs: readonly Job[],
  tell: (progress: Progress) => void,
  now: () => number = () => performance.now(),
): Tally {
  const started = now();
  const running = new Map<Job, { step: number; tokens: number }>();
  let rest = jobs.reduce((sum, job) => sum + workOf(job), 0);
  let [done, work, tokens, step] = [0, 0, 0, null as Progress['step']];
  const of = (job: Job): { step: number; tokens: number } => {
    const found = running.get(job) ?? { step: 1, tokens: 0 };
    running.set(job, found);
    return found;
  };
  const report = (): void => {
    let [partWork, partTokens] = [0, 0];
    for (const [job, part] of running) {
      partWork += workOf(job, part.step - 1);
      partTokens += part.tokens;
    }
    const did = work + partWork;
    const leftMs = did === 0 ? null : ((now() - started) * (rest - partWork)) / did;
    tell({ done, jobs: jobs.length, leftMs, tokens: tokens + partTokens, step });
  };
  return {
    asked(job, at) {
      of(job).step = at;
      step = { at, of: job.request.spec.horizon };
      report();
    },
    answered(job, used) {
      of(job).tokens += used;
    },
    ended(job, used) {
      running.delete(job);
      done += 1;
      rest -= workOf(job);
      if (used !== null) work += workOf(job);
      tokens += used ?? 0;
      report();
    },
  };
}

const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** `12 of 150 episodes, step 34 of 100, 1.2M tokens, about 3 min left`. */
export function progressText({ done, jobs, leftMs, tokens, step }: Progress): string {
  const within = step === null || done === jobs ? '' : `, step ${step.at} of ${step.of}`;
  const left = leftMs === null ? '' : `, about ${duration(leftMs)} left`;
  return `${done} of ${jobs} episodes${within}, ${short.format(tokens)} tokens${left}`;
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
