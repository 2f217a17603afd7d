import { expect, test } from 'vitest';
import { defineSkill } from '../skill/define.ts';
import { call, eventsOf, ok, playing, reply, tool, world } from './fixture.test.data.ts';

const SKILL = defineSkill({
  name: 'sees',
  description: 'Sees.',
  instructions: 'See.',
  state: { type: 'object', properties: { n: { type: 'integer' } } },
  actions: { functions: ['look'] },
});

test('half a character from a sender, a message or a part of a result reaches no prompt', async () => {
  const bytes = new TextEncoder().encode('x');
  const look = tool(
    'look',
    () => ({
      ...ok('seen'),
      blobs: [{ name: 'a\ud83d', mimeType: 'text/plain', bytes }],
    }),
    { readOnly: true },
  );
  const { model, prompts } = playing([reply({ n: 1 }, call('look')), reply({ n: 2 }, call('wait'))]);
  const { runtime } = await world({ model, tools: [look] });
  await runtime.start(SKILL, { run: 'r', input: 'price \ud83d' });
  await runtime.send('r', 'x', 'ann\udc00');
  await runtime.resume('r');
  expect(prompts).toHaveLength(3);
  expect(prompts.map((prompt) => prompt.isWellFormed())).toEqual([true, true, true]);
});

test('a secret in a text part of a result is stored nowhere', async () => {
  const secrets = { TOKEN: 'sk-test-secret' };
  const bytes = new TextEncoder().encode('it is sk-test-secret');
  const look = tool(
    'look',
    () => ({
      ...ok('seen'),
      blobs: [{ name: 'note', mimeType: 'text/plain', bytes }],
    }),
    { readOnly: true },
  );
  const { model, prompts } = playing([reply({ n: 1 }, call('look'))]);
  const { runtime, store } = await world({ model, tools: [look], secrets });
  await runtime.start(SKILL, { run: 'r' });
  const handle = /handle (p-[0-9a-f]{16})/.exec(prompts[1] ?? '')?.[1] ?? '';
  const payload = await store.payload('r', handle);
  expect(payload === null || payload === 'pruned' ? '' : new TextDecoder().decode(payload.bytes)).toBe(
    'it is [secret:TOKEN]',
  );
});

test('a secret in an error of a tool or of the model is stored and shown nowhere, wherever the text is cut', async () => {
  const secret = 'sk-test-0123456789-abcdefghij';
  const look = {
    ...tool('look', () => Promise.reject(new Error(`${'x'.repeat(3990)}${secret} refused`)), {
      readOnly: true,
    }),
    description: `Looks with ${secret}.`,
  };
  const { model, prompts } = playing([
    reply({ n: 1 }, call('look')),
    () => {
      throw new Error(`the server said ${secret}`);
    },
  ]);
  const { runtime, store } = await world({ model, tools: [look], secrets: { TOKEN: secret } });
  const report = await runtime.start(SKILL, { run: 'r' });
  expect(report.reason).toContain('the server said [secret:TOKEN]');
  const { head } = (await store.load('r')) ?? {};
  const stored = JSON.stringify([await eventsOf(store, 'r'), head, await store.document(head?.tools ?? '')]);
  expect(stored + prompts.join()).not.toContain(secret.slice(0, 9));
});
