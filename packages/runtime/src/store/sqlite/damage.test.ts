import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkExport, writeExport } from '../../event/export.ts';
import { toPayload } from '../../event/text.ts';
import { verifyRun } from '../../event/verify.ts';
import type { RunEvent, Store } from '../../types.ts';
import { isStoreError } from '../error.ts';
import { noteBody, startSample, stepBody } from '../sample.ts';
import { connect } from './open.ts';
import { salvage } from './salvage.ts';
import { openSqliteStore, sqliteStore } from './store.ts';

let folder = '';
let file = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillstate-damage-'));
  file = join(folder, 'store.db');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Three runs, one after the other in the file, with snapshots and payloads. */
async function fill(steps: number): Promise<Map<string, RunEvent[]>> {
  const store = await openSqliteStore(file, { durability: 'process' });
  const kept = new Map<string, RunEvent[]>();
  for (const name of ['r1', 'r2', 'r3']) {
    const run = await startSample(store, name, { state: { n: 0 } });
    for (let n = 1; n <= steps; n++) {
      const payload = toPayload(Buffer.from(`${name} ${n} `.repeat(50)), 'text/plain');
      const body = { ...stepBody(n, [{ set: '/n', value: n }], 'look', `why ${n}`), patch: { n } };
      await run.append([{ ...body, turn: payload.ref } as never], {
        payloads: [payload],
        head: { step: n },
        snapshot: n % 20 === 0 ? { n } : null,
      });
    }
    kept.set(name, await all(store, name));
  }
  await store.close();
  return kept;
}

async function all(store: Store, run: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.events(run)) events.push(event);
  return events;
}

test('P25: an empty, a zero-filled and a foreign file are named as such and left alone', async () => {
  await fill(2);
  const { length } = readFileSync(file);
  const contents = [
    Buffer.alloc(0),
    Buffer.alloc(length),
    Buffer.alloc(4096),
    Buffer.from('this is no database\n'.repeat(300)),
  ];
  for (const content of contents) {
    writeFileSync(file, content);
    await expect(openSqliteStore(file)).rejects.toMatchObject({ code: 'store.corrupt', path: file });
    expect(readFileSync(file).equals(content)).toBe(true);
  }
  const other = join(folder, 'other.db');
  const db = new DatabaseSync(other);
  db.exec('CREATE TABLE t (a)');
  db.close();
  await expect(openSqliteStore(other)).rejects.toMatchObject({
    code: 'store.corrupt',
    hint: /another program/,
  });
});

test('P19: a file of a newer version is refused and not touched', async () => {
  await fill(2);
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const before = readFileSync(file);
  await expect(openSqliteStore(file)).rejects.toMatchObject({
    code: 'store.newer',
    hint: /version 99.*update/,
  });
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('P19, P21: an event of an unknown type or version stops the reading with its place named', async () => {
  await fill(5);
  const change = (sql: string): void => {
    const db = new DatabaseSync(file);
    db.exec(sql);
    db.close();
  };
  change(`UPDATE events SET body = '{"type":"UnknownV2"}' WHERE id = 4294967296 + 3`);
  const store = await openSqliteStore(file);
  await expect(all(store, 'r1')).rejects.toMatchObject({ code: 'store.newer', path: /run r1 \/events\/3/ });
  expect((await all(store, 'r2')).length).toBe(6);
  change('UPDATE events SET v = 7 WHERE id = 4294967296 + 3');
  await expect(all(store, 'r1')).rejects.toMatchObject({ code: 'store.newer', hint: /version 7/ });
  change(`UPDATE events SET v = 1, body = '{"type":' WHERE id = 4294967296 + 3`);
  await expect(all(store, 'r1')).rejects.toMatchObject({ code: 'store.corrupt' });
  await store.close();
});

test('P25: a damaged snapshot is passed over with a warning; an older one, or the log alone, stands in', async () => {
  await fill(45);
  const store = await openSqliteStore(file);
  const db = new DatabaseSync(file);
  db.exec(`UPDATE snapshots SET state = '{"n":999}' WHERE id = 4294967296 + 41`);
  const second = await store.load('r1');
  expect(second?.snapshot).toEqual({ seq: 21, state: { n: 20 } });
  expect(second?.warnings?.join()).toMatch(/snapshot 41 is damaged/);
  db.exec('UPDATE snapshots SET state = zeroblob(0) || char(0) WHERE id < 4294967296 * 2');
  const none = await store.load('r1');
  expect(none?.snapshot).toEqual({ seq: 0, state: {} });
  expect((await verifyRun(store, 'r1')).issues[0]?.code).toBe('store.corrupt');
  db.exec("UPDATE runs SET head = replace(head, 'running', 'Running') WHERE run = 'r1'");
  await expect(store.load('r1')).rejects.toMatchObject({ code: 'store.corrupt', path: /run r1 head/ });
  expect((await store.load('r2'))?.snapshot.seq).toBe(41);
  db.close();
  await store.close();
});

test('P78: an edited, removed or cut log is found in the store', async () => {
  await fill(12);
  const db = new DatabaseSync(file);
  const store = await openSqliteStore(file);
  const kept = (await verifyRun(store, 'r2')).head.hash;
  const fault = async (run: string, head?: string) =>
    (await verifyRun(store, run, { head })).issues.map((i) => [i.code, i.path]);
  db.exec(`UPDATE events SET body = replace(body, 'why 4', 'why 5') WHERE id = 4294967296 + 5`);
  expect(await fault('r1')).toEqual([['store.edited', '/events/5']]);
  db.exec('DELETE FROM events WHERE id = 4294967296 * 2 + 7');
  expect(await fault('r2')).toContainEqual(['store.removed', '/events/7']);
  db.exec('DELETE FROM events WHERE id > 4294967296 * 3 + 10');
  expect(await fault('r3')).toContainEqual(['store.truncated', '/events/11']);
  expect(await fault('r3', kept)).toContainEqual(['store.truncated', '/events/11']);
  db.exec('DELETE FROM payloads');
  expect((await fault('r1')).filter(([code]) => code === 'store.corrupt').length).toBe(12);
  db.close();
  await store.close();
});

test('a truncated file is refused; what is left of each run can be salvaged and exported', async () => {
  const kept = await fill(120);
  const { length } = readFileSync(file);
  truncateSync(file, Math.floor((length * 0.6) / 4096) * 4096);
  await expect(openSqliteStore(file)).rejects.toMatchObject({
    code: 'store.corrupt',
    hint: /cut off.*salvage/,
  });
  const { runs, close } = salvage(file);
  let events = 0;
  for (const run of runs) {
    const found = [...run.events()];
    const original = kept.get(run.run) ?? [];
    for (const event of found) expect(original[event.seq - 1]).toEqual(event);
    if (found.length < original.length) expect(run.problems.join()).toMatch(/event \d+/);
    const out = join(folder, `export-${run.run}`);
    const state = run.state?.state ?? null;
    await writeExport({ run: run.run, events: run.events(), state, payload: run.payload }, out);
    expect(existsSync(join(out, 'audit', 'events.jsonl'))).toBe(true);
    events += found.length;
  }
  expect(events).toBeGreaterThan(100);
  close();
});

test('a page of noise costs the rows on it and nothing else', async () => {
  const kept = await fill(60);
  const bytes = readFileSync(file);
  const place = bytes.indexOf('"reasoning":"why 30"');
  const start = Math.floor(place / 4096) * 4096;
  bytes.fill(0xa5, start, start + 4096);
  writeFileSync(file, bytes);
  const { runs, close } = salvage(file);
  const found = new Map([...runs].map((run) => [run.run, run]));
  close();
  const reopened = salvage(file);
  const counts = [...reopened.runs].map((run) => [...run.events()].length);
  reopened.close();
  expect(counts.filter((count) => count === 61).length).toBe(2);
  expect(Math.min(...counts)).toBeGreaterThan(45);
  const hurt = [...found.values()].filter((run) => run.problems.length > 0);
  expect(hurt.map((run) => run.problems.every((problem) => /^event \d+: /.test(problem)))).toEqual([true]);
  expect(hurt[0]?.state).toEqual({ seq: 61, state: { n: 60 } });
  const store = await openSqliteStore(file);
  const reports = await Promise.all([...kept.keys()].map((run) => verifyRun(store, run)));
  expect(reports.map((report) => report.ok).filter((ok) => !ok).length).toBe(1);
  await store.close();
});

test('a flipped bit is found, or it changed nothing that matters', async () => {
  const kept = await fill(40);
  const clean = readFileSync(file);
  let random = 20_261_130;
  const next = (below: number): number => {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    return random % below;
  };
  let found = 0;
  for (let i = 0; i < 60; i++) {
    const bytes = Buffer.from(clean);
    const at = next(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << next(8));
    writeFileSync(file, bytes);
    if (await survives(kept)) continue;
    found++;
  }
  expect(found).toBeGreaterThan(10);
});

/** True where everything reads as it was; false where the damage was reported; throws where it was passed over. */
async function survives(kept: Map<string, RunEvent[]>): Promise<boolean> {
  try {
    const store = await openSqliteStore(file);
    try {
      for (const [run, events] of kept) {
        const report = await verifyRun(store, run);
        if (!report.ok) return false;
        expect(await all(store, run)).toEqual(events);
        expect((await store.load(run))?.head.step).toBe(40);
      }
      return true;
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isStoreError(error)) throw error;
    expect(error.hint.length).toBeGreaterThan(10);
    return false;
  } finally {
    for (const end of ['-wal', '-shm']) await rm(file + end, { force: true });
  }
}

test('a full disk is a clear error, nothing is half-applied, and the run goes on once there is room', async () => {
  const conn = await connect(file, {});
  const store = sqliteStore(conn);
  const run = await startSample(store, 'r1');
  conn.db.exec('PRAGMA max_page_count = 60');
  const big = toPayload(Buffer.alloc(400_000, 'x'), 'text/plain');
  const commit = run.build([noteBody('big')], { payloads: [big], snapshot: {} });
  await expect(store.commit(run.lease, commit)).rejects.toMatchObject({
    code: 'store.full',
    hint: /free some space/,
  });
  expect((await store.load('r1'))?.head.seq).toBe(1);
  expect(await store.payload('r1', big.ref.handle)).toBe(null);
  conn.db.exec('PRAGMA max_page_count = 100000');
  await store.commit(run.lease, commit);
  expect((await verifyRun(store, 'r1')).issues).toEqual([]);
  await store.close();
});

/** A small file system of our own, where the tests may make one. */
function mountSmall(path: string, size: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a really full file system is the same', async ({ skip }) => {
  const disk = join(folder, 'disk');
  await mkdir(disk);
  if (!mountSmall(disk, '1m')) return skip('needs the right to mount');
  try {
    const path = join(disk, 'store.db');
    const store = await openSqliteStore(path);
    const run = await startSample(store, 'r1');
    let error: unknown = null;
    for (let i = 0; error === null && i < 500; i++)
      error = await run.append([noteBody('x'.repeat(5000))]).then(
        () => null,
        (reason: unknown) => reason,
      );
    expect(isStoreError(error) && error.code).toBe('store.full');
    const report = await verifyRun(store, 'r1');
    expect([report.issues, report.head.seq]).toEqual([[], run.head.seq]);
    await store.close();
    const full = join(disk, 'filler');
    try {
      writeFileSync(full, Buffer.alloc(2 ** 20));
    } catch {
      // the disk is full now
    }
    await expect(openSqliteStore(join(disk, 'new', 'store.db'))).rejects.toMatchObject({
      code: 'store.full',
    });
    expect(readdirSync(disk).filter((name) => name.endsWith('.new'))).toEqual([]);
  } finally {
    execFileSync('umount', ['-l', disk]);
  }
});

test('a read-only folder is a clear error, with a store in it and without', async ({ skip }) => {
  const disk = join(folder, 'disk');
  await mkdir(disk);
  await fill(2);
  const mounted = mountSmall(disk, '4m');
  if (!mounted && process.getuid?.() === 0) return skip('root needs the right to mount');
  try {
    const path = join(disk, 'store.db');
    copyFileSync(file, path);
    if (mounted) execFileSync('mount', ['-o', 'remount,ro', disk]);
    else {
      chmodSync(path, 0o444);
      chmodSync(disk, 0o555);
    }
    const refusal = { code: 'store.readonly', hint: /writ/ };
    await expect(openSqliteStore(join(disk, 'other.db'))).rejects.toMatchObject(refusal);
    await expect(openSqliteStore(path)).rejects.toMatchObject(refusal);
  } finally {
    if (mounted) execFileSync('umount', ['-l', disk]);
    else chmodSync(disk, 0o755);
  }
});

test('a path that cannot hold a store says so', async () => {
  writeFileSync(join(folder, 'plain'), 'x');
  const path = join(folder, 'plain', 'store.db');
  await expect(openSqliteStore(path)).rejects.toMatchObject({ code: 'store.unreachable', path });
  await expect(openSqliteStore(folder)).rejects.toMatchObject({ code: 'store.unreachable' });
});

test('an export of a whole run checks, and a changed one does not', async () => {
  await fill(5);
  const store = await openSqliteStore(file);
  const out = join(folder, 'out');
  const { exportRun } = await import('../../event/export.ts');
  const written = await exportRun(store, 'r2', out);
  expect(written).toEqual({ events: 6, payloads: 5, files: ['state.json', join('audit', 'events.jsonl')] });
  expect(readFileSync(join(out, 'state.json'), 'utf8')).toBe('{\n  "n": 5\n}\n');
  const { head } = await verifyRun(store, 'r2');
  await store.close();
  expect(await checkExport(out, { head: head.hash })).toEqual({
    ok: true,
    run: 'r2',
    events: 6,
    head,
    issues: [],
  });
  const log = join(out, 'audit', 'events.jsonl');
  const lines = readFileSync(log, 'utf8').split('\n');
  const codes = async () => (await checkExport(out, { head: head.hash })).issues.map((issue) => issue.code);
  writeFileSync(log, lines.toSpliced(3, 1).join('\n'));
  expect(await codes()).toContain('store.removed');
  writeFileSync(log, lines.join('\n').replace('why 3', 'why 4'));
  expect(await codes()).toEqual(['store.edited']);
  writeFileSync(log, `${lines.slice(0, 4).join('\n')}\n`);
  expect(await codes()).toEqual(['store.truncated', 'store.replay']);
  writeFileSync(log, lines.join('\n').slice(0, -20));
  expect(await codes()).toEqual(['store.corrupt']);
  writeFileSync(log, lines.join('\n'));
  writeFileSync(join(out, 'state.json'), '{"n":6}');
  expect(await codes()).toEqual(['store.replay']);
});

test('salvage comes to an end where neither the runs nor the end of any log can be read', async () => {
  await fill(5);
  const db = new DatabaseSync(file);
  const roots = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name IN ('runs', 'events')").all();
  db.close();
  const bytes = readFileSync(file);
  for (const { rootpage } of roots) bytes.fill(0xa5, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096);
  writeFileSync(file, bytes);
  const { runs, close } = salvage(file);
  expect([...runs]).toEqual([]);
  close();
});
