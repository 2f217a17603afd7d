import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toPayload } from '../../event/text.ts';
import type { EventBody } from '../../types.ts';
import { noteBody, startSample, stepBody } from '../sample.ts';
import { openSqliteStore } from './store.ts';

let folder = '';
let file = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillstate-growth-'));
  file = join(folder, 'store.db');
});
afterEach(() => rm(folder, { recursive: true }));

test('P28: disk grows with deltas, and not with steps × state; skill and payload are there once', async () => {
  const store = await openSqliteStore(file, { durability: 'process' });
  const skill = { name: 'big', instructions: 'i'.repeat(200_000) };
  const giant = toPayload(Buffer.alloc(2_000_000, 'lorem '), 'text/plain');
  for (const name of ['r1', 'r2']) {
    const run = await startSample(store, name, { skill, state: { notes: 'n'.repeat(20_000) } });
    for (let n = 1; n <= 300; n++) {
      const body = stepBody(n, [{ set: '/last', value: `${n}`.repeat(40) }]);
      const first = n === 1 ? { payloads: [giant] } : {};
      const snapshot = n % 10 === 0 ? { ...run.state, last: `${n}`.repeat(40) } : null;
      await run.append([{ ...body, reasoning: n === 1 ? giant.ref : '' } as EventBody], {
        ...first,
        snapshot,
      });
    }
  }
  await store.close();
  expect((await stat(file)).size).toBeLessThan(3_500_000);
});

test('P28: what was pruned is gone from the disk, index and all', async () => {
  const store = await openSqliteStore(file);
  const private_ = toPayload(Buffer.from('the zanzibar account '.repeat(5000)), 'text/plain');
  const run = await startSample(store, 'r1');
  await run.append([{ ...stepBody(1, []), reasoning: private_.ref } as EventBody], { payloads: [private_] });
  await run.append([noteBody('done')], { head: { status: 'finished' } });
  expect((await store.search('r1', 'zanzibar', 3)).length).toBe(1);
  const before = (await stat(file)).size + (await stat(`${file}-wal`)).size;
  expect((await store.prune('r1', 'payloads')).bytes).toBe(105_000);
  for (const path of [file, `${file}-wal`]) {
    const bytes = await readFile(path);
    expect(bytes.includes('zanzibar')).toBe(false);
    expect(bytes.includes('anziba')).toBe(false);
  }
  const db = new DatabaseSync(file);
  const index = db.prepare('SELECT total(length(block)) AS bytes FROM search_data').get();
  expect(Number(index?.['bytes'])).toBeLessThan(200);
  db.close();
  expect((await stat(file)).size + (await stat(`${file}-wal`)).size).toBeLessThan(before);
  await store.close();
});

test('the oldest, the newest and some snapshots between stay', async () => {
  const store = await openSqliteStore(file, { durability: 'process' });
  const run = await startSample(store, 'r1', { state: { n: 0 } });
  for (let n = 1; n <= 100; n++)
    await run.append([stepBody(n, [{ set: '/n', value: n }])], { snapshot: { n } });
  const kept: number[] = [];
  for (let seq = 101; seq > 0; ) {
    const { snapshot } = (await store.load('r1', seq)) ?? { snapshot: { seq: 0 } };
    if (snapshot.seq > 0) kept.push(snapshot.seq);
    seq = snapshot.seq - 1;
  }
  expect(kept).toEqual([101, 100, 97, 81, 65, 49, 33, 17, 1]);
  await store.close();
});
