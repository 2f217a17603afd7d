import assert from 'node:assert/strict';
import type { Subject } from '../../types.ts';
import { currentDriver } from '../driver.ts';
import { noteBody, startSample, stepBody } from '../sample.ts';
import { all, type Checks, refused, verified } from './check.ts';

export const RUNS: Checks = {
  'a run that was created loads, after a reopen too': async (store, { reopen }) => {
    const run = await startSample(store, 'r1', { state: { task: 'x', list: [1, 'é', null] } });
    await run.append([stepBody(1, [{ set: '/task', value: 'y' }])]);
    const again = await reopen();
    const loaded = await again.load('r1');
    assert.deepEqual(loaded?.head, run.head);
    assert.deepEqual(loaded?.snapshot, { seq: 1, state: { task: 'x', list: [1, 'é', null] } });
    assert.equal((await all(again, 'r1')).length, 2);
    await verified(again, 'r1');
    await again.close();
  },
  'a run that does not exist is null, and a write to it is refused': async (store) => {
    assert.equal(await store.load('nobody'), null);
    assert.deepEqual(await all(store, 'nobody'), []);
    assert.deepEqual(await store.search('nobody', 'x', 5), []);
    await refused('store.missing', store.claim('nobody', currentDriver(), 1000));
    await refused(
      'store.missing',
      store.send('nobody', { at: 1, kind: 'message', from: 'a', body: { text: 'b' } }),
    );
  },
  'P32: a run id cannot be taken twice': async (store) => {
    await startSample(store, 'order-77');
    await refused('store.exists', startSample(store, 'order-77'));
    assert.equal((await all(store, 'order-77')).length, 1);
  },
  'a run may have any name': async (store) => {
    for (const name of ["o'brien", '数据', 'a/b ../c', '%_"; DROP TABLE runs', 'x'.repeat(500), '🦊']) {
      const run = await startSample(store, name);
      await run.append([noteBody('hello')]);
      assert.equal((await store.load(name))?.head.seq, 2);
      assert.equal((await store.search(name, 'hello', 5)).length, 1);
    }
    assert.equal((await store.runs()).length, 6);
  },
  'runs are listed with skill, times and lease': async (store) => {
    const run = await startSample(store, 'r1');
    await startSample(store, 'r2');
    await store.release(run.lease);
    const [first, second, ...rest] = await store.runs();
    assert.deepEqual([first?.head.run, second?.head.run, rest.length], ['r1', 'r2', 0]);
    assert.deepEqual([first?.skillName, first?.lease], ['sample', null]);
    assert.equal(second?.lease?.driver.pid, process.pid);
  },
  'subjects are written with their commit, one by one, and are gone with their run': async (
    store,
    { reopen },
  ) => {
    const subject: Subject = {
      name: 'saved',
      subject: 'x',
      call: 'c1',
      step: 1,
      seq: 2,
      path: '/x',
      checked: true,
      confirmed: null,
    };
    const run = await startSample(store, 'r1');
    await startSample(store, 'r2');
    await run.append([noteBody('a')], {
      subjects: [
        ['x', subject],
        ['y', subject],
      ],
    });
    await run.append([noteBody('b')], {
      subjects: [
        ['x', { ...subject, confirmed: 9 }],
        ['y', null],
      ],
    });
    await run.append([noteBody('done')], { head: { status: 'finished' } });
    const again = await reopen();
    assert.deepEqual([...(await again.subjects('r1'))], [['x', { ...subject, confirmed: 9 }]]);
    await again.close();
    assert.equal((await store.subjects('r2')).size, 0);
    assert.equal((await store.subjects('nobody')).size, 0);
    await store.prune('r1', 'run');
    await startSample(store, 'r1');
    assert.equal((await store.subjects('r1')).size, 0);
  },
  'documents are kept once per digest': async (store) => {
    await startSample(store, 'r1');
    await store.keep('d9', 'two', { deep: [{ a: null }] });
    await store.keep('d9', 'other', 'not this');
    assert.deepEqual(await store.document('d9'), { deep: [{ a: null }] });
    assert.equal(await store.document('unknown'), null);
  },
  'an older state is found by a snapshot before it and the events between': async (store) => {
    const run = await startSample(store, 'r1', { state: { n: 0 } });
    for (let n = 1; n <= 60; n++) {
      const snapshot = n % 2 === 0 ? { n } : null;
      await run.append([stepBody(n, [{ set: '/n', value: n }])], { snapshot });
    }
    for (const seq of [1, 2, 7, 30, 59, 61]) {
      const loaded = await store.load('r1', seq);
      assert.ok(loaded !== null && loaded.snapshot.seq <= seq);
      const tail = await all(store, 'r1', { from: loaded.snapshot.seq + 1, to: seq });
      const state = tail.reduce<unknown>(
        (n, event) => (event.type === 'step.accepted' ? event.step : n),
        loaded.snapshot.state['n'],
      );
      assert.equal(state, seq - 1);
    }
    assert.equal((await store.load('r1'))?.snapshot.seq, 61);
    await verified(store, 'r1');
  },
};
