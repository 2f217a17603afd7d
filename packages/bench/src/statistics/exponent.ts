import { linearRegression } from 'simple-statistics';

/** Fewer points say nothing about growth. */
const LEAST_POINTS = 8;

/**
 * k of size ~ step^k: the slope of a least-squares line through the logarithms. `size` is a prompt without its fixed
 * prefix; sizes of 0 or less have no logarithm and are left out. 0: constant; 1: each step adds the same. null with
 * fewer than 8 usable points.
 */
export function growthExponent(
  points: readonly { readonly step: number; readonly size: number }[],
): number | null {
  const logs = points
    .filter(({ step, size }) => step > 0 && size > 0)
    .map(({ step, size }) => [Math.log(step), Math.log(size)]);
  return logs.length < LEAST_POINTS ? null : linearRegression(logs).m;
}
