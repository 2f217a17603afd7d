import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { currentDriver } from '../driver.ts';
import { noteBody, sampleRun, startSample, stepBody } from '../sample.ts';
import { all, type Checks, refused, verified } from './check.ts';

export const DRIVERS: Checks = {
  'P33: of two drivers that want a run, one gets it, and the other learns who has it': async (
    store,
    { reopen },
  ) => {
    const run = await startSample(store, 'r1');
    await store.release(run.lease);
    const other = await reopen();
    const drivers = [currentDriver(), currentDriver()] as const;
    const claims = await Promise.all([
      store.claim('r1', drivers[0], 60_000),
      other.claim('r1', drivers[1], 60_000),
    ]);
    assert.deepEqual(
      claims.map((claim) => Number(claim.ok)).toSorted((a, b) => a - b),
      [0, 1],
    );
    const [winner, loser] = claims[0].ok ? [0, 1] : [1, 0];
    const lost = claims[loser];
    assert.ok(lost !== undefined && !lost.ok);
    assert.equal(lost.holder.driver.id, drivers[winner]?.id);
    await other.close();
  },
  'P34: an expired driver is fenced: its late commit and renewal are refused, the new one goes on': async (
    store,
  ) => {
    const late = await startSample(store, 'r1', { ttlMs: -1 });
    const claim = await store.claim('r1', currentDriver(), 60_000);
    assert.ok(claim.ok && claim.lease.token > late.lease.token);
    await refused('store.fenced', late.append([noteBody('too late')]));
    await refused('store.fenced', store.renew(late.lease, 1000));
    await store.release(late.lease);
    const next = sampleRun(store, claim.lease, late.head, {});
    await next.append([noteBody('in time')]);
    assert.equal((await store.load('r1'))?.head.seq, 2);
    await verified(store, 'r1');
  },
  'P34: a driver that gave its lease back is fenced too': async (store) => {
    const run = await startSample(store, 'r1');
    await store.release(run.lease);
    await refused('store.fenced', run.append([noteBody('after the end')]));
    await refused('store.fenced', store.renew(run.lease, 1000));
  },
  'a renewed lease keeps others away': async (store) => {
    const run = await startSample(store, 'r1', { ttlMs: -1 });
    const lease = await store.renew(run.lease, 60_000);
    assert.equal(lease.token, run.lease.token);
    assert.equal((await store.claim('r1', currentDriver(), 1000)).ok, false);
  },
  'a dead local driver is taken over at once, and so is one whose pid has a new owner': async (store) => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const me = currentDriver();
    const dead = [{ ...me, id: 'gone', pid }];
    if (me.startedAt !== 0) dead.push({ ...me, id: 'recycled', startedAt: me.startedAt + 1 });
    for (const driver of dead) {
      await startSample(store, driver.id, { driver });
      assert.equal((await store.claim(driver.id, currentDriver(), 1000)).ok, true, driver.id);
    }
  },
  'a driver elsewhere, or before a restart of the machine, is only taken over at expiry': async (store) => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const me = currentDriver();
    for (const driver of [
      { ...me, id: 'host', host: 'elsewhere', pid },
      { ...me, id: 'boot', boot: 'before', pid },
    ]) {
      const run = await startSample(store, driver.id, { driver });
      assert.equal((await store.claim(driver.id, currentDriver(), 1000)).ok, false);
      await store.renew(run.lease, -1);
      assert.equal((await store.claim(driver.id, currentDriver(), 1000)).ok, true);
    }
  },
  'P36: a commit on an old version is refused whole, and lands after a fresh load': async (store) => {
    const run = await startSample(store, 'r1', { state: {} });
    const stale = run.build([stepBody(1, [{ set: '/b', value: 'runB' }])], { snapshot: { b: 'runB' } });
    await run.append([stepBody(1, [{ set: '/a', value: 'runA' }])]);
    await refused('store.conflict', store.commit(run.lease, stale));
    assert.equal((await all(store, 'r1')).length, 2);
    assert.equal((await store.load('r1'))?.snapshot.seq, 1);
    await run.append([stepBody(2, [{ set: '/b', value: 'runB' }])]);
    assert.deepEqual(run.state, { a: 'runA', b: 'runB' });
    await verified(store, 'r1');
  },
  'P20: of commits made at the same time on one version exactly one lands': async (store, { reopen }) => {
    const run = await startSample(store, 'r1');
    const other = await reopen();
    const commits = ['a', 'b', 'c'].map((name) => run.build([stepBody(1, [{ set: `/${name}`, value: 1 }])]));
    const done = await Promise.allSettled(
      commits.map((commit, i) => (i === 1 ? other : store).commit(run.lease, commit)),
    );
    assert.equal(done.filter((each) => each.status === 'fulfilled').length, 1);
    for (const each of done) if (each.status === 'rejected') assert.equal(each.reason.code, 'store.conflict');
    assert.equal((await all(store, 'r1')).length, 2);
    await verified(other, 'r1');
    await other.close();
  },
};
