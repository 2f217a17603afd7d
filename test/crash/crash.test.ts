import { expect, test } from 'vitest';
import { crashRun, seeded } from './harness.ts';

const POINTS = ['accept', 'outcome', 'stop', 'reject', 'confirm'];
const SEED = 20261130;

const traps = POINTS.flatMap((point) => ['before', 'after'].map((when) => `${point}:${when}:1`)).concat(
  'accept:before:3',
  'accept:after:4',
  'outcome:before:2',
  'outcome:after:2',
);

test.each(traps)('a kill at %s loses no committed step and repeats no effect', async (trap) => {
  const report = await crashRun([{ trap }]);
  expect(report.problems).toEqual([]);
  expect(report.kills).toBe(1);
});

test('20 kills at random times lose no committed step and repeat no effect', async () => {
  const random = seeded(SEED);
  const reports = [];
  for (let run = 0; run < 10; run++)
    reports.push(await crashRun([{ afterMs: random() * 150 }, { afterMs: random() * 150 }]));
  expect(reports.flatMap((report) => report.problems)).toEqual([]);
  expect(reports.some((report) => report.kills > 0)).toBe(true);
});
