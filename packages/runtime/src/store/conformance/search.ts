import assert from 'node:assert/strict';
import { toPayload } from '../../event/text.ts';
import type { EventBody, EventQuery } from '../../types.ts';
import { noteBody, startSample, stepBody } from '../sample.ts';
import { type Checks } from './check.ts';

export const SEARCH: Checks = {
  'P73: any text is a valid query and finds the event that holds it': async (store) => {
    const run = await startSample(store, 'r1');
    const queries = [
      'src/auth.rs',
      "don't",
      'data-api',
      'v2.1',
      'foo:bar',
      '"unclosed',
      'NOT',
      'a AND',
      '*',
      '(',
      '^x',
    ];
    for (const query of queries) await run.append([noteBody(`before ${query} after`)]);
    for (const [i, query] of queries.entries()) {
      const hits = await store.search('r1', query, 50);
      assert.ok(
        hits.some((hit) => hit.seq === i + 2),
        query,
      );
    }
    for (const blank of ['', '   ', '\n\u0000']) assert.deepEqual(await store.search('r1', blank, 5), []);
    for (const odd of ['\ud83d', 'x'.repeat(100_000), '" OR 1=1 --', 'a '.repeat(5000)])
      await store.search('r1', odd, 5);
    assert.deepEqual(await store.search('r1', 'nowhere to be found', 5), []);
  },
  'P73: filters hold in searches': async (store) => {
    let now = 1000;
    const run = await startSample(store, 'r1', { now: () => now });
    await startSample(store, 'r2').then((other) => other.append([noteBody('the needle elsewhere')]));
    for (const tool of ['shell', 'look']) {
      now += 1000;
      await run.append([stepBody(1, [], tool, 'a needle'), noteBody('needle')]);
    }
    const find = async (within: EventQuery, text = 'needle') =>
      (await store.search('r1', text, 9, within)).map((hit) => hit.seq).toSorted((a, b) => a - b);
    assert.deepEqual(await find({}), [2, 3, 4, 5]);
    assert.deepEqual(await find({ types: ['state.set'] }), [3, 5]);
    assert.deepEqual(await find({ tool: 'look' }), [4]);
    assert.deepEqual(await find({ until: 2000 }), [2, 3]);
    assert.deepEqual(await find({ from: 3, to: 4 }), [3, 4]);
    assert.deepEqual(await find({ from: 3, to: 4 }, 'ne'), [3, 4]);
    assert.equal((await store.search('r1', 'needle', 2)).length, 2);
    assert.equal((await store.search('r1', 'ne', 2)).length, 2);
  },
  'search knows every language, short words, any case, and what was appended since': async (store) => {
    const run = await startSample(store, 'r1');
    await run.append([
      noteBody('给订单列表增加 CSV 导出'),
      noteBody('Příliš žluťoučký kůň'),
      noteBody('заказ 42 é'),
    ]);
    const find = async (text: string) => (await store.search('r1', text, 9)).map((hit) => hit.seq);
    for (const [text, seq] of [
      ['订单列表', 2],
      ['导出', 2],
      ['单', 2],
      ['csv', 2],
      ['ŽLUŤOUČKÝ', 3],
      ['ЗАКАЗ', 4],
      ['42', 4],
    ] as const)
      assert.deepEqual(await find(text), [seq], text);
    await run.append([noteBody('订单列表 again')]);
    assert.deepEqual(
      (await find('订单列表')).toSorted((a, b) => a - b),
      [2, 5],
    );
    assert.deepEqual(await find('again 订单'), [5]);
  },
  'search looks into text payloads and names the handle': async (store) => {
    const run = await startSample(store, 'r1');
    const long = toPayload(Buffer.from(`${'filler '.repeat(500)} the zebra stands here`), 'text/plain');
    const body: EventBody = {
      type: 'action.finished',
      step: 1,
      call: 'c1',
      tool: 'look',
      endedAt: 1,
      effect: false,
      status: 'ok',
      result: long.ref,
      structured: null,
      delta: [],
      durationMs: 1,
      note: '',
    };
    await run.append([body], { payloads: [long] });
    const [hit] = await store.search('r1', 'zebra', 3);
    assert.deepEqual([hit?.seq, hit?.handle], [2, long.ref.handle]);
    assert.match(hit?.excerpt ?? '', /the zebra stands here/);
    assert.equal((await store.search('r1', 'look', 3))[0]?.handle, null);
  },
};
