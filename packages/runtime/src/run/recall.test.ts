import { expect, test } from 'vitest';
import { byteLength } from '../json/wellformed.ts';
import { defineSkill } from '../skill/define.ts';
import type { Json } from '../types.ts';
import { call, eventsOf, ok, playing, reply, tool, world } from './fixture.test.data.ts';

const skill = defineSkill({
  name: 'remember',
  description: 'Remembers.',
  instructions: 'Remember.',
  state: { type: 'object', properties: { n: { type: 'integer' } } },
  actions: { functions: ['look'], recall: true },
  observation: { resultBytes: 2000 },
});

const FACTS = [
  'see src/auth.rs for it',
  "they don't know",
  'the data-api answers',
  'released as v2.1 today',
  'tagged foo:bar',
  'an "unclosed quote',
  'NOT a problem',
  'a AND b',
  '日本語の文字',
];
const QUERIES = [
  'src/auth.rs',
  "don't",
  'data-api',
  'v2.1',
  'foo:bar',
  '"unclosed',
  'NOT',
  'a AND',
  '日本語',
];

const recall = (query: string, more: { limit?: number } = {}): Json => call('recall', { query, ...more });

test('P73: no query throws; each finds the event that holds its text; a blank one says so', async () => {
  const replies = [
    ...FACTS.map((fact, n) => reply({ n }, call('look', { fact }))),
    ...QUERIES.map((query, n) => reply({ n: 100 + n }, recall(query))),
    reply({ n: 999 }, recall('   ')),
    reply({ n: 1000 }, recall('never said anywhere')),
  ];
  const { model, prompts } = playing(replies);
  const look = tool('look', ({ args }) => ok(`found: ${args['fact'] as string}`), { readOnly: true });
  const { runtime, store } = await world({ model, tools: [look] });
  expect((await runtime.start(skill, { run: 'r' })).status).toBe('finished');
  const results = (await eventsOf(store, 'r')).flatMap((event) =>
    event.type === 'action.finished' && event.tool === 'recall' ? [event] : [],
  );
  expect(results.map(({ status }) => status)).toEqual(results.map(() => 'ok'));
  for (const [index, query] of QUERIES.entries()) {
    const text = results[index]?.result as string;
    expect(text).toContain(query);
    expect(text).toMatch(new RegExp(`e\\d+ (action.finished|step.accepted), step ${index + 1}\\b`));
    expect(text).not.toContain(`step ${FACTS.length + 1}`);
  }
  expect(results.at(-2)?.result).toContain('nothing to look for');
  expect(results.at(-1)?.result).toBe('nothing found');
  expect(prompts.at(-1)).toContain('nothing found');
});

test('what recall said is bounded, opens with read_payload, and is not found again', async () => {
  const long = `${'filler '.repeat(3000)} needle-42 ${'filler '.repeat(3000)}`;
  const opened: string[] = [];
  const { model } = playing([
    ...Array.from({ length: 30 }, (_, n) => reply({ n }, call('look', { n }))),
    reply({ n: 50 }, recall('needle-42', { limit: 20 })),
    (prompt) => {
      const [, event, handle] = /(e\d+) action\.finished, step \d+, in (p-\w+)/.exec(prompt) ?? [];
      opened.push(event ?? '', handle ?? '');
      return reply({ n: 51 }, call('read_payload', { handle: handle ?? '', start: 20_990 }));
    },
    (prompt) => {
      opened.push(prompt);
      return reply({ n: 52 }, call('read_payload', { handle: opened[0] ?? '' }));
    },
    (prompt) => {
      opened.push(prompt);
      return reply({ n: 53 }, recall('needle-42', { limit: 20 }));
    },
    reply({ n: 54 }, call('read_payload', { handle: 'e99999' })),
  ]);
  const look = tool('look', () => ok(long), { readOnly: true });
  const { runtime, store } = await world({ model, tools: [look] });
  expect((await runtime.start(skill, { run: 'r' })).status).toBe('finished');
  const finished = (await eventsOf(store, 'r')).flatMap((event) =>
    event.type === 'action.finished' ? [event] : [],
  );
  const [first, second] = finished
    .filter(({ tool: name }) => name === 'recall')
    .map(async ({ result }) => {
      if (typeof result === 'string') return result;
      const payload = await store.payload('r', result.handle);
      return payload === null || payload === 'pruned' ? '' : new TextDecoder().decode(payload.bytes);
    });
  const text = (await first) ?? '';
  expect(text.split('\n')).toHaveLength(21);
  expect(byteLength(text)).toBeLessThan(6000);
  expect(opened[2]).toContain('needle-42');
  expect(opened[3]).toContain('"type":"action.finished"');
  expect(await second).not.toMatch(/step 3[1-4]\b/);
  expect(finished.at(-1)).toMatchObject({ status: 'error', result: 'no payload e99999 in this run' });
});
