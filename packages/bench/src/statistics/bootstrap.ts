import { mean, quantileSorted } from 'simple-statistics';
import { randomAt } from '../env/random.ts';

export type Interval = { readonly low: number; readonly high: number };

export type BootstrapOptions = {
  readonly seed?: number;
  readonly resamples?: number;
  /** Share of the resampled means inside; default 0.95. */
  readonly level?: number;
};

/** Percentile bootstrap interval of the mean: the same values and seed give the same interval. null under two values. */
export function bootstrapMean(values: readonly number[], options: BootstrapOptions = {}): Interval | null {
  const { seed = 0, resamples = 2_000, level = 0.95 } = options;
  const n = values.length;
  if (n < 2) return null;
  const random = randomAt(seed, 'bootstrap', 0);
  const means = Array.from({ length: resamples }, () =>
    mean(Array.from({ length: n }, () => values[random.below(n)] as number)),
  ).toSorted((x, y) => x - y);
  const tail = (1 - level) / 2;
  return { low: quantileSorted(means, tail), high: quantileSorted(means, 1 - tail) };
}
