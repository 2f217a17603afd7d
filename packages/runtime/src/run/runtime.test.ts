import { expect, test } from 'vitest';
import { verifyRun } from '../event/verify.ts';
import { defineSkill, type SkillInput } from '../skill/define.ts';
import type { Skill } from '../types.ts';
import { call, eventsOf, FINISH, ok, playing, reply, tool, world } from './fixture.test.data.ts';
import { promptAt, promptNext, stateAt } from './prompt-of.ts';
import { createRuntime } from './runtime.ts';

function skill(more: Partial<SkillInput> = {}): Skill {
  return defineSkill({
    name: 'test-skill',
    description: 'A skill for tests.',
    instructions: 'Do what the test says.',
    state: {
      type: 'object',
      required: ['task', 'facts'],
      properties: {
        task: { type: 'string', maxLength: 400 },
        count: { type: 'integer' },
        facts: { type: 'array', items: { type: 'string', maxLength: 200 }, maxItems: 40, 'x-merge': 'union' },
        saved: { type: 'string', maxLength: 100, 'x-commit': 'success' },
        who: { type: 'string', maxLength: 100, 'x-owner': 'user' },
      },
    },
    initial: { task: '', facts: [] },
    actions: { functions: ['look', 'send', 'slow'] },
    ...more,
  } as SkillInput);
}

const look = tool('look', ({ args }) => ok(`seen ${JSON.stringify(args)}`), {
  readOnly: true,
  idempotent: true,
});
const send = tool('send', () => ok('sent'));

test('no_history_leak: nothing of earlier steps stands in a prompt but the state and the last action', async () => {
  const marked = (step: number): string =>
    reply({ count: step }, call('look', { q: `ARG-${step}` }), `REASONING-${step}`);
  const { model, prompts } = playing([marked(1), marked(2), 'PROSE-ONLY-3', marked(3), marked(4)]);
  const echo = tool('look', ({ args }) => ok(`RESULT-${String(args['q'])}`), { readOnly: true });
  const { runtime } = await world({ model, tools: [echo] });
  await runtime.start(skill(), { run: 'r', input: 'MESSAGE-1' });
  expect(prompts).toHaveLength(6);
  const [first, second, third, retry, , last] = prompts as [string, string, string, string, string, string];
  expect(first).toContain('MESSAGE-1');
  for (const later of [second, third, retry, last]) {
    expect(later).not.toContain('MESSAGE-1');
    expect(later).not.toContain('REASONING-');
  }
  expect(third).toContain('RESULT-ARG-2');
  expect(third).not.toContain('ARG-1');
  expect(retry).toContain('RESULT-ARG-2');
  expect(retry).toContain('syntax.');
  expect(retry).not.toContain('PROSE-ONLY-3');
  expect(last).not.toMatch(/ARG-[123]|PROSE-ONLY/);
});

test('no_history_leak holds after a resume by another process', async () => {
  const one = playing([
    reply({ count: 1 }, call('look', { q: 'ARG-1' }), 'REASONING-1'),
    reply({ count: 2 }, call('wait'), 'REASONING-2'),
  ]);
  const { runtime, store } = await world({ model: one.model, tools: [look] });
  await runtime.start(skill(), { run: 'r', input: 'MESSAGE-1' });
  const two = playing([]);
  const again = createRuntime({ store, model: two.model, tools: [look] });
  await again.send('r', 'MESSAGE-2');
  expect((await again.resume('r')).status).toBe('finished');
  expect(two.prompts[0]).toContain('MESSAGE-2');
  expect(two.prompts[0]).not.toMatch(/ARG-1|REASONING|MESSAGE-1/);
});

test('invalid_patch_rollback: a rejected reply changes no state, runs nothing, and is recorded with every issue', async () => {
  const calls: string[] = [];
  const counting = tool('send', () => {
    calls.push('send');
    return ok('sent');
  });
  const bad = reply({ taks: 'x', count: 'many' }, call('send', {}));
  const { model, prompts } = playing([bad, reply({ task: 'x' }, FINISH)]);
  const { runtime, store } = await world({ model, tools: [counting] });
  const report = await runtime.start(skill(), { run: 'r' });
  expect(calls).toEqual([]);
  expect(report.state).toEqual({ task: 'x', facts: [] });
  const events = await eventsOf(store, 'r');
  const rejected = events.find((event) => event.type === 'step.rejected');
  expect(rejected?.type === 'step.rejected' && rejected.issues.map((issue) => issue.path).sort()).toEqual([
    '/count',
    '/taks',
  ]);
  expect(prompts[1]).toContain('did you mean');
});

test('resume_round_trip: a run that stopped goes on with the same state, step count and usage', async () => {
  const one = playing([
    reply({ task: 'a', facts: ['f1'] }, call('send', {})),
    reply({ facts: ['f2'] }, call('wait')),
  ]);
  const { runtime, store } = await world({ model: one.model, tools: [send] });
  const waiting = await runtime.start(skill(), { run: 'r' });
  expect([waiting.status, waiting.steps]).toEqual(['waiting', 2]);
  const idle = await createRuntime({ store, model: playing([]).model, tools: [send] }).resume('r');
  expect([idle.status, idle.steps]).toEqual(['waiting', 2]);
  await runtime.send('r', 'go on');
  const done = await createRuntime({ store, model: playing([]).model, tools: [send] }).resume('r');
  expect([done.status, done.steps, done.state]).toEqual(['finished', 3, { task: 'a', facts: ['f1', 'f2'] }]);
  expect((await verifyRun(store, 'r')).ok).toBe(true);
});

test('bounded_prompt_growth: the prompt of step 120 is as large as that of step 3', async () => {
  const replies = Array.from({ length: 120 }, (_, index) =>
    reply({ count: 100 + index }, call('look', { q: 100 + index }), 'thought '.repeat(50)),
  );
  const { model, prompts } = playing(replies);
  const { runtime } = await world({ model, tools: [look] });
  const report = await runtime.start(skill(), { run: 'r', input: 'begin' });
  expect(report.status).toBe('finished');
  const sizes = prompts.slice(2, 120).map((prompt) => prompt.length);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(40);
});

test('the prompt of any step can be rebuilt from the log, byte for byte', async () => {
  const { model, prompts } = playing([
    reply({ task: 'x'.repeat(50) }, call('look', { q: 'long' })),
    reply({ nope: 1 }, call('look', {})),
    reply({ count: 2 }, call('look', { q: 2 })),
  ]);
  const long = tool('look', () => ok('line\n'.repeat(6000)), { readOnly: true });
  const { runtime, store } = await world({ model, tools: [long] });
  await runtime.start(skill(), { run: 'r', input: 'begin' });
  expect(await promptAt(store, 'r', 1)).toBe(prompts[0]);
  expect(await promptAt(store, 'r', 2)).toBe(prompts[2]);
  expect(await promptAt(store, 'r', 3)).toBe(prompts[3]);
  expect(await stateAt(store, 'r', 0)).toEqual({ task: '', facts: [] });
  expect(await stateAt(store, 'r', 2)).toEqual({ task: 'x'.repeat(50), facts: [], count: 2 });
  expect(await promptNext(store, 'r')).toContain('## State');
});

test('the cap on rejected replies stops the run for a person; nothing is accepted because tries ran out (P18)', async () => {
  const { model } = playing(['prose', 'prose', 'prose', 'prose', reply({ task: 'filler' }, FINISH)]);
  const { runtime, store } = await world({ model, tools: [] });
  const report = await runtime.start(skill(), { run: 'r' });
  expect([report.status, report.steps, report.state['task']]).toEqual(['needs_attention', 0, '']);
  const stopped = (await eventsOf(store, 'r')).at(-1);
  expect(stopped?.type === 'run.stopped' && stopped.code).toBe('run.rejections');
  const done = await createRuntime({ store, model: playing([reply({ task: 't' }, FINISH)]).model }).resume(
    'r',
  );
  expect(done.status).toBe('finished');
});

test('P50: a useless action that repeats is warned about once and then stops the run', async () => {
  const same = reply({}, call('look', { a: 1, b: 2 }));
  const swapped = reply({}, call('look', { b: 2, a: 1 }));
  const { model, prompts } = playing(
    Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? same : swapped)),
  );
  const empty = tool('look', () => ok(''), { readOnly: true });
  const { runtime } = await world({ model, tools: [empty] });
  const report = await runtime.start(skill(), { run: 'r' });
  expect(report.status).toBe('needs_attention');
  expect(report.reason).toContain('did not change');
  expect(prompts.filter((prompt) => prompt.includes('Do something else'))).toHaveLength(1);
  expect(prompts.length).toBeLessThan(8);
});

test('P50: two actions in alternation are the same loop', async () => {
  const { model, prompts } = playing(
    Array.from({ length: 40 }, (_, index) => reply({}, call('look', { q: index % 2 }))),
  );
  const { runtime } = await world({ model, tools: [look] });
  expect((await runtime.start(skill(), { run: 'r' })).status).toBe('needs_attention');
  expect(prompts.length).toBeLessThan(14);
});

test('a field that waits for success is pending until the action succeeds and dropped where it fails', async () => {
  let fail = true;
  const flaky = tool('send', () => (fail ? { status: 'error' as const, text: 'refused' } : ok('sent')));
  const { model, prompts } = playing([
    reply({ saved: 'one' }, call('send', { n: 1 })),
    () => {
      fail = false;
      return reply({ saved: 'two' }, call('send', { n: 2 }));
    },
  ]);
  const { runtime } = await world({ model, tools: [flaky] });
  const report = await runtime.start(skill(), { run: 'r' });
  expect(prompts[1]).toContain('saved: not stored');
  expect(report.state['saved']).toBe('two');
});

test('P29, P30: an effect whose outcome is unknown is not repeated, not forgotten, and ends for a person', async () => {
  let effects = 0;
  const lost = tool('send', () => {
    effects++;
    throw new Error('connection reset');
  });
  const again = reply({}, call('send', { n: 1 }));
  const { model, prompts } = playing([again, again, reply({ count: 1 }, call('look', {}))]);
  const { runtime, store } = await world({ model, tools: [lost, look] });
  const report = await runtime.start(skill(), { run: 'r' });
  expect(effects).toBe(1);
  expect(prompts[2]).toContain('action.unresolved');
  expect(report.status).toBe('needs_attention');
  expect(report.unresolved.map((intent) => intent.call)).toEqual(['c1']);
  await runtime.order('r', 'settle', 'ana', { call: 'c1', happened: true, why: 'the customer has it' });
  expect(await runtime.obey('r')).toBe(true);
  const done = await createRuntime({ store, model: playing([]).model, tools: [lost, look] }).resume('r');
  expect([done.status, done.unresolved.length]).toEqual(['finished', 0]);
});

test('P42: finish is refused while the skill says that it is not done', async () => {
  const { model } = playing([reply({}, FINISH), reply({ count: 3 }, FINISH)]);
  const { runtime, store } = await world({ model });
  const report = await runtime.start(skill({ done: 'has(state.count) && state.count == 3' }), { run: 'r' });
  expect(report.status).toBe('finished');
  const rejected = (await eventsOf(store, 'r')).filter((event) => event.type === 'step.rejected');
  expect(rejected).toHaveLength(1);
});

test('people reach a run from outside: set, pause and cancel are carried out between two steps', async () => {
  const { model } = playing([reply({ count: 1 }, call('wait'))]);
  const { runtime, store } = await world({ model });
  await runtime.start(skill(), { run: 'r' });
  await runtime.order('r', 'set', 'ana', { patch: { who: 'Ana' }, why: 'she asked' });
  expect(await runtime.obey('r')).toBe(true);
  expect((await runtime.report('r')).state['who']).toBe('Ana');
  await runtime.order('r', 'cancel', 'ana', { why: 'no longer wanted' });
  await runtime.obey('r');
  const report = await createRuntime({ store, model }).resume('r');
  expect([report.status, report.reason]).toEqual(['cancelled', 'cancelled by ana: no longer wanted']);
});

test('a limit pauses the run and a higher one lets it go on', async () => {
  const steps = Array.from({ length: 5 }, (_, index) => reply({ count: index }, call('look', { q: index })));
  const { model } = playing(steps);
  const { runtime } = await world({ model, tools: [look] });
  const paused = await runtime.start(skill({ limits: { steps: 2 } }), { run: 'r' });
  expect([paused.status, paused.steps]).toEqual(['needs_attention', 2]);
  const done = await runtime.resume('r', { limits: { steps: 50 } });
  expect(done.status).toBe('finished');
});

test('a changed skill is refused on resume, says what changed, and can be accepted', async () => {
  const { model } = playing([reply({ count: 1 }, call('wait'))]);
  const { runtime, store } = await world({ model });
  await runtime.start(skill(), { run: 'r' });
  const changed = skill({ instructions: 'Do something else.' });
  const again = createRuntime({ store, model: playing([]).model });
  await again.send('r', 'go');
  await expect(again.resume('r', { skill: changed })).rejects.toThrow(/instructions/);
  const done = await again.resume('r', { skill: changed, acceptSkillChange: true });
  expect(done.status).toBe('finished');
  expect(await verifyRun(store, 'r')).toMatchObject({ ok: true });
});

test('P33: a run that somebody drives cannot be driven by a second process', async () => {
  const { model } = playing([reply({ count: 1 }, call('wait'))]);
  const { runtime, store } = await world({ model });
  await runtime.start(skill(), { run: 'r' });
  const other = { id: 'other', host: 'elsewhere', boot: 'b', pid: 1, startedAt: 1 };
  expect((await store.claim('r', other, 60_000)).ok).toBe(true);
  await expect(runtime.resume('r')).rejects.toThrow(/driven by process 1 on elsewhere/);
});

test('R20: a fork starts from an earlier state, knows later effects, and runs none of its own unless it is live', async () => {
  let sent = 0;
  const counting = tool('send', () => ok(`sent ${++sent}`));
  const { model } = playing([
    reply({ count: 1 }, call('look', {})),
    reply({ count: 2 }, call('send', {})),
    reply({ count: 3 }, call('look', {})),
  ]);
  const { runtime, store } = await world({ model, tools: [counting, look] });
  await runtime.start(skill(), { run: 'r' });
  const fork = await runtime.fork('r', 1, { run: 'f' });
  const forked = playing([reply({ count: 9 }, call('send', {}))]);
  const report = await createRuntime({ store, model: forked.model, tools: [counting, look] }).resume(fork);
  expect(sent).toBe(1);
  expect(forked.prompts[0]).toContain('step 2 send: ok');
  expect(forked.prompts[1]).toContain('this fork runs no effects');
  expect(report.state['count']).toBe(9);
  const [first] = await eventsOf(store, 'f');
  expect(first?.type === 'run.started' && first.parent?.run).toBe('r');
});

test('secrets never reach the log, the state or a prompt', async () => {
  const leaking = tool('look', () => ok('the key is s3cr3t-value-1'), { readOnly: true });
  const { model, prompts } = playing([
    reply({ count: 1 }, call('look', {})),
    reply({ facts: ['s3cr3t-value-1'] }, call('look', {})),
  ]);
  const { runtime, store } = await world({ model, tools: [leaking], secrets: { KEY: 's3cr3t-value-1' } });
  await runtime.start(skill(), { run: 'r', input: 'use s3cr3t-value-1' });
  const log = JSON.stringify(await eventsOf(store, 'r'));
  expect(prompts.join('\n')).not.toContain('s3cr3t-value-1');
  expect(log).not.toContain('s3cr3t-value-1');
});

test('a drive that is told to stop lets go at once, and the run goes on later from where it was', async () => {
  const stopping = new AbortController();
  const slow = tool(
    'slow',
    async ({ signal }) => {
      stopping.abort();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      throw new Error('stopped');
    },
    { readOnly: true },
  );
  const { model } = playing([reply({ count: 1 }, call('slow'))]);
  const { runtime, store } = await world({ model, tools: [slow] });
  const report = await runtime.start(skill(), { run: 'r', signal: stopping.signal });
  expect([report.status, report.steps]).toEqual(['running', 1]);
  const quick = tool('slow', () => ok('done'), { readOnly: true });
  const done = await createRuntime({ store, model: playing([]).model, tools: [quick] }).resume('r', {
    acceptSkillChange: true,
  });
  expect([done.status, done.state['count']]).toEqual(['finished', 1]);
});
