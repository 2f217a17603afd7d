import { mean, sampleStandardDeviation } from 'simple-statistics';
import { studentTwoSided } from './student.ts';

export type PairedTest = {
  readonly n: number;
  /** Mean of `a - b`. */
  readonly difference: number | null;
  readonly t: number | null;
  /** Two-sided; null where the test says nothing: under two pairs, or differences without spread. */
  readonly p: number | null;
};

/** Paired t-test of lists of equal length, pair by pair. Throws RangeError where the lengths differ. */
export function pairedTTest(a: readonly number[], b: readonly number[]): PairedTest {
  const differences = pairDifferences(a, b);
  const n = differences.length;
  if (n === 0) return { n, difference: null, t: null, p: null };
  const difference = mean(differences);
  const sd = n > 1 ? sampleStandardDeviation(differences) : 0;
  if (sd <= Math.abs(difference) * 1e-12) return { n, difference, t: null, p: null };
  const t = difference / (sd / Math.sqrt(n));
  return { n, difference, t, p: studentTwoSided(t, n - 1) };
}

export function pairDifferences(a: readonly number[], b: readonly number[]): number[] {
  if (a.length !== b.length) throw new RangeError(`${a.length} and ${b.length} values make no pairs`);
  return a.map((value, index) => value - (b[index] as number));
}
