import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { defineSkill, type SkillInput } from '../skill/define.ts';
import { verifyRun } from '../event/verify.ts';
import { currentDriver } from '../store/driver.ts';
import type { Lease, Model, Skill } from '../types.ts';
import { emptyUsage } from '../usage/usage.ts';
import { call, dying, eventsOf, FINISH, ok, playing, reply, tool, world } from './fixture.test.data.ts';
import { LEASE_MS } from './lease.ts';
import { createRuntime } from './runtime.ts';

function skill(more: Partial<SkillInput> = {}): Skill {
  return defineSkill({
    name: 'acts',
    description: 'Acts.',
    instructions: 'Act.',
    state: {
      type: 'object',
      properties: {
        n: { type: 'integer' },
        saved: { type: 'string', maxLength: 100, 'x-commit': 'success' },
      },
    },
    actions: { functions: ['charge', 'next'] },
    ...more,
  } as SkillInput);
}

test('a driver that was asked to stop before it began asks no model and runs no tool', async () => {
  const { model, prompts } = playing([]);
  const { runtime } = await world({ model });
  const report = await runtime.start(skill(), { run: 'r', signal: AbortSignal.abort() });
  expect([report.status, prompts.length]).toEqual(['running', 0]);
  expect((await runtime.resume('r')).status).toBe('finished');
});

test('an effect whose driver was stopped before the tool began did not happen, and is said so', async () => {
  const ran: string[] = [];
  const stop = new AbortController();
  const charge = tool('charge', () => ok(`${ran.push('charge')}`));
  const { model } = playing([reply({ n: 1 }, call('charge'))]);
  const listen = ({ kind }: { kind: string }): void => {
    if (kind === 'acting') stop.abort();
  };
  const { runtime, store } = await world({ model, tools: [charge], listen });
  const report = await runtime.start(skill(), { run: 'r', signal: stop.signal });
  expect([ran, report.unresolved]).toEqual([[], []]);
  expect((await eventsOf(store, 'r')).at(-1)).toMatchObject({ type: 'action.finished', status: 'error' });
});

test('a driver that slept past its lease runs no effect that another driver has settled', async () => {
  const ran: string[] = [];
  let now = Date.now();
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const charge = tool('charge', () => ok(`${ran.push('charge')}`));
  const { model } = playing([reply({ n: 1 }, call('charge'))]);
  const { store } = await world({ model });
  const late = createRuntime({
    store: {
      ...store,
      commit: async (lease, commit) => {
        await store.commit(lease, commit);
        if (commit.point !== 'accept') return;
        now += 3_600_000;
        await store.release(lease);
        await createRuntime({ store, model: playing([]).model, clock, tools: [charge] }).resume('r');
      },
    },
    model,
    clock,
    tools: [charge],
  });
  const report = await late.start(skill(), { run: 'r' });
  expect([report.status, report.letGo?.code, ran]).toEqual(['needs_attention', 'run.driven', []]);
});

test('an effect that was in flight when its tool went away is of unknown outcome, not an error', async () => {
  const ran: string[] = [];
  const charge = tool('charge', () => ok(`${ran.push('charge')}`), { idempotent: true });
  const { model } = playing([reply({ n: 1 }, call('charge'))]);
  const { store } = await world({ model });
  const killed = createRuntime({ store: dying(store, 'outcome'), model, tools: [charge] });
  await expect(killed.start(skill(), { run: 'r' })).rejects.toThrow('killed');
  const { model: later } = playing([reply({ n: 2 }, call('wait'))]);
  const report = await createRuntime({ store, model: later }).resume('r', { acceptSkillChange: true });
  expect([ran, report.unresolved.length]).toEqual([['charge'], 1]);
});

test('a field that waits for success is stored by `finish` too: nothing that was accepted vanishes', async () => {
  const { model } = playing([reply({ n: 1, saved: 'yes' }, FINISH)]);
  const { runtime } = await world({ model });
  const report = await runtime.start(skill(), { run: 'r' });
  expect([report.status, report.state]).toEqual(['finished', { n: 1, saved: 'yes' }]);
});

test('a state that changes only by fields that wait for success is progress', async () => {
  const next = tool('next', () => ok('ok'));
  const replies = Array.from({ length: 12 }, (_, i) => reply({ saved: `page ${i}` }, call('next')));
  const { model, prompts } = playing(replies);
  const { runtime } = await world({ model, tools: [next] });
  const report = await runtime.start(skill({ actions: { functions: ['next'] } }), { run: 'r' });
  expect(report.reason).not.toContain('did not change');
  expect(prompts.every((prompt) => !prompt.includes('no_progress'))).toBe(true);
});

test('a run that repeats itself stops however high the limit is', async () => {
  const next = tool('next', () => ok('ok'), { readOnly: true });
  const { model } = playing(Array.from({ length: 90 }, () => reply({}, call('next'))));
  const { runtime } = await world({ model, tools: [next] });
  const limits = { steps: null, noProgress: 40 };
  const report = await runtime.start(skill({ limits } as Partial<SkillInput>), { run: 'r' });
  expect([report.status, report.steps]).toEqual(['needs_attention', 80]);
});

test('a start that fails gives its lease back', async () => {
  const { model } = playing([]);
  const { store } = await world({ model });
  const none = createRuntime({ store, model, secrets: { SHORT: 'abc' } });
  await expect(none.start(skill(), { run: 'r' })).rejects.toThrow('SHORT');
  expect(await store.runs()).toEqual([]);
  const broken = { ...store, subjects: () => Promise.reject(new Error('no way in')) };
  await expect(createRuntime({ store: broken, model }).start(skill(), { run: 'r' })).rejects.toThrow(
    'no way',
  );
  expect(
    await createRuntime({ store, model })
      .resume('r')
      .catch((error: unknown) => error),
  ).toMatchObject({ status: 'finished' });
});

test('a driver that loses its lease while the model answers reports who drives the run now', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const asked = Promise.withResolvers<void>();
  const model: Model = {
    ...playing([]).model,
    ask: async ({ signal }) => {
      asked.resolve();
      await once(signal, 'abort');
      return {
        ok: false,
        issue: { code: 'model.aborted', path: '', hint: '' },
        temporary: true,
        usage: emptyUsage(),
        retries: [],
      };
    },
  };
  const { runtime, store } = await world({ model });
  const report = runtime.start(skill(), { run: 'r' });
  await asked.promise;
  const lease = (await store.runs())[0]?.lease as Lease;
  await store.release(lease);
  await store.claim('r', { ...currentDriver(), id: 'other', host: 'elsewhere', pid: 77 }, 60_000);
  vi.advanceTimersByTime(LEASE_MS / 3);
  expect(await report).toMatchObject({
    status: 'running',
    letGo: { code: 'run.driven', hint: expect.stringContaining('process 77 on elsewhere') },
  });
});

test('a driver that is stopped while the model answers keeps what the call used, answered or not', async () => {
  const used = { ...emptyUsage(), inputTokens: 700, source: 'provider' as const };
  for (const answered of [true, false]) {
    const stop = new AbortController();
    const asked = playing([]).model;
    const model: Model = {
      ...asked,
      ask: async (request) => {
        stop.abort();
        const said = await asked.ask({ ...request, signal: new AbortController().signal });
        const issue = { code: 'model.aborted', path: '', hint: 'cancelled' } as const;
        return answered
          ? { ...said, usage: used }
          : { ok: false, issue, temporary: true, usage: { ...used, unreported: 1 }, retries: [] };
      },
    };
    const { runtime, store } = await world({ model });
    const report = await runtime.start(skill(), { run: 'r', signal: stop.signal });
    expect(report).toMatchObject({ status: 'running', steps: 0, letGo: { code: 'run.let_go' } });
    expect(report.usage).toEqual(answered ? used : { ...used, unreported: 1 });
    expect((await eventsOf(store, 'r')).at(-1)).toMatchObject({ type: 'model.failed', usage: report.usage });
    expect((await verifyRun(store, 'r')).ok).toBe(true);
    const done = await createRuntime({ store, model: playing([]).model }).resume('r');
    expect([done.status, done.usage.inputTokens]).toEqual(['finished', 700]);
  }
});
