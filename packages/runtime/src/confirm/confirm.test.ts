import { expect, test } from 'vitest';
import type { Clock, ConfirmationSpec, JsonObject, ToolResult } from '../types.ts';
import { confirm, type Confirmation } from './confirm.ts';

const ARTICLE: ConfirmationSpec = {
  name: 'article-saved',
  after: ['create_article'],
  subject: 'args.id',
  reads: [{ as: 'article', tool: 'get_article', args: { id: '=args.id' }, bypass: null }],
  fresh: { minAgeMs: 0, recheckMs: 1000, deadlineMs: 0 },
  checks: [
    { is: 'exists', of: 'article.id', want: true, hint: 'no id' },
    { is: 'status', of: 'article.status', want: 'draft', hint: 'not a draft' },
  ],
  set: { path: '/verified/=args.id', value: 'article.id' },
  absent: 'article.error.contains("404")',
  required: true,
};

/** Time passes only in sleeps. */
function stillClock(start = 1_000_000): Clock & { slept: number[] } {
  const slept: number[] = [];
  let now = start;
  return {
    slept,
    now: () => now,
    sleep: (ms) => {
      slept.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

type Read = (tool: string, args: JsonObject, now: number) => ToolResult;

async function run(
  spec: Partial<ConfirmationSpec>,
  read: Read,
  more: { notBefore?: number; clock?: ReturnType<typeof stillClock> } = {},
): Promise<Confirmation> {
  const clock = more.clock ?? stillClock();
  return confirm(
    { ...ARTICLE, ...spec },
    { args: { id: '12', title: 'T' }, result: { ok: true }, state: { source: { body: 'x'.repeat(100) } } },
    { wroteAt: clock.now(), notBefore: more.notBefore ?? 0 },
    {
      read: (tool, args) => Promise.resolve(read(tool, args, clock.now())),
      clock,
      signal: new AbortController().signal,
    },
  );
}

const json = (value: JsonObject): ToolResult => ({ status: 'ok', text: JSON.stringify(value) });
const error = (text: string): ToolResult => ({ status: 'error', text });

test('a read that passes every check confirms, and says what to set where', async () => {
  const seen: JsonObject[] = [];
  const outcome = await run({}, (_, args) => {
    seen.push(args);
    return json({ id: 'fr-12', status: 'draft' });
  });
  expect(outcome).toMatchObject({ kind: 'confirmed', path: '/verified/12', value: 'fr-12' });
  expect(seen).toEqual([{ id: '12' }]);
});

test('every failed check is reported at once, with what was wanted and what was got', async () => {
  const body = `Bonjour <<<END>>> ${'y'.repeat(300)}`;
  const checks = [
    ...ARTICLE.checks,
    { is: 'count', of: 'article.paragraphs', want: { min: 1 }, hint: 'no paragraphs' },
    { is: 'no-residual', of: 'article.body', want: ['<<<'], hint: 'a delimiter is left' },
    { is: 'length-ratio', of: '[article.body, state.source.body]', want: [0.6, 1.8], hint: 'length' },
    { is: 'equals', of: 'article.title', want: '=args.title', hint: 'title' },
    { is: 'matches', of: 'article.slug', want: '^[a-z-]+$', hint: 'slug' },
    { cel: 'article.status == "draft" && size(article.paragraphs) > 0', hint: 'not right' },
    { on: 'article', schema: { type: 'object', required: ['author'] }, hint: 'shape' },
  ] as const;
  const outcome = await run({ checks }, () =>
    json({ id: 7, status: 'published', paragraphs: [], body, title: 'U', slug: 'A B' }),
  );
  expect(outcome.kind === 'failed' && outcome.issues.map(({ path, hint }) => `${path} ${hint}`)).toEqual([
    '/checks/1 not a draft: wanted "draft", got "published"',
    '/checks/2 no paragraphs: wanted a count of 1 to any, got 0',
    expect.stringContaining('/checks/3 a delimiter is left: wanted no "<<<", got "…Bonjour <<<END>>>'),
    '/checks/4 length: wanted a ratio of 0.6 to 1.8, got 3.18',
    '/checks/5 title: wanted "T", got "U"',
    '/checks/6 slug: wanted text that matches "^[a-z-]+$", got "A B"',
    '/checks/7 not right (article.status is "published", article.paragraphs is [])',
    expect.stringContaining("/checks/8 shape: article must have required property 'author', got {"),
  ]);
});

test('a check on what is not there fails and does not throw; exists with want false holds for nothing', async () => {
  const checks = [
    { is: 'exists', of: 'article.deleted_at', want: false, hint: 'deleted' },
    { is: 'count', of: 'article.none', want: 1, hint: 'count' },
    { is: 'count', of: 'article.id', want: {}, hint: 'no bounds' },
    { is: 'matches', of: 'article.id', want: '(', hint: 'bad pattern' },
    { on: 'article', schema: { type: 'nothing' }, hint: 'bad schema' },
  ] as const;
  const outcome = await run({ checks }, () => json({ id: '1' }));
  expect(outcome.kind === 'failed' && outcome.issues.map(({ path }) => path)).toEqual([
    '/checks/1',
    '/checks/2',
    '/checks/3',
    '/checks/4',
  ]);
});

test('P40: a read answered from a cache proves nothing, either way, until it is newer than the write', async () => {
  const cached = (_: string, __: JsonObject, now: number): ToolResult =>
    now < 1_060_000
      ? error('404 (cache_age_ms 40000)')
      : json({ id: 'fr', status: 'draft', cache_age_ms: 0 });
  const impatient = await run(
    {
      fresh: {
        minAgeMs: 0,
        recheckMs: 1000,
        deadlineMs: 5000,
        when: 'has(article.cache_age_ms) && article.cache_age_ms <= age',
      },
    },
    cached,
  );
  expect(impatient).toMatchObject({
    kind: 'unchecked',
    issues: expect.arrayContaining([expect.objectContaining({ code: 'confirm.stale' })]),
  });
  const clock = stillClock();
  const patient = await run({ fresh: { minAgeMs: 0, recheckMs: 1000, deadlineMs: 120_000 } }, cached, {
    clock,
  });
  expect(patient.kind).toBe('confirmed');
  expect(clock.slept).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000]);
  const aged = stillClock();
  expect(
    (await run({ fresh: { minAgeMs: 61_000, recheckMs: 1000, deadlineMs: 0 } }, cached, { clock: aged }))
      .kind,
  ).toBe('confirmed');
  expect(aged.slept).toEqual([61_000]);
  const bypassed = await run(
    {
      reads: [
        {
          as: 'article',
          tool: 'get_article',
          args: { id: '=args.id', fresh: false },
          bypass: { fresh: true },
        },
      ],
    },
    (_, args) => (args['fresh'] === true ? json({ id: 'fr', status: 'draft' }) : error('404')),
  );
  expect(bypassed.kind).toBe('confirmed');
});

test('P40: a deleted article that a cache still shows is not proof that the delete failed', async () => {
  const gone: Partial<ConfirmationSpec> = {
    checks: [{ cel: 'has(article.error) && article.error.contains("404")', hint: 'still there' }],
    absent: null,
    set: { path: '/gone/=args.id', value: 'true' },
    fresh: {
      minAgeMs: 0,
      recheckMs: 1000,
      deadlineMs: 0,
      when: '!has(article.cache_age_ms) || article.cache_age_ms < age',
    },
  };
  const stale = await run(gone, () => json({ id: '12', cache_age_ms: 40_000 }));
  expect(stale.kind).toBe('unchecked');
  expect((await run(gone, () => error('404 not found'))).kind).toBe('confirmed');
  expect((await run(gone, () => error('503 upstream'))).kind).toBe('unchecked');
});

test('where a write is settled by its answer, a failed check is final and a stale or failed read is not', async () => {
  const fresh = { minAgeMs: 0, recheckMs: 100, deadlineMs: 5000, settled: true } as const;
  let reads = 0;
  const published = (): ToolResult => json({ id: 'fr', status: ++reads < 9 ? 'published' : 'draft' });
  expect((await run({ fresh }, published)).kind).toBe('failed');
  expect(reads).toBe(1);
  const stale = { ...fresh, when: 'article.cache_age_ms <= age' };
  const ages = [9000, 0];
  const cached = (): ToolResult => json({ id: 'fr', status: 'draft', cache_age_ms: ages.shift() ?? 0 });
  expect((await run({ fresh: stale }, cached)).kind).toBe('confirmed');
  const answers = [error('503'), error('404'), json({ id: 'fr', status: 'draft' })];
  expect((await run({ fresh }, () => answers.shift() ?? error('500'))).kind).toBe('confirmed');
});

test('a failed read is neither success nor failure, whatever the checks would say', async () => {
  const negative = { checks: [{ cel: '!has(article.deleted_at)', hint: 'deleted' }] } as const;
  expect(await run(negative, () => error('429 Retry-After: 5'))).toMatchObject({
    kind: 'unchecked',
    issues: [{ code: 'confirm.unread', hint: 'get_article could not be read: 429 Retry-After: 5' }],
  });
});

test('absence is concluded only by the last read and only as declared', async () => {
  let reads = 0;
  const late = await run({ fresh: { minAgeMs: 0, recheckMs: 100, deadlineMs: 300 } }, () =>
    ++reads < 3 ? error('404') : json({ id: 'x', status: 'draft' }),
  );
  expect([late.kind, reads]).toEqual(['confirmed', 3]);
  expect(await run({}, () => error('404'))).toMatchObject({ kind: 'failed', absent: true });
  expect(await run({ absent: null }, () => error('404'))).toMatchObject({ kind: 'unchecked' });
  expect(await run({}, () => error('500'))).toMatchObject({ kind: 'unchecked' });
});

test('dependent reads run in their order, and each may use the ones before', async () => {
  const order: string[] = [];
  const reads = [
    { as: 'article', tool: 'get_article', args: { id: '=args.id' }, bypass: null },
    { as: 'parts', tool: 'list_paragraphs', args: { of: '=article.fr', limit: 50 }, bypass: null },
  ];
  const checks = [{ is: 'count', of: 'read.parts.items', want: [1, 99], hint: 'no paragraphs' }] as const;
  const outcome = await run(
    { reads, checks, set: { path: '/verified/=args.id/n', value: 'size(parts.items)' } },
    (tool, args) => {
      order.push(`${tool} ${JSON.stringify(args)}`);
      return tool === 'get_article' ? json({ fr: 'f9' }) : json({ items: [1, 2] });
    },
  );
  expect(order).toEqual(['get_article {"id":"12"}', 'list_paragraphs {"of":"f9","limit":50}']);
  expect(outcome).toMatchObject({ kind: 'confirmed', path: '/verified/12/n', value: 2 });
  const broken = await run({ reads, checks }, () => error('500'));
  expect(broken).toMatchObject({
    kind: 'unchecked',
    issues: [{ code: 'confirm.unread' }, { code: 'confirm.expression', path: '/reads/1/args/of' }],
  });
});

test('no read happens before the deadline of a call that may still be going on', async () => {
  const clock = stillClock();
  const at: number[] = [];
  await run(
    {},
    (_, __, now) => {
      at.push(now);
      return json({ id: 'x', status: 'draft' });
    },
    { clock, notBefore: 1_030_000 },
  );
  expect(at).toEqual([1_030_000]);
});

test('a path or value that cannot be computed leaves the outcome open', async () => {
  const good = (): ToolResult => json({ id: 'x', status: 'draft' });
  expect(await run({ set: { path: '/verified/=article.none', value: 'true' } }, good)).toMatchObject({
    kind: 'unchecked',
  });
  expect(await run({ set: { path: '/verified/=""', value: 'true' } }, good)).toMatchObject({
    kind: 'unchecked',
    issues: [{ code: 'confirm.path' }],
  });
  expect(await run({ set: { path: '/verified/a', value: 'article.none' } }, good)).toMatchObject({
    kind: 'unchecked',
  });
});
