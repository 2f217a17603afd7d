import assert from 'node:assert/strict';
import type { EventBody, EventQuery, RunEvent } from '../../types.ts';
import { noteBody, startSample, stepBody } from '../sample.ts';
import { all, type Checks, refused, verified } from './check.ts';

export const EVENTS: Checks = {
  'events come back as they were, in order, however many': async (store) => {
    const run = await startSample(store, 'r1');
    const written: RunEvent[] = [];
    for (let i = 0; i < 40; i++)
      written.push(...(await run.append(Array.from({ length: 10 }, (_, k) => noteBody(`n${i * 10 + k}`)))));
    const read = await all(store, 'r1', { from: 2 });
    assert.deepEqual(read, written);
    await verified(store, 'r1');
  },
  'events can be asked for by range, type, tool, time and number': async (store) => {
    let now = 1000;
    const run = await startSample(store, 'r1', { now: () => now });
    const tools = ['shell', 'look', 'shell', 'look'];
    for (const [i, tool] of tools.entries()) {
      now += 1000;
      await run.append([stepBody(i + 1, [], tool), noteBody('between')]);
    }
    const seqs = async (query: EventQuery) => (await all(store, 'r1', query)).map((event) => event.seq);
    assert.deepEqual(await seqs({ from: 3, to: 5 }), [3, 4, 5]);
    assert.deepEqual(await seqs({ types: ['step.accepted'] }), [2, 4, 6, 8]);
    assert.deepEqual(await seqs({ types: ['step.accepted', 'run.started'], limit: 2 }), [1, 2]);
    assert.deepEqual(await seqs({ tool: 'shell' }), [2, 6]);
    assert.deepEqual(await seqs({ since: 3000, until: 4000 }), [4, 5, 6, 7]);
    assert.deepEqual(await seqs({ types: [] }), []);
    assert.deepEqual(await seqs({ limit: 0 }), []);
    await startSample(store, 'r2');
    for (const from of [2 ** 32 + 1, 2 ** 33 + 1, 9e14])
      assert.deepEqual(await seqs({ from, to: from }), [], `${from} is no event of another run`);
    assert.deepEqual(await seqs({ from: 8, to: 2 ** 33 }), await seqs({ from: 8 }));
    const [middle] = await all(store, 'r1', { from: 4, limit: 1 });
    assert.equal(middle?.prev, (await all(store, 'r1', { from: 3, limit: 1 }))[0]?.hash);
  },
  'P53: events are ordered by seq, also when the clock goes back': async (store) => {
    const times = [5000, 5000, 5000, 9000, 2000, 4000];
    const run = await startSample(store, 'r1', { now: () => times.shift() ?? 1 });
    for (const why of ['one', 'two', 'three']) await run.append([noteBody(why)]);
    const events = await all(store, 'r1', { from: 2 });
    assert.deepEqual(
      events.map((event) => event.seq),
      [2, 3, 4],
    );
    await verified(store, 'r1');
  },
  'P78: what was called, with which arguments, what changed and what was refused can be asked': async (
    store,
  ) => {
    const run = await startSample(store, 'r1');
    const step = stepBody(1, [{ set: '/built', value: true }], 'shell') as EventBody & {
      type: 'step.accepted';
    };
    const shell = {
      ...step,
      action: { tool: 'shell', args: { command: 'rm -r build' } },
    };
    const issue = { code: 'overwrite.dropped', path: '/facts', hint: 'the patch drops 2 items' } as const;
    const { observation, notices, usage, promptBytes } = shell;
    const refusal: EventBody = {
      type: 'step.rejected',
      step: 2,
      attempt: 1,
      observation,
      notices,
      reply: '{"facts":[]}',
      issues: [issue],
      usage,
      promptBytes,
    };
    await run.append([shell, refusal, stepBody(2, [])]);
    const calls = await all(store, 'r1', { types: ['step.accepted'], tool: 'shell' });
    assert.deepEqual(
      calls.map((event) => event.type === 'step.accepted' && [event.action.args, event.delta]),
      [[{ command: 'rm -r build' }, [{ set: '/built', value: true }]]],
    );
    const [rejected] = await all(store, 'r1', { types: ['step.rejected'] });
    assert.ok(rejected?.type === 'step.rejected');
    assert.deepEqual([rejected.reply, rejected.issues], ['{"facts":[]}', [issue]]);
    assert.deepEqual(
      (await store.search('r1', 'rm -r', 5)).map((hit) => hit.seq),
      [2],
    );
  },
  'a commit without events may change the head': async (store) => {
    const run = await startSample(store, 'r1');
    await run.append([], { head: { reason: 'thinking' } });
    assert.equal((await store.load('r1'))?.head.reason, 'thinking');
  },
  'a commit that breaks the chain is a fault of the caller': async (store) => {
    const run = await startSample(store, 'r1');
    const good = run.build([noteBody('a'), noteBody('b')]);
    await assert.rejects(store.commit(run.lease, { ...good, events: good.events.toReversed() }), TypeError);
    await assert.rejects(store.commit(run.lease, { ...good, head: { ...good.head, seq: 9 } }), TypeError);
    assert.equal((await store.load('r1'))?.head.seq, 1);
  },
  'the inbox keeps order, and a commit consumes exactly what it says, once': async (store, { reopen }) => {
    const run = await startSample(store, 'r1');
    const sender = await reopen();
    const send = (text: string) => sender.send('r1', { at: 5, kind: 'message', from: 'ann', body: { text } });
    const ids = [await send('one'), await send('two'), await send('three')];
    const items = await store.inbox('r1', 2);
    assert.deepEqual(
      items.map((item) => item.body['text']),
      ['one', 'two'],
    );
    assert.deepEqual(items[0], { id: ids[0], at: 5, kind: 'message', from: 'ann', body: { text: 'one' } });
    await run.append([noteBody('got two')], { consumed: ids.slice(0, 2) });
    assert.deepEqual(
      (await store.inbox('r1', 9)).map((item) => item.body['text']),
      ['three'],
    );
    await refused('store.conflict', run.append([noteBody('again')], { consumed: ids.slice(0, 1) }));
    assert.equal((await store.load('r1'))?.head.seq, 2);
    assert.equal((await all(store, 'r1')).length, 2);
    assert.ok((await send('four')) > Math.max(...ids));
    await sender.send('r1', { at: 6, kind: 'cancel', from: 'ann', body: {} });
    assert.deepEqual(
      (await store.inbox('r1', 2)).map(({ kind }) => kind),
      ['cancel', 'message'],
    );
    await sender.close();
  },
};
