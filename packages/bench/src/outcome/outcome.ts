import type { CallRecord, EpisodeResult, Totals } from '../harness/result.ts';

/** Who is to blame that an episode did not pass (P82), and why. */
export type Failure = { readonly who: 'agent' | 'simulator' | 'harness' | 'provider'; readonly why: string };

/** What the tables of a public benchmark need of an episode, whichever benchmark it is of. */
export type Outcome = {
  readonly key: string;
  readonly arm: string;
  readonly task: number;
  readonly trial: number;
  /** By the benchmark's own score. */
  readonly passed: boolean;
  /** By our own look at the world; null where there is none. */
  readonly verified: 'confirmed' | 'refuted' | 'unverifiable' | null;
  /** The task's own ground truth is wrong. */
  readonly knownBad: boolean;
  readonly failure: Failure | null;
  readonly ended: string;
  readonly calls: readonly CallRecord[];
  readonly totals: Totals;
  readonly tokensBy: EpisodeResult['tokensBy'];
};
