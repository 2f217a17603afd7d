import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  type DomainName,
  goldReport,
  knownBadTasks,
  loadTau,
  passHatK,
  type Split,
  tauRevision,
} from './tau.ts';

const own = fileURLToPath(new URL('./fixtures/tau', import.meta.url));
const shared =
  process.env.SKILLSTATE_VECTORS ?? fileURLToPath(new URL('../../../../../shared/vectors', import.meta.url));
const hasShared = existsSync(join(shared, 'tau', 'retail'));
if (!hasShared) console.warn(`skipped: no τ-bench data in ${shared} (set SKILLSTATE_VECTORS to its folder)`);

test('P79: the gold replay names the tasks whose ground truth fails, and what only looks like a task', () => {
  const report = goldReport(loadTau(own, 'retail'), 'test');
  expect(report.revision).toBe(tauRevision);
  expect(report.rows.filter((row) => row.writeFails).map((row) => [row.index, row.errors])).toEqual([
    [
      3,
      [{ i: 0, name: 'exchange_delivered_order_items', result: 'Error: new item 30 not found or available' }],
    ],
  ]);
  expect(report.bad).toEqual([3]);
  expect(report.rows.filter((row) => row.handOffOnly).map((row) => row.index)).toEqual([1]);
  // Task 3 requires nothing only because its one write fails.
  expect(report.rows.filter((row) => row.nothingRequired).map((row) => row.index)).toEqual([3, 4]);
});

test.skipIf(!hasShared)(
  'P79: the list of known bad tasks is what the replay of the pinned data shows',
  () => {
    const all: [DomainName, Split][] = [
      ['retail', 'test'],
      ['retail', 'dev'],
      ['retail', 'train'],
      ['airline', 'test'],
    ];
    const found: Record<string, unknown> = {};
    for (const [name, split] of all) {
      const report = goldReport(loadTau(shared, name), split);
      expect(report.rows.length).toBeGreaterThan(0);
      expect(report.bad).toEqual(knownBadTasks[name][split] ?? []);
      const tally = (pick: (row: (typeof report.rows)[number]) => boolean) => report.rows.filter(pick).length;
      found[`${name} ${split}`] = {
        tasks: report.rows.length,
        withErrors: report.withErrors.length,
        bad: report.bad.length,
        handOffOnly: tally((row) => row.handOffOnly),
        nothingRequired: tally((row) => row.nothingRequired),
      };
    }
    console.log(found);
  },
);

test('pass^k is the mean chance that k trials of a task all pass', () => {
  const trials = [
    [true, true, false, false],
    [true, true, true, true],
  ];
  expect(passHatK(trials, 1)).toBeCloseTo(0.75);
  expect(passHatK(trials, 2)).toBeCloseTo((1 / 6 + 1) / 2);
  expect(passHatK(trials, 4)).toBeCloseTo(0.5);
  expect(() => passHatK(trials, 5)).toThrow(RangeError);
  expect(() => passHatK([], 1)).toThrow(RangeError);
});
