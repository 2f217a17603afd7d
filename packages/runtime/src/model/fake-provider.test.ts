import { expect, test } from 'vitest';
import { startFakeProvider } from './fake-provider.ts';

const tool = { name: 'propose_transition', parameters: { type: 'object' } };
const requests = {
  chat: [
    '/chat/completions',
    { model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [{ function: tool }] },
  ],
  responses: ['/responses', { model: 'm', input: [{ role: 'user', content: 'hi' }], tools: [tool] }],
  anthropic: [
    '/messages',
    { model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [tool], max_tokens: 9 },
  ],
  google: [
    '/models/m:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], tools: [{ functionDeclarations: [tool] }] },
  ],
} as const;

test('a request without streaming is answered in one body, as a call of the offered tool', async () => {
  const server = await startFakeProvider({ reply: (prompt) => JSON.stringify({ prompt }) });
  for (const protocol of ['chat', 'responses', 'anthropic', 'google'] as const) {
    const [path, body] = requests[protocol];
    const response = await fetch(`${server.url(protocol)}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const text = JSON.stringify(await response.json());
    expect(text).toContain('propose_transition');
    expect(text.replaceAll('\\', '')).toContain('{"prompt":"hi"}');
    expect(server.requests.at(-1)).toMatchObject({ protocol, prompt: 'hi' });
  }
  const missing = await fetch(`${server.url('chat')}/models`);
  expect(missing.status).toBe(404);
  await server.close();
});
