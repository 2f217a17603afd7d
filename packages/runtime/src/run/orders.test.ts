import { expect, test } from 'vitest';
import { actionHash } from '../action/intent.ts';
import { defineSkill } from '../skill/define.ts';
import type { JsonObject, Tool } from '../types.ts';
import { call, dying, eventsOf, ok, playing, reply, tool, world } from './fixture.test.data.ts';
import { createRuntime } from './runtime.ts';

const SKILL = defineSkill({
  name: 'orders',
  description: 'Asks first.',
  instructions: 'Ask.',
  state: {
    type: 'object',
    properties: {
      n: { type: 'integer' },
      who: { type: 'string', maxLength: 100, 'x-owner': 'user' },
    },
  },
  actions: { functions: ['wipe', 'charge'] },
  approvals: { tools: ['wipe'], destructive: false, expireMs: null },
});
const WIPE = call('wipe');
const HASH = { hash: actionHash(WIPE), why: '' };

function counted(): { ran: string[]; tools: Tool[] } {
  const ran: string[] = [];
  const one = (name: string, more = {}): Tool => tool(name, () => ok(`${ran.push(name)}`), more);
  return { ran, tools: [one('wipe', { idempotent: true }), one('charge')] };
}

test('a denied call does not run after a kill at any commit of the denial', async () => {
  for (const nth of [1, 2, 3]) {
    const { ran, tools } = counted();
    const { model } = playing([reply({ n: 1 }, WIPE), reply({ n: 2 }, call('wait'))]);
    const { runtime, store } = await world({ model, tools });
    await runtime.start(SKILL, { run: 'r' });
    await runtime.order('r', 'deny', 'bob', HASH);
    const killed = createRuntime({ store: dying(store, 'outcome', nth), model, tools });
    await killed.resume('r').catch(() => undefined);
    await createRuntime({ store, model: playing([reply({ n: 2 }, call('wait'))]).model, tools }).resume('r');
    expect(ran).toEqual([]);
  }
});

test('what is ordered behind a cancel changes nothing; a pause holds whatever is approved behind it', async () => {
  for (const [kind, status] of [
    ['cancel', 'cancelled'],
    ['pause', 'needs_attention'],
  ] as const) {
    const { ran, tools } = counted();
    const { model } = playing([reply({ n: 1 }, WIPE), reply({ n: 2 }, call('wait'))]);
    const { runtime, store } = await world({ model, tools });
    await runtime.start(SKILL, { run: 'r' });
    await runtime.order('r', kind, 'bob', { why: '' });
    await runtime.order('r', 'approve', 'ann', HASH);
    expect(await runtime.obey('r')).toBe(true);
    expect([(await runtime.report('r')).status, ran]).toEqual([status, []]);
    if (kind === 'cancel') expect((await eventsOf(store, 'r')).at(-1)?.type).toBe('run.stopped');
    else expect([(await runtime.resume('r')).status, ran]).toEqual(['waiting', ['wipe']]);
  }
});

test('an order is carried out however many messages wait before it', async () => {
  const { ran, tools } = counted();
  const { model } = playing([reply({ n: 1 }, WIPE)]);
  const { runtime } = await world({ model, tools });
  await runtime.start(SKILL, { run: 'r' });
  for (let i = 0; i < 220; i++) await runtime.send('r', `noise ${i}`, 'alerts');
  await runtime.order('r', 'approve', 'ann', HASH);
  expect([(await runtime.resume('r')).status, ran]).toEqual(['finished', ['wipe']]);
});

test('an order holds no secret in state or log, and one of a wrong shape is refused and stops nothing', async () => {
  const secrets = { TOKEN: 'sk-test-secret' };
  const { tools } = counted();
  const { model } = playing([reply({ n: 1 }, call('wait'))]);
  const { runtime, store } = await world({ model, tools, secrets });
  await runtime.start(SKILL, { run: 'r' });
  await runtime.order('r', 'set', 'ann', { patch: { who: 'use sk-test-secret' }, why: 'as sk-test-secret' });
  for (const patch of [null, 'x', [1], 7])
    await runtime.order('r', 'set', 'ann', { patch, why: '' } as JsonObject);
  expect(await runtime.obey('r')).toBe(true);
  expect((await runtime.report('r')).state).toMatchObject({ who: 'use [secret:TOKEN]' });
  expect(JSON.stringify(await eventsOf(store, 'r'))).not.toContain('sk-test-secret');
});

test('a call that was in flight when a run is cancelled stays in the report as of unknown outcome', async () => {
  const { ran, tools } = counted();
  const { model } = playing([reply({ n: 1 }, call('charge'))]);
  const { runtime, store } = await world({ model, tools });
  const killed = createRuntime({ store: dying(store, 'outcome'), model, tools });
  await expect(killed.start(SKILL, { run: 'r' })).rejects.toThrow('killed');
  await runtime.order('r', 'cancel', 'bob', { why: '' });
  await runtime.obey('r');
  const report = await runtime.report('r');
  expect([report.status, ran]).toEqual(['cancelled', ['charge']]);
  expect(report.unresolved).toMatchObject([{ call: 'c1', unknown: true }]);
});
