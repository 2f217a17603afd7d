import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifyRun } from '../../event/verify.ts';
import { noteBody, startSample } from '../sample.ts';
import { openSqliteStore } from './store.ts';

const WRITER = fileURLToPath(new URL('./writer.test.child.ts', import.meta.url));
let folder = '';
let file = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillstate-processes-'));
  file = join(folder, 'store.db');
});
afterEach(() => rm(folder, { recursive: true }));

function writer(run: string, count: number): ChildProcess {
  return spawn(process.execPath, [WRITER, file, run, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Kills the writer as soon as it has confirmed `after` commits; what it had confirmed until then. */
async function killAfter(child: ChildProcess, after: number): Promise<{ seq: number; step: number }> {
  let last = { seq: 0, step: 0 };
  let seen = 0;
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface(child.stdout)) {
    last = JSON.parse(line);
    if (++seen === after) child.kill('SIGKILL');
  }
  return last;
}

test('a writer killed at any moment loses no confirmed commit, and the next one takes over at once', async () => {
  let before = 0;
  for (const after of [1, 7, 2, 19, 11]) {
    const confirmed = await killAfter(writer('r1', 10_000), after);
    const store = await openSqliteStore(file);
    const loaded = await store.load('r1');
    expect(loaded?.head.step).toBeGreaterThanOrEqual(confirmed.step);
    // At most the one commit that was made but not yet reported.
    expect(loaded?.head.step).toBeLessThanOrEqual(confirmed.step + 1);
    expect(confirmed.step).toBeGreaterThanOrEqual(before + after);
    const report = await verifyRun(store, 'r1');
    expect(report.issues).toEqual([]);
    expect(report.payloads.present).toBe(loaded?.head.step);
    before = loaded?.head.step ?? 0;
    await store.close();
  }
});

test('P27: six processes write 200 events each while another holds the file for 7 s, and nothing is lost', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const store = await openSqliteStore(file);
  const holder = new DatabaseSync(file);
  holder.exec('BEGIN IMMEDIATE');
  const children = names.map((name) => writer(name, 200));
  for (const child of children) child.stdout?.resume();
  const exits = children.map((child) => once(child, 'exit'));
  await new Promise((resolve) => setTimeout(resolve, 7000));
  holder.exec('COMMIT');
  holder.close();
  expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  for (const name of names) {
    const report = await verifyRun(store, name);
    expect([report.events, report.issues]).toEqual([201, []]);
  }
  expect((await stat(`${file}-wal`)).size).toBeLessThan(16 * 2 ** 20);
  await store.close();
  await expect(stat(`${file}-wal`)).rejects.toThrow(/ENOENT/);
});

test('P27: waiting is bounded, the error is clean, and the same commit lands afterwards', async () => {
  const store = await openSqliteStore(file, { busyMs: 150 });
  const run = await startSample(store, 'r1');
  const holder = new DatabaseSync(file);
  holder.exec('BEGIN IMMEDIATE');
  let turns = 0;
  const ticking = setInterval(() => turns++, 5);
  const commit = run.build([noteBody('patience')]);
  await expect(store.commit(run.lease, commit)).rejects.toMatchObject({
    code: 'store.busy',
    hint: /try again/,
  });
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(1);
  expect((await store.load('r1'))?.head.seq).toBe(1);
  holder.exec('ROLLBACK');
  holder.close();
  await store.commit(run.lease, commit);
  expect((await verifyRun(store, 'r1')).events).toBe(2);
  await store.close();
});

test('many processes may create the same store at the same moment', async () => {
  const children = ['a', 'b', 'c', 'd'].map((name) => writer(name, 3));
  for (const child of children) child.stdout?.resume();
  const exits = await Promise.all(children.map((child) => once(child, 'exit')));
  expect(exits.map(([code]) => code)).toEqual([0, 0, 0, 0]);
  const store = await openSqliteStore(file);
  expect((await store.runs()).map((run) => run.head.step)).toEqual([3, 3, 3, 3]);
  await store.close();
});
