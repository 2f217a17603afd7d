import { expect, test } from 'vitest';
import { armsOf } from './arms.ts';
import { rowsFor, settings } from './fixture.test.data.ts';
import { noise, scaling } from './plans.ts';
import type { Row } from '../report/rows.ts';

/** What a closed form may be off by: a share of tokens and exponents, or so much of an exponent that is nearly 0. */
const SHARE = 0.05;
const NEARLY = 0.01;
/** It assumes that all is answered right: an arm that answers wrong meets other results, which its first turns feel most. */
const WRONG_ANSWERS = 0.05;

function wrong(rows: readonly Row[]): string[] {
  const placeOf = (row: Row): string =>
    [row.environment, row.condition, row.horizon, row.reasoning].join(' ');
  const states = new Map(rows.filter(({ arm }) => arm === 'state').map((row) => [placeOf(row), row]));
  return rows
    .filter((row) => {
      const { agreement, exponent, expectedExponent } = row;
      const off = (agreement ?? 0) - 1;
      const ratio = (agreement ?? 0) / (states.get(placeOf(row))?.agreement ?? 9) - 1;
      const allowed =
        row.score === 1 ? Math.max(NEARLY, SHARE * Math.abs(expectedExponent ?? 0)) : WRONG_ANSWERS;
      const grown = (exponent ?? 9) - (expectedExponent ?? 0);
      return Math.abs(off) > SHARE || Math.abs(ratio) > SHARE || Math.abs(grown) > allowed;
    })
    .map((row) => `${row.environment} ${row.condition} ${row.reasoning} ${row.arm}: ${JSON.stringify(row)}`);
}

test.each(['warehouse', 'warehouse-crowded', 'repository'] as const)(
  'tokens and growth of every arm follow from the lengths of template and texts: %s',
  async (environment) => {
    const rows = await rowsFor(scaling({ ...settings, reasoning: ['none', 'paper'] }, environment, [25, 60]));
    expect(rows).toHaveLength(2 * 2 * settings.arms.length);
    expect(wrong(rows)).toEqual([]);
  },
);

test('they do with telemetry in every observation', async () => {
  expect(wrong(await rowsFor(noise(settings, 'warehouse', 30, [5, 50], false)))).toEqual([]);
});

test('the prompt of state does not grow; that of a transcript grows by as much in every step', async () => {
  for (const environment of ['warehouse', 'repository'] as const) {
    const rows = await rowsFor(
      scaling(
        { ...settings, arms: armsOf(['state', 'state-paper', 'prompt', 'stateful']) },
        environment,
        [100],
      ),
    );
    const of = (arm: string): Row => rows.find((row) => row.arm === arm) as Row;
    expect(of('state').exponentWhole).toBeLessThan(0.05);
    expect(of('state-paper').exponentBesideState).toBeLessThan(0.05);
    expect(of('state').exponentBesideState).toBeLessThan(0.05);
    expect(of('prompt').exponent).toBeCloseTo(1, 1);
    expect(of('stateful').inputTokens).toBeGreaterThan(of('prompt').inputTokens);
  }
});
