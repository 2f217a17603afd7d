import { expect, test } from 'vitest';
import { verifyRun } from '../event/verify.ts';
import { defineSkill, type SkillInput } from '../skill/define.ts';
import type { Skill, Tool } from '../types.ts';
import { call, dying, FINISH, ok, playing, reply, tool, world } from './fixture.test.data.ts';
import { createRuntime } from './runtime.ts';

function skill(more: Partial<SkillInput> = {}): Skill {
  return defineSkill({
    name: 'forks',
    description: 'Forks.',
    instructions: 'Fork.',
    state: {
      type: 'object',
      required: ['n'],
      properties: {
        n: { type: 'integer' },
        verified: {
          type: 'object',
          additionalProperties: { type: 'string', maxLength: 60 },
          'x-owner': 'runtime',
        },
      },
    },
    initial: { n: 0 },
    actions: { functions: ['save', 'get'] },
    ...more,
  } as SkillInput);
}

const CONFIRMED = {
  confirmations: [
    {
      name: 'saved',
      after: ['save'],
      subject: 'args.id',
      reads: [{ as: 'it', tool: 'get', args: { id: '=args.id' } }],
      fresh: { minAgeMs: 0, recheckMs: 1, deadlineMs: 0 },
      checks: [{ cel: 'it.text == "there"', hint: 'must be there' }],
      set: { path: '/verified/=args.id', value: 'args.id' },
      required: true,
    },
  ],
} as unknown as Partial<SkillInput>;
const TOOLS = [
  tool('save', () => ok('200')),
  tool('get', () => ({ status: 'ok', text: 'there', structured: { text: 'there' } }), { readOnly: true }),
];

test('a fork holds only what was confirmed by its step: a later confirmation of the parent opens no finish', async () => {
  const { model } = playing([
    reply({ n: 1 }, call('get', { id: 'x' })),
    reply({ n: 2 }, call('save', { id: 'x' })),
    reply({ n: 3 }, call('get', { id: 'x' })),
  ]);
  const { runtime, store } = await world({ model, tools: TOOLS });
  const parent = await runtime.start(skill(CONFIRMED), { run: 'r' });
  expect([parent.status, Object.keys(parent.confirmed)]).toEqual(['finished', ['saved "x"']]);
  await runtime.fork('r', 1, { run: 'early' });
  expect((await runtime.report('early')).confirmed).toEqual({});
  const early = await createRuntime({ store, model: playing([]).model, tools: TOOLS }).resume('early');
  expect(early.status).toBe('needs_attention');
  await runtime.fork('r', 3, { run: 'later' });
  expect(Object.keys((await runtime.report('later')).confirmed)).toEqual(['saved "x"']);
  const later = await createRuntime({ store, model: playing([]).model, tools: TOOLS }).resume('later');
  expect(later.status).toBe('finished');
});

test('a fork of a step before the skill changed has the skill of that step', async () => {
  const { model } = playing([reply({ n: 1 }, call('wait'))]);
  const { runtime, store } = await world({ model, tools: TOOLS });
  const before = await runtime.start(skill({ version: '1' }), { run: 'r' });
  expect(before.status).toBe('waiting');
  await runtime.send('r', 'go on');
  const state = {
    type: 'object',
    required: ['n', 'word'],
    properties: { n: { type: 'integer' }, word: { type: 'string', maxLength: 9 } },
  } as const;
  const migrations = [{ from: '1', patch: { word: 'x', verified: null } }];
  const newer = skill({ version: '2', state, initial: { n: 0, word: '' }, migrations });
  const again = createRuntime({ store, model: playing([]).model, tools: TOOLS });
  expect((await again.resume('r', { skill: newer })).status).toBe('finished');
  await again.fork('r', 1, { run: 'f' });
  const goesOn = playing([reply({ n: 2 }, FINISH)]).model;
  const old = await createRuntime({ store, model: goesOn, tools: TOOLS }).resume('f');
  expect([old.status, old.state]).toEqual(['finished', { n: 2 }]);
});

test('a fork tells of an effect of its parent that is in flight', async () => {
  const { model } = playing([reply({ n: 1 }, call('save', { id: 'x' }))]);
  const { runtime, store } = await world({ model, tools: TOOLS });
  const killed = createRuntime({ store: dying(store, 'outcome'), model, tools: TOOLS });
  await expect(killed.start(skill(), { run: 'r' })).rejects.toThrow('killed');
  await runtime.fork('r', 1, { run: 'f' });
  const { model: next, prompts } = playing([reply({}, FINISH)]);
  await createRuntime({ store, model: next, tools: TOOLS }).resume('f');
  expect(prompts[0]).toContain('step 1 save: unknown');
});

test('a fork of a fork keeps what the first ancestor confirmed, after that one is gone too', async () => {
  const { model } = playing([
    reply({ n: 1 }, call('save', { id: 'x' })),
    reply({ n: 2 }, call('wait')),
    reply({ n: 3 }, FINISH),
  ]);
  const { runtime, store } = await world({ model, tools: TOOLS });
  await runtime.start(skill(CONFIRMED), { run: 'r', input: 'go' });
  await runtime.fork('r', 2, { run: 'f', live: true });
  const goesOn = playing([reply({ n: 3 }, call('save', { id: 'y' })), reply({ n: 4 }, FINISH)]).model;
  await createRuntime({ store, model: goesOn, tools: TOOLS }).resume('f');
  await runtime.order('r', 'cancel', 'me', { why: '' }).catch(() => undefined);
  await runtime.obey('r').catch(() => undefined);
  await store.prune('r', 'run');
  await runtime.fork('f', 2, { run: 'g2' });
  await runtime.fork('f', 3, { run: 'g3', live: true });
  await runtime.fork('f', 4, { run: 'g4' });
  const held = async (run: string) => Object.keys((await runtime.report(run)).confirmed);
  expect(await held('g2')).toEqual(['saved "x"']);
  expect(await held('g3')).toEqual(['saved "x"']);
  expect(await held('g4')).toEqual(['saved "x"', 'saved "y"']);
  expect((await verifyRun(store, 'g4')).ok).toBe(true);
});

test('a write of a fork to a subject that its parent confirmed clears the confirmation and its field', async () => {
  const { model } = playing([reply({ n: 1 }, call('save', { id: 'x' })), reply({ n: 2 }, FINISH)]);
  const { runtime, store } = await world({ model, tools: TOOLS });
  await runtime.start(skill(CONFIRMED), { run: 'r' });
  await runtime.fork('r', 2, { run: 'f', live: true });
  expect((await runtime.report('f')).state).toMatchObject({ verified: { x: 'x' } });
  const gone = tool('get', () => ({ status: 'ok', text: '', structured: { text: 'gone' } }), {
    readOnly: true,
  });
  const again = playing([reply({ n: 3 }, call('save', { id: 'x' })), reply({}, call('wait'))]).model;
  const report = await createRuntime({ store, model: again, tools: [TOOLS[0] as Tool, gone] }).resume('f');
  expect([report.confirmed, report.unconfirmed, report.state['verified']]).toEqual([{}, ['saved "x"'], {}]);
});
