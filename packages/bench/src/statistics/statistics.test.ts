import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bootstrapMean } from './bootstrap.ts';
import { describe as describeValues } from './describe.ts';
import { growthExponent } from './exponent.ts';
import { holm } from './holm.ts';
import { pairedTTest } from './paired.ts';
import { studentTwoSided } from './student.ts';
import { signedRank } from './wilcoxon.ts';

// Student's sleep data (Biometrika 1908): hours of sleep gained with two drugs, same ten people.
const drug1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
const drug2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

// Hollander & Wolfe (1973): depression scores of nine patients before and after.
const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];

test('the spread of values is their mean and sample standard deviation', () => {
  expect(describeValues([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({ n: 8, mean: 5, sd: expect.closeTo(2.13809, 5) });
  expect(describeValues([3])).toEqual({ n: 1, mean: 3, sd: null });
  expect(describeValues([])).toEqual({ n: 0, mean: null, sd: null });
});

test('the paired t-test gives the published figures of the sleep data', () => {
  const { n, difference, t, p } = pairedTTest(drug1, drug2);
  expect(n).toBe(10);
  expect(difference).toBeCloseTo(-1.58, 10);
  expect(t).toBeCloseTo(-4.0621, 4);
  expect(p).toBeCloseTo(0.002833, 6);
});

test('Student p agrees with closed forms and tables', () => {
  expect(studentTwoSided(1, 1)).toBeCloseTo(0.5, 12);
  expect(studentTwoSided(Math.SQRT2, 2)).toBeCloseTo(1 - Math.SQRT2 / 2, 12);
  expect(studentTwoSided(2.776445, 4)).toBeCloseTo(0.05, 6);
  expect(studentTwoSided(1.959964, 1e7)).toBeCloseTo(0.05, 5);
  expect(studentTwoSided(0, 7)).toBe(1);
});

test('a t-test without spread gives no p instead of a false one', () => {
  expect(pairedTTest([1, 1, 1], [0.9, 0.9, 0.9]).p).toBeNull();
  expect(pairedTTest([1, 1], [1, 1])).toEqual({ n: 2, difference: 0, t: null, p: null });
  expect(pairedTTest([1], [0]).p).toBeNull();
  expect(() => pairedTTest([1], [])).toThrow(RangeError);
});

test('the signed-rank test gives the published figures of the depression data', () => {
  expect(signedRank(before, after)).toEqual({ n: 9, w: 40, p: 0.0390625, how: 'exact' });
});

test('five pairs that all point one way cannot fall below p = 1/16', () => {
  expect(signedRank([1, 1, 1, 1, 1], [0, 0, 0, 0, 0]).p).toBe(2 / 32);
  expect(signedRank([1, 1], [1, 1])).toMatchObject({ n: 0, p: null });
  expect(signedRank([1, 0.1], [0.9, 0.2]).w).toBe(1.5);
});

test('the exact signed-rank p is the share of all signs that are as extreme, ties included', () => {
  const values = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(values, (list) => {
      const differing = list.filter((value) => value !== 0);
      const result = signedRank(
        list,
        list.map(() => 0),
      );
      if (differing.length === 0) expect(result.p).toBeNull();
      else expect(result.p).toBeCloseTo(bruteForce(differing), 12);
    }),
    { numRuns: 100 },
  );
});

test('the normal form meets the exact one where it takes over', () => {
  const list = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? -1 : 1) * (i + 1));
  const many = signedRank(
    list,
    list.map(() => 0),
  );
  expect(many.how).toBe('normal');
  expect(many.p).toBeGreaterThan(0.01);
  expect(many.p).toBeLessThan(0.1);
});

test('the exponent of constant, linear and square growth is 0, 1 and 2', () => {
  const steps = Array.from({ length: 50 }, (_, i) => i + 1);
  for (const k of [0, 1, 2])
    expect(growthExponent(steps.map((step) => ({ step, size: 7 * step ** k })))).toBeCloseTo(k, 10);
  expect(growthExponent([{ step: 1, size: 1 }])).toBeNull();
  expect(growthExponent(steps.map((step) => ({ step, size: 0 })))).toBeNull();
});

test('a bootstrap interval is seeded, holds the mean, and shrinks to a point for equal values', () => {
  expect(bootstrapMean(drug2)).toEqual(bootstrapMean(drug2));
  expect(bootstrapMean(drug2, { seed: 1 })).not.toEqual(bootstrapMean(drug2));
  const interval = bootstrapMean(drug2);
  expect(interval?.low).toBeGreaterThan(0.9);
  expect(interval?.low).toBeLessThan(2.33);
  expect(interval?.high).toBeGreaterThan(2.33);
  expect(interval?.high).toBeLessThan(3.7);
  expect(bootstrapMean([4, 4, 4])).toEqual({ low: 4, high: 4 });
  expect(bootstrapMean([4])).toBeNull();
});

test('Holm steps down, never falls, and passes over missing tests', () => {
  const adjusted = holm([0.03, null, 0.01, 0.04, 0.02]);
  expect(adjusted.map((p) => p?.toFixed(4) ?? null)).toEqual(['0.0600', null, '0.0400', '0.0600', '0.0600']);
  expect(holm([0.9, 0.8])).toEqual([1, 1]);
});

function bruteForce(differences: readonly number[]): number {
  const sorted = differences.map(Math.abs).toSorted((x, y) => x - y);
  const rank = (value: number) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1;
  const ranks = differences.map((value) => rank(Math.abs(value)));
  const total = ranks.reduce((sum, value) => sum + value, 0);
  const w = ranks.reduce((sum, value, i) => ((differences[i] ?? 0) > 0 ? sum + value : sum), 0);
  const low = Math.min(w, total - w);
  let extreme = 0;
  for (let signs = 0; signs < 2 ** ranks.length; signs++) {
    const sum = ranks.reduce((acc, value, i) => (signs & (2 ** i) ? acc + value : acc), 0);
    if (sum <= low) extreme += 1;
  }
  return Math.min(1, (2 * extreme) / 2 ** ranks.length);
}
