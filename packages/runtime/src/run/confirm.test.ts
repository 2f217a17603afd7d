import { expect, test } from 'vitest';
import { verifyRun } from '../event/verify.ts';
import { defineSkill, type SkillInput } from '../skill/define.ts';
import type { Clock, Json, JsonObject, RunEvent, Skill, Store, Tool, ToolResult } from '../types.ts';
import { call, dying, eventsOf, FINISH, playing, reply, tool, world } from './fixture.test.data.ts';
import { offeredTools } from './offered.ts';
import { createRuntime } from './runtime.ts';

type Article = { id: string; status: string; body: string };

/** A CMS in memory. `create` and `read` may be told to misbehave. */
function cms(): {
  articles: Map<string, Article>;
  tools: Tool[];
  how: { create: string; read: string };
  reads: number[];
} {
  const articles = new Map<string, Article>();
  const how = { create: 'works', read: 'works' };
  const reads: number[] = [];
  const put = ({ args }: { args: JsonObject }): ToolResult => {
    const id = args['id'] as string;
    if (how.create === 'lies') return { status: 'ok', text: '200 OK' };
    if (how.create === 'times out without effect') return { status: 'unknown', text: 'timeout' };
    articles.set(id, {
      id,
      status: how.create === 'publishes' ? 'published' : 'draft',
      body: (args['body'] as string | undefined) ?? 'Bonjour',
    });
    return how.create === 'times out'
      ? { status: 'unknown', text: 'timeout' }
      : { status: 'ok', text: '200 OK' };
  };
  const get = ({ args }: { args: JsonObject }): ToolResult => {
    reads.push(Date.now());
    if (how.read === 'is down') return { status: 'error', text: '503 upstream' };
    const found = articles.get(args['id'] as string);
    return found === undefined
      ? { status: 'error', text: '404 not found' }
      : { status: 'ok', text: JSON.stringify(found), structured: found };
  };
  const remove = ({ args }: { args: JsonObject }): ToolResult => {
    articles.delete(args['id'] as string);
    return { status: 'ok', text: 'policy: verification_required' };
  };
  const tools = [
    tool('create_article', put),
    tool('update_article', put),
    tool('delete_article', remove, { destructive: true }),
    tool('get_article', get, { readOnly: true, idempotent: true }),
  ];
  return { articles, tools, how, reads };
}

function skill(more: Partial<SkillInput> = {}, confirmation: JsonObject = {}): Skill {
  return defineSkill({
    name: 'translate',
    description: 'Translates.',
    instructions: 'Translate.',
    state: {
      type: 'object',
      required: ['note', 'verified'],
      properties: {
        note: { type: 'string', maxLength: 200 },
        published: { type: 'string', maxLength: 100, 'x-commit': 'success' },
        verified: {
          type: 'object',
          additionalProperties: { type: 'string', maxLength: 60 },
          'x-owner': 'runtime',
        },
      },
    },
    initial: { note: '', verified: {} },
    actions: { functions: ['create_article', 'update_article', 'delete_article', 'get_article'] },
    confirmations: [
      {
        name: 'saved',
        after: ['create_article', 'update_article', 'delete_article'],
        subject: 'args.id',
        reads: [{ as: 'article', tool: 'get_article', args: { id: '=args.id' } }],
        fresh: { minAgeMs: 0, recheckMs: 1, deadlineMs: 0 },
        checks: [{ is: 'status', of: 'article.status', want: 'draft', hint: 'must be a draft' }],
        set: { path: '/verified/=args.id', value: 'article.id' },
        absent: 'article.error.contains("404")',
        ...confirmation,
      },
    ],
    ...more,
  } as SkillInput);
}

const create = (id: string): Json => call('create_article', { id });
const types = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);
const last = <T extends RunEvent['type']>(
  events: readonly RunEvent[],
  type: T,
): (RunEvent & { type: T }) | undefined =>
  events.findLast((event): event is RunEvent & { type: T } => event.type === type);

test('a write is confirmed by reading it back, and only then fills the runtime-owned field', async () => {
  const { tools } = cms();
  const { model, prompts } = playing([reply({ note: 'writing' }, create('a1'))]);
  const { runtime, store } = await world({ model, tools });
  const report = await runtime.start(skill(), { run: 'r' });
  expect([report.status, report.state]).toEqual(['finished', { note: 'writing', verified: { a1: 'a1' } }]);
  const events = await eventsOf(store, 'r');
  const confirmed = last(events, 'confirmed');
  expect(confirmed).toMatchObject({
    name: 'saved',
    subject: 'a1',
    call: 'c1',
    delta: [{ set: '/verified/a1', value: 'a1' }],
  });
  expect(confirmed?.reads).toMatchObject([{ tool: 'get_article', args: { id: 'a1' } }]);
  expect(report.confirmed).toEqual({ 'saved "a1"': confirmed?.seq });
  expect(types(events)).toEqual([
    'run.started',
    'step.accepted',
    'action.finished',
    'confirmed',
    'step.accepted',
    'run.stopped',
  ]);
  expect(prompts[1]).toContain('"verified":{"a1":"a1"}');
  expect((await verifyRun(store, 'r')).ok).toBe(true);
});

test('P42: finish is refused while nothing is confirmed, whatever the model claims', async () => {
  const { tools } = cms();
  const { model, prompts } = playing([
    reply({ note: 'all done, file written' }, FINISH),
    reply({ note: 'really done' }, FINISH),
  ]);
  const { runtime, store } = await world({ model, tools });
  const report = await runtime.start(skill({ limits: { rejections: 2 } }), { run: 'r' });
  expect(report.status).toBe('needs_attention');
  expect(report.state).toEqual({ note: '', verified: {} });
  expect(prompts[1]).toContain('saved: nothing is confirmed yet');
  expect(types(await eventsOf(store, 'r'))).not.toContain('step.accepted');
});

test('P42: what was written must be confirmed too; one confirmed subject does not stand for another', async () => {
  const site = cms();
  const { model, prompts } = playing([
    reply({}, create('a1')),
    () => {
      site.how.create = 'publishes';
      return reply({}, create('a2'));
    },
    reply({ note: 'done' }, FINISH),
    () => {
      site.how.create = 'works';
      return reply({}, call('update_article', { id: 'a2' }));
    },
  ]);
  const { runtime } = await world({ model, tools: site.tools });
  const report = await runtime.start(skill(), { run: 'r' });
  expect(report.state['verified']).toEqual({ a1: 'a1', a2: 'a2' });
  expect(prompts[2]).toMatch(
    /confirm: saved "a2" is not confirmed \(event \d+\): must be a draft: wanted "draft", got "published"/,
  );
  expect(prompts[3]).toContain('saved "a2" was written in step 2 (c2) and is not confirmed');
  expect(report.status).toBe('finished');
});

test('P43: a model cannot write a verified field, and a 200 of the action is no check', async () => {
  const site = cms();
  site.how.create = 'lies';
  const { model, prompts } = playing([
    reply({ note: 'd1', verified: { a1: 'a1' } }, create('a1')),
    reply({ note: 'd1' }, create('a1')),
    reply({ note: 'checked' }, call('get_article', { id: 'a1' })),
  ]);
  const { runtime, store } = await world({ model, tools: site.tools });
  const report = await runtime.start(skill({ limits: { rejections: 2 } }), { run: 'r' });
  const events = await eventsOf(store, 'r');
  expect(events[1]).toMatchObject({ type: 'step.rejected', issues: [{ code: 'owner.runtime' }] });
  expect(report.state).toEqual({ note: 'checked', verified: {} });
  expect(last(events, 'unconfirmed')).toMatchObject({ delta: [], issues: [{ code: 'confirm.absent' }] });
  expect(prompts[2]).toContain('saved "a1" is not confirmed');
  expect(report.status).toBe('needs_attention');
});

test('a later write to the same subject clears its confirmation and the field before it is read again', async () => {
  const site = cms();
  const { model, prompts } = playing([
    reply({}, create('a1')),
    () => {
      site.how.create = 'publishes';
      return reply({}, call('update_article', { id: 'a1' }));
    },
    reply({}, call('wait')),
  ]);
  const { runtime, store } = await world({ model, tools: site.tools });
  const report = await runtime.start(skill(), { run: 'r' });
  expect(prompts[1]).toContain('"verified":{"a1":"a1"}');
  expect([report.state['verified'], report.confirmed]).toEqual([{}, {}]);
  expect(report.unconfirmed).toEqual(['saved "a1"']);
  expect(last(await eventsOf(store, 'r'), 'action.finished')?.delta).toEqual([{ delete: '/verified/a1' }]);
  expect((await verifyRun(store, 'r')).ok).toBe(true);
});

test('what a destructive action removed for good need not be confirmed any more', async () => {
  const site = cms();
  site.how.create = 'publishes';
  const { model } = playing([
    reply({}, create('bad')),
    () => {
      site.how.create = 'works';
      return reply({}, call('delete_article', { id: 'bad' }));
    },
    reply({}, create('good')),
  ]);
  const { runtime } = await world({ model, tools: site.tools });
  const report = await runtime.start(skill(), { run: 'r' });
  expect([report.status, report.state['verified']]).toEqual(['finished', { good: 'good' }]);
});

test('a read that could not be made is a notice, changes nothing, and is made again before the run may finish', async () => {
  const site = cms();
  site.how.read = 'is down';
  const { model, prompts } = playing([
    reply({}, create('a1')),
    () => {
      site.how.read = 'works';
      return reply({ note: 'done' }, FINISH);
    },
  ]);
  const { runtime, store } = await world({ model, tools: site.tools });
  const report = await runtime.start(skill(), { run: 'r' });
  expect(prompts[1]).toContain('could not be checked, which is neither success nor failure');
  expect(prompts[1]).toContain('503 upstream');
  expect([report.status, report.state, prompts.length]).toEqual([
    'finished',
    { note: 'done', verified: { a1: 'a1' } },
    2,
  ]);
  expect(site.articles.size).toBe(1);
  expect(types(await eventsOf(store, 'r')).filter((type) => type.endsWith('confirmed'))).toEqual([
    'unconfirmed',
    'confirmed',
  ]);
});

test('an effect of unknown outcome is decided by its confirmation, and the fields that waited follow', async () => {
  for (const [how, status, published] of [
    ['times out', 'ok', 'a1'],
    ['times out without effect', 'error', undefined],
  ] as const) {
    const site = cms();
    site.how.create = how;
    const slow = site.tools.map((one) => ({ ...one, timeoutMs: 50 }));
    const { model, prompts } = playing([reply({ published: 'a1' }, create('a1')), reply({}, call('wait'))]);
    const { runtime, store } = await world({ model, tools: slow });
    const report = await runtime.start(skill(), { run: 'r' });
    expect(report.unresolved).toEqual([]);
    expect(report.state['published']).toBe(published);
    const finished = (await eventsOf(store, 'r')).filter(({ type }) => type === 'action.finished');
    expect(finished).toMatchObject([{ status: 'unknown' }, { status, note: 'decided by saved' }]);
    expect(prompts[1]).toContain(status === 'ok' ? 'took effect: saved is confirmed' : 'did not take effect');
    expect((await verifyRun(store, 'r')).ok).toBe(true);
  }
});

test('P30: a call in flight when the driver died is read back after its deadline, decided once, and not repeated', async () => {
  const site = cms();
  const one = playing([reply({ published: 'a1' }, create('a1'))]);
  const { store } = await world({ model: one.model, tools: site.tools });
  const slow = site.tools.map((each) => ({ ...each, timeoutMs: 300 }));
  const killed = createRuntime({ store: dying(store, 'outcome'), model: one.model, tools: slow });
  await expect(killed.start(skill(), { run: 'r' })).rejects.toThrow('killed');
  expect([site.articles.size, site.reads.length]).toEqual([1, 0]);
  const { deadline } = (await store.load('r'))?.head.intent ?? { deadline: Infinity };
  const two = playing([reply({}, call('wait'))]);
  const report = await createRuntime({ store, model: two.model, tools: slow }).resume('r');
  expect(site.reads.every((at) => at >= deadline)).toBe(true);
  expect([site.reads.length, report.unresolved, report.state]).toEqual([
    1,
    [],
    { note: '', published: 'a1', verified: { a1: 'a1' } },
  ]);
  expect(two.prompts[0]).toContain('outcome unknown');
  expect(two.prompts[0]).toContain('took effect');
  const before = (await eventsOf(store, 'r')).length;
  await createRuntime({ store, model: playing([]).model, tools: slow }).resume('r');
  expect(types((await eventsOf(store, 'r')).slice(before))).toEqual(['run.resumed']);
});

test('P30: without a confirmation the call is shown as started with unknown outcome; a second resume adds nothing', async () => {
  const calls: string[] = [];
  const send = tool('send', ({ key }) => {
    calls.push(key);
    return { status: 'ok', text: 'sent' };
  });
  const plain = defineSkill({
    name: 'plain',
    description: 'x',
    instructions: 'x',
    state: { type: 'object', properties: { note: { type: 'string', maxLength: 50 } } },
    actions: { functions: ['send'] },
  });
  const one = playing([reply({}, call('send', { n: 9 }))]);
  const { store } = await world({ model: one.model });
  await expect(
    createRuntime({ store: dying(store, 'outcome'), model: one.model, tools: [send] }).start(plain, {
      run: 'r',
    }),
  ).rejects.toThrow('killed');
  const two = playing([reply({}, call('wait'))]);
  await createRuntime({ store, model: two.model, tools: [send] }).resume('r');
  expect(two.prompts[0]).toContain('c1 send (step 1): started, outcome unknown; check before repeating');
  const three = playing([reply({}, call('send', { n: 9 })), reply({ note: 'go on' }, call('wait'))]);
  const again = createRuntime({ store, model: three.model, tools: [send] });
  await again.send('r', 'go on');
  const report = await again.resume('r');
  expect(calls).toHaveLength(1);
  expect(three.prompts[1]).toContain('may already have taken effect');
  expect([report.status, report.unresolved.map((intent) => intent.call)]).toEqual(['waiting', ['c1']]);
});

test('a driver that died between a write and its read-back leaves the reading to the next', async () => {
  const site = cms();
  const one = playing([reply({}, create('a1'))]);
  const { store } = await world({ model: one.model, tools: site.tools });
  await expect(
    createRuntime({ store: dying(store, 'confirm'), model: one.model, tools: site.tools }).start(skill(), {
      run: 'r',
    }),
  ).rejects.toThrow('killed');
  const two = playing([]);
  const report = await createRuntime({ store, model: two.model, tools: site.tools }).resume('r');
  expect([report.status, report.state['verified'], site.articles.size]).toEqual([
    'finished',
    { a1: 'a1' },
    1,
  ]);
  expect(two.prompts[0]).toContain('"verified":{"a1":"a1"}');
  expect((await verifyRun(store, 'r')).ok).toBe(true);
});

test('P40: a read-back from a 60 s cache decides nothing until it is fresh; the create is not repeated', async () => {
  const site = cms();
  let now = 1_000_000;
  let slept = 0;
  const clock: Clock = {
    now: () => now,
    sleep: (ms) => {
      now += ms;
      slept += ms;
      return Promise.resolve();
    },
  };
  const cached = site.tools.map((one) =>
    one.name !== 'get_article'
      ? one
      : tool(
          'get_article',
          (asked) =>
            (now < 1_060_000
              ? { status: 'error', text: '404 from cache' }
              : (site.tools[3]?.run(asked) ?? { status: 'error', text: '' })) as never,
          { readOnly: true },
        ),
  );
  const { model } = playing([reply({}, create('a1'))]);
  const { runtime } = await world({ model, tools: cached, clock });
  const report = await runtime.start(
    skill({}, { fresh: { minAgeMs: 0, recheckMs: 1000, deadlineMs: 90_000 } }),
    { run: 'r' },
  );
  expect([report.status, report.state['verified']]).toEqual(['finished', { a1: 'a1' }]);
  expect(slept).toBeGreaterThanOrEqual(60_000);
});

test('required as an expression: finish waits only where it holds for the state', async () => {
  const { tools } = cms();
  const optional = skill({}, { required: 'state.note == "translated"' });
  const { model, prompts } = playing([
    reply({ note: 'translated' }, FINISH),
    reply({ note: 'nothing to translate' }, FINISH),
  ]);
  const { runtime } = await world({ model, tools });
  expect((await runtime.start(optional, { run: 'r' })).status).toBe('finished');
  expect(prompts[1]).toContain('confirm.missing');
});

test('a confirmation that cannot work is an error of the skill before the run begins', async () => {
  const { tools } = cms();
  const writing = tools.map((one) => (one.name === 'get_article' ? { ...one, readOnly: false } : one));
  const { runtime, store } = await world({ model: playing([]).model, tools: writing });
  await expect(runtime.start(skill(), { run: 'r' })).rejects.toThrow('not declared read-only');
  const offered = await offeredTools({ tools: writing }, skill());
  expect(offered.confirmations).toMatchObject([
    { code: 'skill.confirmation', path: '/confirmations/0/reads/0/tool' },
  ]);
  expect(await store.load('r')).toBeNull();
  const foreign = skill({}, { set: { path: '/note', value: '"x"' } });
  await expect(createRuntime({ store, model: playing([]).model, tools }).start(foreign)).rejects.toThrow(
    'x-owner: runtime',
  );
});

test('evidence too long for an event is kept once beside it, and a secret in it nowhere', async () => {
  const secret = 'tok-5e7a1c9b';
  const body = `${'x'.repeat(5000)} ${secret}`;
  const site = cms();
  const { model, prompts } = playing([
    reply({}, call('create_article', { id: 'a1', body })),
    reply({}, call('update_article', { id: 'a1', body })),
  ]);
  const { runtime, store } = await world({ model, tools: site.tools, secrets: { TOKEN: secret } });
  expect((await runtime.start(skill(), { run: 'r' })).status).toBe('finished');
  const read = last(await eventsOf(store, 'r'), 'confirmed')?.reads[0]?.result as { handle: string };
  const payload = await store.payload('r', read.handle);
  const text = payload === null || payload === 'pruned' ? '' : new TextDecoder().decode(payload.bytes);
  expect(text).toContain('[secret:TOKEN]');
  expect(text + prompts.slice(2).join('')).not.toContain(secret);
  expect((await verifyRun(store, 'r')).ok).toBe(true);
});

test('each subject has one verdict in a prompt, the last; effects of unknown outcome come before all notices', async () => {
  const site = cms();
  site.how.create = 'times out without effect';
  const ids = Array.from({ length: 10 }, (_, i) => `a${i}`);
  const replies = [
    ...ids.map((id) => reply({ note: id }, create(id))),
    reply({}, FINISH),
    reply({}, FINISH),
    reply({ note: 'x' }, call('wait')),
  ];
  const { model, prompts } = playing(replies);
  site.how.read = 'is down';
  const slow = site.tools.map((one) => ({ ...one, timeoutMs: 1 }));
  const { runtime } = await world({ model, tools: slow });
  await runtime.start(skill({}, { required: true }), { run: 'r' });
  const third = prompts[12] ?? '';
  expect(third).toContain('c1 create_article (step 1): started, outcome unknown');
  for (const id of ids) expect(third.split(`saved "${id}" could not`).length).toBeLessThanOrEqual(2);
});

test('a verdict takes the place of the one before it', async () => {
  const site = cms();
  site.how.create = 'lies';
  site.how.read = 'is down';
  const { model, prompts } = playing([
    reply({ note: 'x' }, create('a')),
    reply({}, FINISH),
    reply({}, FINISH),
    reply({ note: 'y' }, call('wait')),
  ]);
  const { runtime } = await world({ model, tools: site.tools });
  await runtime.start(skill({}, { required: true }), { run: 'r' });
  expect(prompts[3]?.split('"a" could not be checked')).toHaveLength(2);
});

test('a commit does not grow with the subjects that were confirmed before', async () => {
  const { tools } = cms();
  const ids = Array.from({ length: 40 }, (_, n) => `article-${n + 100}`);
  const { model } = playing(ids.map((id) => reply({ note: 'writing' }, create(id))));
  const { store } = await world({ model });
  const sizes: number[] = [];
  const measured: Store = {
    ...store,
    commit: async (lease, commit) => {
      if (commit.point === 'confirm')
        sizes.push(JSON.stringify({ ...commit.head, sinceSnapshot: 0, subjects: commit.subjects }).length);
      await store.commit(lease, commit);
    },
  };
  const state = {
    type: 'object',
    properties: { note: { type: 'string', maxLength: 200 }, last: { type: 'string', 'x-owner': 'runtime' } },
  };
  const last = { set: { path: '/last', value: 'args.id' } };
  const runtime = createRuntime({ store: measured, model, tools });
  const report = await runtime.start(skill({ state, initial: {} } as Partial<SkillInput>, last), {
    run: 'r',
  });
  expect([report.status, Object.keys(report.confirmed).length, sizes.length]).toEqual(['finished', 40, 40]);
  expect(Math.max(...sizes.slice(10)) - Math.min(...sizes.slice(10))).toBeLessThan(60);
});
