import type { Job } from './job.ts';

export type Progress = {
  readonly done: number;
  readonly jobs: number;
  readonly elapsedMs: number;
  /** Estimated from the work done so far; null while nothing is. */
  readonly leftMs: number | null;
  readonly tokens: number;
  /** Of the episode that was asked for last; null before the first call. */
  readonly step: { readonly at: number; readonly of: number } | null;
};

/** A transcript of this length doubles the work of a step. */
const TRANSCRIPT_STEPS = 200;

/** Work of an episode, in steps of a prompt that does not grow. */
export function workOf({ request: { arm, spec } }: Job): number {
  const grows =
    arm.strategy === 'prompt' ||
    (arm.strategy.startsWith('stateful') && arm.strategy !== 'stateful-idiomatic');
  return spec.horizon * (grows ? 1 + spec.horizon / TRANSCRIPT_STEPS : 1);
}

/** `12 of 150 episodes, 8%; step 34 of 100; 4 s so far, about 41 s left; 120,400 tokens`. */
export function progressText({ done, jobs, elapsedMs, leftMs, tokens, step }: Progress): string {
  const left = leftMs === null ? '' : `, about ${seconds(leftMs)} left`;
  const share = jobs === 0 ? 100 : Math.floor((100 * done) / jobs);
  const within = step === null || done === jobs ? '' : ` step ${step.at} of ${step.of};`;
  return `${done} of ${jobs} episodes, ${share}%;${within} ${seconds(elapsedMs)} so far${left}; ${tokens.toLocaleString('en-US')} tokens`;
}

function seconds(ms: number): string {
  const all = Math.round(ms / 1_000);
  return all < 120 ? `${all} s` : `${Math.round(all / 60)} min`;
}
