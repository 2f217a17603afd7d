import { mean, sampleStandardDeviation } from 'simple-statistics';

/** `sd` is the sample standard deviation (n - 1); null for fewer than two values. `mean` is null for none. */
export type Spread = { readonly n: number; readonly mean: number | null; readonly sd: number | null };

export function describe(values: readonly number[]): Spread {
  const list = [...values];
  return {
    n: list.length,
    mean: list.length > 0 ? mean(list) : null,
    sd: list.length > 1 ? sampleStandardDeviation(list) : null,
  };
}
