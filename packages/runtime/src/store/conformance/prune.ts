import assert from 'node:assert/strict';
import { toPayload } from '../../event/text.ts';
import { verifyRun } from '../../event/verify.ts';
import type { EventBody } from '../../types.ts';
import { noteBody, SAMPLE_SKILL, SAMPLE_TOOLS, type SampleRun, startSample, stepBody } from '../sample.ts';
import { type Checks, refused, verified } from './check.ts';

export const PRUNE: Checks = {
  'P28: pruned payloads leave tombstones, other runs keep theirs, and the log stays verifiable': async (
    store,
  ) => {
    const secret = toPayload(Buffer.from('customer zebra '.repeat(200)), 'text/plain');
    for (const name of ['r1', 'r2']) {
      const run = await startSample(store, name);
      await run.append([{ ...stepBody(1, []), reasoning: secret.ref } as EventBody], { payloads: [secret] });
      await run.append([noteBody('done')], { head: { status: 'finished' }, snapshot: {} });
    }
    assert.equal((await store.search('r1', 'zebra', 3)).length, 1);
    const pruned = await store.prune('r1', 'payloads');
    assert.deepEqual(pruned, { payloads: 1, bytes: secret.ref.bytes });
    assert.equal(await store.payload('r1', secret.ref.handle), 'pruned');
    assert.deepEqual(await store.search('r1', 'zebra', 3), []);
    assert.notEqual(await store.payload('r2', secret.ref.handle), 'pruned');
    assert.deepEqual(await store.prune('r1', 'payloads'), { payloads: 0, bytes: 0 });
    const report = await verifyRun(store, 'r1');
    assert.deepEqual([report.ok, report.payloads], [true, { present: 0, pruned: 1 }]);
    await verified(store, 'r2');
  },
  'P28: prune keeps what the head of an unfinished run still shows': async (store) => {
    const shown = toPayload(Buffer.from('shown'.repeat(500)), 'text/plain');
    const old = toPayload(Buffer.from('old'.repeat(500)), 'text/plain');
    const run = await startSample(store, 'r1');
    await run.append([noteBody('x')], {
      payloads: [shown, old],
      head: { facts: { handle: shown.ref.handle } },
    });
    assert.equal((await store.prune('r1', 'payloads')).payloads, 1);
    assert.equal(await store.payload('r1', old.ref.handle), 'pruned');
    assert.notEqual(await store.payload('r1', shown.ref.handle), 'pruned');
  },
  'P32: a removed run leaves nothing, removal can be repeated, and its id starts anew': async (store) => {
    const payload = toPayload(Buffer.from('result of the first'), 'text/plain');
    const run = await startSample(store, 'order-77', { state: { amount: 10 } });
    await store.send('order-77', { at: 1, kind: 'message', from: 'a', body: { text: 'b' } });
    await run.append([noteBody('first work')], { payloads: [payload], head: { status: 'finished' } });
    assert.equal((await store.search('order-77', 'first', 3)).length, 1);
    assert.equal((await store.prune('order-77', 'run')).payloads, 1);
    assert.deepEqual(await store.prune('order-77', 'run'), { payloads: 0, bytes: 0 });
    assert.equal(await store.load('order-77'), null);
    assert.deepEqual(await store.runs(), []);
    await refused('store.missing', run.append([noteBody('ghost')]));
    await startSample(store, 'order-77', { state: { amount: 20 } });
    assert.deepEqual((await store.load('order-77'))?.snapshot, { seq: 1, state: { amount: 20 } });
    assert.deepEqual(await store.inbox('order-77', 9), []);
    assert.equal(await store.payload('order-77', payload.ref.handle), null);
    assert.deepEqual(await store.search('order-77', 'first', 3), []);
    await refused(
      'store.fenced',
      store.renew(run.lease, 1000).then(() => store.commit(run.lease, run.build([]))),
    );
  },
  'a removed run takes its skill and tools along, unless another run is or was bound to them': async (
    store,
  ) => {
    const end = async (run: SampleRun): Promise<void> => {
      await run.append([noteBody('done')], { head: { status: 'finished' } });
      await store.release(run.lease);
    };
    await end(await startSample(store, 'r1'));
    const other = await startSample(store, 'r2');
    await store.keep('c'.repeat(64), 'next', { name: 'next' });
    const [from, to] = [
      { skill: SAMPLE_SKILL, tools: SAMPLE_TOOLS },
      { skill: 'c'.repeat(64), tools: SAMPLE_TOOLS },
    ];
    await other.append([{ type: 'skill.changed', from, to, changes: [], delta: [] }], { head: to });
    await end(other);
    await store.keep('d'.repeat(64), 'nobody', {});
    await store.prune('r1', 'run');
    const kept = async (): Promise<boolean[]> =>
      Promise.all(
        [SAMPLE_SKILL, SAMPLE_TOOLS, 'c'.repeat(64), 'd'.repeat(64)].map(
          async (digest) => (await store.document(digest)) !== null,
        ),
      );
    assert.deepEqual(await kept(), [true, true, true, false]);
    await verified(store, 'r2');
    await store.prune('r2', 'run');
    assert.deepEqual(await kept(), [false, false, false, false]);
  },
  'documents stay while a run is driven': async (store) => {
    const done = await startSample(store, 'r1');
    await done.append([noteBody('done')], { head: { status: 'finished' } });
    await startSample(store, 'r2');
    await store.keep('d'.repeat(64), 'about to be used', {});
    await store.prune('r1', 'run');
    assert.notEqual(await store.document('d'.repeat(64)), null);
  },
  'a run that still goes is not removed': async (store) => {
    await startSample(store, 'r1');
    await refused('store.unfinished', store.prune('r1', 'run'));
    assert.equal((await store.runs()).length, 1);
  },
};
