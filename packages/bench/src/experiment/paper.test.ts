import { expect, test } from 'vitest';
import type { Digest } from '../report/digest.ts';
import { armsOf } from './arms.ts';
import { benchOf, rowsFor, settings, tokens } from './fixture.test.data.ts';
import { budgets, delayed, faults, noise, recovery, scaling } from './plans.ts';
import type { Row } from '../report/rows.ts';

const states = { ...settings, arms: armsOf(['state', 'state-paper']) };
const scoresOf = (rows: readonly Row[]): Record<string, number> =>
  Object.fromEntries(rows.map(({ arm, score }) => [arm, score]));

test('state scores 1.00 at every horizon, in every environment', async () => {
  for (const environment of ['warehouse', 'warehouse-crowded', 'repository'] as const) {
    const rows = await rowsFor(scaling({ ...states, seeds: 2 }, environment, [10, 60]));
    expect(rows.map(({ score }) => score)).toEqual(rows.map(() => 1));
  }
});

test('state scores 1.00 at every level of noise, with rule overrides too', async () => {
  for (const environment of ['warehouse', 'repository'] as const)
    for (const overrides of [false, true]) {
      const rows = await rowsFor(noise(states, environment, 30, [0, 5, 20, 50], overrides));
      expect(rows.map(({ score }) => score)).toEqual(rows.map(() => 1));
    }
});

test('state recovers in 0 steps; of a canceled order, which no field holds, it does not', async () => {
  const rows = [
    ...(await rowsFor(recovery(states, 'warehouse', 60))),
    ...(await rowsFor(recovery(states, 'repository', 60))),
  ];
  expect(rows).toHaveLength(2 * 7);
  for (const { condition, recovery: steps, success } of rows) {
    const lost = condition === 'canceled-order';
    expect([condition, success, ...steps]).toEqual([condition, lost ? 0 : 1, lost ? null : 0]);
  }
});

test('at the paper’s mix of faults state loses no state and no turn; arms without a check lose facts', async () => {
  const plan = faults({ ...settings, seeds: 2 }, 'warehouse', 50, [0, 0.2]);
  const { results } = await benchOf(plan);
  const of = (arm: string, spoiled: boolean): Digest[] =>
    results.filter((result) => result.arm.id === arm && (result.model.faults !== null) === spoiled);
  for (const arm of ['state', 'state-paper']) {
    const [clean, spoiled] = [of(arm, false), of(arm, true)];
    expect(spoiled.map(({ score }) => score.score)).toEqual([1, 1]);
    expect(spoiled.every(({ totals, forfeited }) => totals.retries > 0 && forfeited === 0)).toBe(true);
    expect(spoiled.map(({ totals }) => totals.stateWrites)).toEqual(
      clean.map(({ totals }) => totals.stateWrites),
    );
  }
  for (const arm of ['stateful-idiomatic', 'memory', 'summary-capped'])
    expect(of(arm, true).every(({ score }) => score.score < 1)).toBe(true);
});

test('every kind of fault is found again among the rejections of state', async () => {
  const mix = { overwrite: 0.4, types: 0.4, syntax: 0.2, action: 0 };
  const rows = await rowsFor(faults(states, 'warehouse', 100, [0.4], mix));
  for (const { rejections } of rows) {
    expect(Object.keys(rejections).toSorted()).toEqual(['overwrite', 'schema', 'syntax']);
    expect(rejections['schema']).toBeGreaterThan(5);
  }
  const wrong = { overwrite: 0, types: 0, syntax: 0, action: 1 };
  const [spoiled] = await rowsFor(faults(states, 'warehouse', 50, [0.2], wrong));
  expect(spoiled?.score).toBeLessThan(1);
});

test('the paper’s budget is too small for the crowded warehouse; with room for everything a window holds it', async () => {
  const plan = await budgets(settings, ['warehouse-crowded'], 60, 'chars', [1_800, 20_000], tokens);
  const scores = scoresOf(await rowsFor(plan));
  expect(scores['state']).toBe(1);
  expect(scores['truncated@20000']).toBe(1);
  for (const arm of ['truncated@1800', 'summary-capped@1800', 'llmlingua@1800'])
    expect(scores[arm]).toBeLessThan(0.6);
});

test('facts of unforeseen use are lost without a place, and kept by a named field and by recall', async () => {
  const rows = await rowsFor(delayed({ ...settings, arms: armsOf(['state']) }, 150));
  const score = Object.fromEntries(rows.map((row) => [row.condition, row.score]));
  expect(score['none']).toBeLessThan(1);
  expect([score['named'], score['reminder'], score['recall']]).toEqual([1, 1, 1]);
});

test('every arm also plays over HTTP, with the provider’s usage and retries, to the same score', async () => {
  const plan = scaling(settings, 'warehouse', [30]);
  const [direct, http] = [await rowsFor(plan), await rowsFor(plan, 'http')];
  expect(scoresOf(http)).toEqual(scoresOf(direct));
  expect(http.map(({ tokensBy }) => tokensBy)).toEqual(settings.arms.map(() => 'provider'));
});
