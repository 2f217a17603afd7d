import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportRun } from '../event/export.ts';
import { defineSkill, type SkillInput } from '../skill/define.ts';
import type { JsonObject, Skill } from '../types.ts';
import { call, eventsOf, ok, playing, reply, scratch, tool, world } from './fixture.test.data.ts';
import { createRuntime } from './runtime.ts';

function skill(more: Partial<SkillInput> = {}): Skill {
  return defineSkill({
    name: 'orders',
    description: 'Charges and ships.',
    instructions: 'Charge, ask, ship.',
    state: { type: 'object', required: ['task'], properties: { task: { type: 'string', maxLength: 200 } } },
    initial: { task: '' },
    actions: { functions: ['charge_card', 'ship', 'look'] },
    ...more,
  } as SkillInput);
}

test('P31: what finished before a wait is not done again, however often the run is resumed', async () => {
  const done: string[] = [];
  const effect = (name: string) => tool(name, () => ok(`${done.push(name)}`));
  const tools = [effect('charge_card'), effect('ship')];
  const first = playing([
    reply({ task: 'charged' }, call('charge_card')),
    reply({}, call('wait', { reason: 'ask' })),
  ]);
  const { runtime, store } = await world({ model: first.model, tools });
  await runtime.start(skill(), { run: 'r' });
  for (let resumes = 0; resumes < 3; resumes++)
    expect((await createRuntime({ store, model: playing([]).model, tools }).resume('r')).status).toBe(
      'waiting',
    );
  await runtime.send('r', 'yes, ship it');
  const rest = playing([reply({ task: 'shipped' }, call('ship'))]);
  const report = await createRuntime({ store, model: rest.model, tools }).resume('r');
  expect([report.status, done]).toEqual(['finished', ['charge_card', 'ship']]);
});

test('P19: a run of an older skill version stops for a migration, or takes the declared one; it never starts from zero', async () => {
  const { model } = playing([reply({ task: 'refund' }, call('wait'))]);
  const { runtime, store } = await world({ model });
  await runtime.start(skill({ version: '3' }), { run: 'r' });
  await runtime.send('r', 'go on');
  const state = {
    type: 'object',
    required: ['task', 'interruption'],
    properties: {
      task: { type: 'string', maxLength: 200 },
      interruption: { type: 'string', maxLength: 100 },
    },
  } as const;
  const initial = { task: '', interruption: 'none' };
  const newer = skill({ version: '4', state, initial });
  const again = createRuntime({ store, model: playing([]).model });
  await expect(again.resume('r', { skill: newer, acceptSkillChange: true })).rejects.toThrow(/migration/);
  expect((await again.report('r')).state).toEqual({ task: 'refund' });
  const migrations = [{ from: '3', patch: { interruption: 'unknown before version 4' } }];
  const report = await again.resume('r', { skill: skill({ version: '4', state, initial, migrations }) });
  expect([report.status, report.state]).toEqual([
    'finished',
    { task: 'refund', interruption: 'unknown before version 4' },
  ]);
});

test('P70, the log: values given as secrets stand in no file of an export, plain, URL-encoded or in Base64', async () => {
  const secrets = {
    user: 'jdoe-admin',
    order: '#W123456',
    host: 'db1.internal',
    token: 'sk-test-abc',
    path: '/home/jdoe/p',
  };
  const values = Object.values(secrets);
  const forms = values.flatMap((value) => [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
  ]);
  const leaking = tool('look', () => ok(`${forms.join(' | ')} ${'x'.repeat(3000)}`), { readOnly: true });
  const { model } = playing([
    reply({ task: `ask ${values.join(' ')}` }, call('look'), `I know ${values.join(' ')}`),
  ]);
  const { runtime, store } = await world({ model, tools: [leaking], secrets });
  await runtime.start(skill(), { run: 'r', input: `use ${values.join(' ')}` });
  const folder = scratch();
  await exportRun(store, 'r', folder);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    const text = readFileSync(join(file.parentPath, file.name), 'utf8');
    for (const form of forms) expect(text.includes(form), `${file.name} holds ${form}`).toBe(false);
  }
});

test('P35: what a step saw of clock and results comes from the log, so a second look at it is the same', async () => {
  let ticks = Date.UTC(2026, 2, 1);
  const clock = { now: () => (ticks += 1000), sleep: () => Promise.resolve() };
  const look = tool('look', () => ok(`at ${ticks}`), { readOnly: true });
  const { model, prompts } = playing([
    reply({ task: 'a' }, call('look')),
    reply({ task: 'b' }, call('look')),
  ]);
  const { runtime, store } = await world({ model, tools: [look], clock });
  await runtime.start(skill(), { run: 'r' });
  const { promptAt } = await import('./prompt-of.ts');
  for (const [index, prompt] of prompts.entries()) {
    ticks += 86_400_000;
    const again = await promptAt(store, 'r', index + 1);
    expect(hash(again)).toBe(hash(prompt));
  }
});

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

test('a resume that is refused leaves the run, its log and its lease as they were', async () => {
  const { model } = playing([reply({ task: 'a' }, call('wait'))]);
  const { runtime, store } = await world({ model });
  await runtime.start(skill(), { run: 'r' });
  await runtime.send('r', 'go on');
  const before = (await eventsOf(store, 'r')).length;
  const changed: JsonObject = {
    type: 'object',
    required: ['other'],
    properties: { other: { type: 'string' } },
  };
  await expect(
    createRuntime({ store, model }).resume('r', { skill: skill({ state: changed, initial: { other: '' } }) }),
  ).rejects.toThrow(/--accept-skill-change/);
  expect((await eventsOf(store, 'r')).length).toBe(before);
  expect((await createRuntime({ store, model: playing([]).model }).resume('r')).status).toBe('finished');
});
