import { cumulativeStdNormalProbability } from 'simple-statistics';
import { pairDifferences } from './paired.ts';

export type SignedRank = {
  /** Pairs that differ; pairs without a difference are left out. */
  readonly n: number;
  /** Sum of the ranks of positive `a - b`. */
  readonly w: number;
  /** Two-sided; null where no pair differs. */
  readonly p: number | null;
  readonly how: 'exact' | 'normal';
};

const EXACT_UP_TO = 30;

/**
 * Wilcoxon's signed-rank test. Ties share their mean rank. Up to 30 differing pairs the p is exact, ties included: all
 * 2^n signs are counted; above, normal with tie and continuity correction. Throws RangeError where the lengths differ.
 */
export function signedRank(a: readonly number[], b: readonly number[]): SignedRank {
  const differences = pairDifferences(a, b)
    .map(withoutNoise)
    .filter((difference) => difference !== 0);
  const n = differences.length;
  const how = n <= EXACT_UP_TO ? 'exact' : 'normal';
  const ranks = doubledRanks(differences.map(Math.abs));
  const w2 = ranks.reduce((sum, rank, index) => ((differences[index] ?? 0) > 0 ? sum + rank : sum), 0);
  if (n === 0) return { n, w: 0, p: null, how };
  return { n, w: w2 / 2, p: how === 'exact' ? exactP(ranks, w2) : normalP(ranks, w2), how };
}

/** 1 - 0.9 and 0.2 - 0.1 are a tie. */
function withoutNoise(difference: number): number {
  return Math.round(difference * 1e12) / 1e12;
}

/** Twice the rank of each value, so that mean ranks of ties stay integers. */
function doubledRanks(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).toSorted((x, y) => (values[x] ?? 0) - (values[y] ?? 0));
  const ranks = values.map(() => 0);
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end] ?? 0] === values[order[start] ?? 0]) end += 1;
    for (const index of order.slice(start, end)) ranks[index] = start + 1 + end;
    start = end;
  }
  return ranks;
}

/** Counts, over all signs, how often the positive ranks add up to each sum. */
function exactP(ranks: readonly number[], w2: number): number {
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  const ways = new Float64Array(total + 1);
  ways[0] = 1;
  for (const rank of ranks)
    for (let sum = total; sum >= rank; sum--) ways[sum] = (ways[sum] ?? 0) + (ways[sum - rank] ?? 0);
  const low = Math.min(w2, total - w2);
  let below = 0;
  for (let sum = 0; sum <= low; sum++) below += ways[sum] ?? 0;
  return Math.min(1, (2 * below) / 2 ** ranks.length);
}

/** The variance is the sum of squared ranks over four, which takes account of ties by itself. */
function normalP(ranks: readonly number[], w2: number): number {
  const centre = ranks.reduce((sum, rank) => sum + rank, 0) / 4;
  const variance = ranks.reduce((sum, rank) => sum + (rank / 2) ** 2, 0) / 4;
  const distance = Math.max(0, Math.abs(w2 / 2 - centre) - 0.5);
  return Math.min(1, 2 * (1 - cumulativeStdNormalProbability(distance / Math.sqrt(variance))));
}
