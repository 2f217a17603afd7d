import { expect, test } from 'vitest';
import { sha256 } from '../json/text.ts';
import { defineSkill, type SkillInput } from '../skill/define.ts';
import type { Skill, Tool } from '../types.ts';
import { call, eventsOf, ok, playing, reply, tool, world } from './fixture.test.data.ts';
import { createRuntime } from './runtime.ts';

function skill(tools: Record<string, object>): Skill {
  return defineSkill({
    name: 'guarded',
    description: 'Guarded.',
    instructions: 'Work.',
    state: { type: 'object', properties: { n: { type: 'integer' } } },
    actions: { functions: ['create', 'remove', 'plan', 'apply', 'send'], tools },
  } as SkillInput);
}

const KEYED = { create: { key: { in: 'argument', name: 'request_id', from: 'args.source' } } };

/** Creates a thing for each call; says which key it got. */
function shop(): { made: { source: string; key: string }[]; tools: Tool[] } {
  const made: { source: string; key: string }[] = [];
  const create = tool('create', ({ args }) => {
    made.push({ source: args['source'] as string, key: args['request_id'] as string });
    return ok(`created fr-${made.length}`);
  });
  return { made, tools: [create, tool('remove', () => ok('gone'), { destructive: true })] };
}

test('create after create of the same business key is refused with the address of what the first gave, whatever else differs', async () => {
  const { made, tools } = shop();
  const { model, prompts } = playing([
    reply({ n: 1 }, call('create', { source: 'en-1', body: 'Bonjour' })),
    reply({ n: 2 }, call('create', { source: 'en-1', body: 'Salut' })),
    (prompt) =>
      reply({}, call('read_payload', { handle: /what it gave is in (e\d+) /.exec(prompt)?.[1] ?? '' })),
    reply({ n: 3 }, call('create', { source: 'en-2', body: 'Salut' })),
  ]);
  const { runtime, store } = await world({ model, tools });
  expect((await runtime.start(skill(KEYED), { run: 'r' })).status).toBe('finished');
  expect(made.map(({ source }) => source)).toEqual(['en-1', 'en-2']);
  expect(prompts[2]).toContain('already called for this (args.source) in step 1 (c1); what it gave is in e');
  expect(prompts[2]).toContain('read_payload');
  expect(prompts[3]).toContain('"result":"created fr-1"');
  const refused = (await eventsOf(store, 'r')).filter(({ type }) => type === 'step.rejected');
  expect(refused).toMatchObject([{ issues: [{ code: 'action.repeated' }] }]);
});

test('the guard survives a resume; after a destructive call the key is left to the server', async () => {
  const { made, tools } = shop();
  const one = playing([reply({ n: 1 }, call('create', { source: 'en-1' })), reply({ n: 2 }, call('wait'))]);
  const { runtime, store } = await world({ model: one.model, tools });
  await runtime.start(skill(KEYED), { run: 'r' });
  const two = playing([
    reply({ n: 3 }, call('create', { source: 'en-1' })),
    reply({ n: 4 }, call('remove', { id: 'fr-1' })),
    reply({ n: 5 }, call('create', { source: 'en-1' })),
  ]);
  const again = createRuntime({ store, model: two.model, tools });
  await again.send('r', 'go on');
  await again.resume('r');
  expect(two.prompts[1]).toContain('action.repeated');
  expect(made).toHaveLength(2);
  expect(made[0]?.key).toBe(made[1]?.key);
});

test('P29: an effect that timed out is never repeated where that is unsafe: one effect, and the model is told to look', async () => {
  const sent: string[] = [];
  const send = tool('send', ({ args, key }) => {
    sent.push(key);
    return args['to'] === 'slow' && sent.length === 1
      ? { status: 'unknown', text: 'connection reset' }
      : ok('sent');
  });
  const again = reply({ n: 2 }, call('send', { to: 'slow' }));
  const { model, prompts } = playing([
    reply({ n: 1 }, call('send', { to: 'slow' })),
    again,
    again,
    reply({ n: 3 }, call('send', { to: 'other' })),
  ]);
  const { runtime } = await world({ model, tools: [send] });
  const report = await runtime.start(skill({}), { run: 'r' });
  expect(sent).toHaveLength(2);
  expect(new Set(sent).size).toBe(2);
  expect(prompts[1]).toContain('outcome unknown');
  expect(prompts[2]).toContain('action.unresolved');
  expect([report.status, report.unresolved.map(({ call: id }) => id)]).toEqual(['needs_attention', ['c1']]);
});

test('P29: where a business key makes the repeat safe, it carries the same key and settles the first', async () => {
  const keys: string[] = [];
  const create = tool('create', ({ args }) => {
    keys.push(args['request_id'] as string);
    return keys.length === 1 ? { status: 'unknown', text: 'connection reset' } : ok('created once');
  });
  const { model } = playing([
    reply({ n: 1 }, call('create', { source: 'a' })),
    reply({ n: 2 }, call('create', { source: 'a' })),
  ]);
  const { runtime } = await world({ model, tools: [create] });
  const report = await runtime.start(skill(KEYED), { run: 'r' });
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
  expect([report.status, report.unresolved]).toEqual(['finished', []]);
});

test('a plan is committed only by the hash of a plan of this run, and only once', async () => {
  const applied: unknown[] = [];
  const tools = [
    tool('plan', () => ok('delete 3 rows'), { readOnly: true }),
    tool('apply', ({ args }) => {
      applied.push(args['plan_hash']);
      return ok('applied');
    }),
  ];
  const hash = sha256('"delete 3 rows"');
  const { model, prompts } = playing([
    reply({ n: 1 }, call('apply', { plan_hash: hash })),
    reply({ n: 2 }, call('plan', {})),
    reply({ n: 3 }, call('apply', { plan_hash: 'approved-by-me' })),
    (prompt) =>
      reply(
        { n: 4 },
        call('apply', {
          plan_hash: /plan ([0-9a-f]{64}) is made/.exec(prompts[2] ?? '')?.[1] ?? prompt.slice(0, 0),
        }),
      ),
    reply({ n: 5 }, call('apply', { plan_hash: hash })),
  ]);
  const { runtime } = await world({ model, tools });
  await runtime.start(skill({ plan: { plan: { commit: 'apply', argument: 'plan_hash' } } }), { run: 'r' });
  expect(applied).toEqual([hash]);
  expect(prompts[1]).toContain('no plan was made in this run; call plan first');
  expect(prompts[3]).toContain(`plans: ${hash}`);
  expect(prompts[5]).toContain('action.plan');
});

test("a plan's own hash is used where its result has one", async () => {
  const applied: unknown[] = [];
  const tools = [
    tool('plan', () => ({ status: 'ok', text: 'x', structured: { plan_hash: 'v1:abc', rows: 3 } }), {
      readOnly: true,
    }),
    tool('apply', ({ args }) => {
      applied.push(args['plan_hash']);
      return ok('applied');
    }),
  ];
  const { model } = playing([
    reply({ n: 1 }, call('plan', {})),
    reply({ n: 2 }, call('apply', { plan_hash: 'v1:abc' })),
  ]);
  const { runtime } = await world({ model, tools });
  await runtime.start(skill({ plan: { plan: { commit: 'apply', argument: 'plan_hash' } } }), { run: 'r' });
  expect(applied).toEqual(['v1:abc']);
});
