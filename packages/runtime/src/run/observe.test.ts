import { expect, test } from 'vitest';
import { defineSkill } from '../skill/define.ts';
import { call, ok, playing, reply, tool, world } from './fixture.test.data.ts';

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
