import assert from 'node:assert/strict';
import { toPayload } from '../../event/text.ts';
import { noteBody, startSample, stepBody } from '../sample.ts';
import { all, type Checks, refused, verified } from './check.ts';

export const CONTENT: Checks = {
  'P22: a NUL and the text \\u0000 are stored, found and given back as they were': async (store) => {
    const text = 'bin\u0000data and the literal text \\u0000';
    const run = await startSample(store, 'r1', { state: { out: text } });
    const payload = toPayload(new TextEncoder().encode(text), 'text/plain');
    await run.append([stepBody(1, [{ set: '/out', value: text }], 'look', text)], {
      payloads: [payload],
      snapshot: { out: text },
    });
    assert.deepEqual((await store.load('r1'))?.snapshot.state, { out: text });
    const [event] = await all(store, 'r1', { from: 2 });
    assert.ok(event?.type === 'step.accepted' && event.reasoning === text);
    for (const query of ['literal', '\\u0000', 'data and', text])
      assert.deepEqual((await store.search('r1', query, 5)).map((hit) => hit.seq).includes(2), true, query);
    assert.deepEqual(await store.payload('r1', payload.ref.handle), payload);
    await verified(store, 'r1');
  },
  'P23: a lone surrogate that slipped through changes no hash, now or after a reopen': async (
    store,
    { reopen },
  ) => {
    const run = await startSample(store, 'r1');
    await run.append([noteBody('price \ud83d end'), noteBody('🦊 \\ud83d')]);
    await verified(store, 'r1');
    const again = await reopen();
    await verified(again, 'r1');
    assert.equal((await store.search('r1', 'price', 3)).length, 1);
    await again.close();
  },
  'bytes of a payload come back whole, whatever they are': async (store) => {
    const run = await startSample(store, 'r1');
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256);
    const payloads = [
      toPayload(bytes, 'application/octet-stream'),
      toPayload(new Uint8Array(), 'text/plain'),
    ];
    await run.append([noteBody('two payloads')], { payloads });
    for (const payload of payloads) {
      const read = await store.payload('r1', payload.ref.handle);
      assert.ok(read !== null && read !== 'pruned');
      assert.deepEqual(read.ref, payload.ref);
      assert.ok(Buffer.from(read.bytes).equals(payload.bytes));
    }
    assert.equal(await store.payload('r1', 'p-0000000000000000'), null);
    await startSample(store, 'r2');
    assert.equal(await store.payload('r2', payloads[0]?.ref.handle ?? ''), null);
  },
  'a handle never changes its content': async (store) => {
    const run = await startSample(store, 'r1');
    const one = toPayload(Buffer.from('one'), 'text/plain');
    const two = toPayload(Buffer.from('two'), 'text/plain');
    await run.append([noteBody('one')], { payloads: [one] });
    await run.append([noteBody('one again')], { payloads: [one] });
    const forged = { ...two, ref: { ...two.ref, handle: one.ref.handle } };
    await refused('store.conflict', run.append([noteBody('forged')], { payloads: [forged] }));
    assert.equal((await store.load('r1'))?.head.seq, 3);
  },
  'keys and values of any kind survive': async (store) => {
    const state = JSON.parse(
      '{"__proto__":{"x":1},"":"","1":-0.5e-9,"é\\u2028":[[],{}],"2":9007199254740991}',
    );
    const run = await startSample(store, 'r1', { state });
    await run.append([{ type: 'state.set', who: 'a', delta: [{ set: '', value: state }], why: '' }]);
    const loaded = await store.load('r1');
    assert.equal(JSON.stringify(loaded?.snapshot.state), JSON.stringify(state));
    await verified(store, 'r1');
  },
};
