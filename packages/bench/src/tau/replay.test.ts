import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type ReplayReport, replayVectors } from './tau.ts';

const own = fileURLToPath(new URL('./fixtures/tau', import.meta.url));
const beside = fileURLToPath(new URL('../../../../../shared/vectors', import.meta.url));
const shared = process.env.SKILLSTATE_VECTORS ?? beside;
const hasShared = existsSync(join(shared, 'tau', 'vectors'));
if (!hasShared)
  console.warn(`skipped: no τ-bench vectors in ${shared} (set SKILLSTATE_VECTORS to their folder)`);

function counts(report: ReplayReport): Record<string, string> {
  const groups: Record<string, { agree: number; total: number }> = {};
  for (const { kind, domain, agree, total } of report.rows) {
    const sums = (groups[`${kind} ${domain}`] ??= { agree: 0, total: 0 });
    sums.agree += agree;
    sums.total += total;
  }
  return Object.fromEntries(Object.entries(groups).map(([key, n]) => [key, `${n.agree}/${n.total}`]));
}

test('every vector of our own small data agrees', () => {
  const report = replayVectors(own);
  expect(report.rows.flatMap((row) => row.differences)).toEqual([]);
  expect(counts(report)).toEqual({
    'call airline': '2/2',
    'call retail': '8/8',
    'value none': '11/11',
    'database retail': '4/4',
    'database airline': '4/4',
    'reward retail': '4/4',
    'reward airline': '1/1',
    'task airline': '1/1',
    'task retail': '6/6',
  });
});

test.skipIf(!hasShared)(
  'every shared vector agrees byte for byte',
  () => {
    const report = replayVectors(shared);
    console.log(counts(report));
    expect(report.rows.flatMap((row) => row.differences)).toEqual([]);
    for (const kind of ['call', 'value', 'database', 'names', 'task', 'reward'])
      expect(report.rows.filter((row) => row.kind === kind && row.total > 0).length).toBeGreaterThan(0);
    expect(report.total).toBeGreaterThan(5000);
    expect(report.agree).toBe(report.total);
  },
  300_000,
);

test('a wrong result, a wrong hash and another text of Python are told apart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tau-'));
  cpSync(own, folder, { recursive: true });
  const file = join(folder, 'vectors', 'calls_retail.jsonl');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const changed = lines
    .map((line) =>
      line.replace('"result": "ana_1"', '"result": "ana_2"').replace("argument: 'email'", 'argument: email'),
    )
    .map((line, i) => (i === 0 ? line.replace(/"data_hash": "../, '"data_hash": "zz') : line));
  writeFileSync(file, changed.join('\n'));
  const report = replayVectors(folder);
  rmSync(folder, { recursive: true });
  expect([report.total - report.agree, report.lenient, report.differ]).toEqual([3, 1, 2]);
  expect(
    report.rows.flatMap((row) => row.differences.map(({ id, field }) => `${id} ${field}`)).sort(),
  ).toEqual(['f1 data_hash', 'f6 result', 'f7 result']);
});

test('vectors without data beside them take it from the named folder, and say how to get it where it is not there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tau-'));
  cpSync(join(own, 'vectors'), folder, { recursive: true });
  expect(() => replayVectors(folder, { data: folder })).toThrow(
    /git clone https:\/\/github.com\/sierra-research\/tau-bench/,
  );
  expect(replayVectors(folder, { data: own }).differ).toBe(0);
  rmSync(folder, { recursive: true });
  expect(() => replayVectors(tmpdir())).toThrow(/no τ-bench vectors/);
});
