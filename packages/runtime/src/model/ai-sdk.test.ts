import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject, Model, ModelReply, ModelRequest, PromptPart, ReplyMode } from '../types.ts';
import { type AiSdkOptions, createAiSdkModel } from './ai-sdk.ts';
import { type FakeProtocol, type FakeProvider, type FakeReply, startFakeProvider } from './fake-provider.ts';
import { promptText } from './script.ts';

const KEY = 'sk-test-0123456789abcdefghij';
const transition = '{"reasoning":"r","patch":{"n":1},"action":{"tool":"wait","args":{}}}';
const schema: JsonObject = {
  type: 'object',
  properties: { reasoning: { type: 'string' }, patch: { type: 'object' }, action: { type: 'object' } },
  required: ['reasoning', 'patch', 'action'],
};

const part = (role: PromptPart['role'], text: string, cache = false): PromptPart => ({ role, text, cache });
const fixedPart = `The fixed part. ${'It does not change. '.repeat(400)}`;

function ask(model: Model, more: Partial<ModelRequest> = {}): Promise<ModelReply> {
  return model.ask({
    prompt: [part('system', 'P'), part('system', fixedPart, true), part('user', 'Σ'), part('user', 'O 🦊')],
    schema,
    cacheKey: 'run-1',
    signal: new AbortController().signal,
    ...more,
  });
}

const waits: number[] = [];
const noWait = {
  baseMs: 8,
  capMs: 5_000,
  random: () => 0,
  sleep: (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  },
};

let fake: FakeProvider | null = null;
afterEach(async () => {
  await fake?.close();
  fake = null;
  waits.length = 0;
});

/** Replies in turn; the last one repeats. */
async function serve(...replies: FakeReply[]): Promise<FakeProvider> {
  fake = await startFakeProvider({
    reply: (_, { call }) => replies[Math.min(call, replies.length) - 1] ?? '',
  });
  return fake;
}

const protocols: readonly FakeProtocol[] = ['responses', 'chat', 'anthropic', 'google'];
type Kind = FakeProtocol | 'compatible';
const kinds: readonly Kind[] = [...protocols, 'compatible'];
const modes: readonly ReplyMode[] = ['text', 'tool', 'structured'];

function modelOf(kind: Kind, server: FakeProvider, more: Partial<AiSdkOptions> = {}): Model {
  const of: Record<Kind, AiSdkOptions> = {
    responses: { provider: 'openai', model: 'gpt-4.1' },
    chat: { provider: 'openai', model: 'gpt-4.1', api: 'chat' },
    anthropic: { provider: 'anthropic', model: 'claude-haiku-4-5' },
    google: { provider: 'google', model: 'gemini-2.5-flash' },
    compatible: { provider: 'compatible', model: 'qwen3', server: 'ollama' },
  };
  const baseURL = server.url(kind === 'compatible' ? 'chat' : kind);
  return createAiSdkModel({ ...of[kind], baseURL, apiKey: KEY, retry: noWait, ...more });
}

const body = (server: FakeProvider, index = 0): JsonObject => server.requests[index]?.body ?? {};

describe.each(kinds)('%s', (kind) => {
  test.each(modes)('a normal reply in %s mode, with the exact prompt bytes and the usage', async (mode) => {
    const server = await serve({ text: transition });
    const reply = await ask(modelOf(kind, server, { mode }));
    expect(reply).toMatchObject({ ok: true, finish: 'stop', retries: [], calls: mode === 'tool' ? 1 : 0 });
    if (!reply.ok) return;
    expect([reply.text, reply.json]).toEqual(mode === 'text' ? [transition, null] : ['', transition]);
    const sent = [part('system', 'P'), part('system', fixedPart), part('user', 'Σ'), part('user', 'O 🦊')];
    expect(server.requests[0]?.prompt).toBe(promptText(sent));
    expect(reply.usage.source).toBe('provider');
    expect(reply.usage.inputTokens).toBe(Math.ceil(Buffer.byteLength(promptText(sent)) / 4));
    expect(reply.usage.outputTokens).toBe(Math.ceil(transition.length / 4));
  });

  test('prose without a call in tool mode is text, with no JSON', async () => {
    const server = await serve({ text: 'I think so.', prose: true });
    const reply = await ask(modelOf(kind, server, { mode: 'tool' }));
    expect(reply).toMatchObject({ ok: true, text: 'I think so.', json: null, calls: 0 });
  });

  test('two calls are counted, not merged', async () => {
    const server = await serve({ text: transition, calls: 2 });
    const reply = await ask(modelOf(kind, server, { mode: 'tool' }));
    expect(reply).toMatchObject({ ok: true, json: transition, calls: 2 });
  });

  test.each(modes)('output cut at the cap is truncated in %s mode', async (mode) => {
    const server = await serve({ text: '{"patch":{"a":1', finish: 'length' });
    const reply = await ask(modelOf(kind, server, { mode, maxOutputTokens: 50 }));
    expect(reply).toMatchObject({ ok: true, finish: 'length' });
  });

  test('P04: output at the cap is truncated, although the provider calls it a normal call', async () => {
    const server = await serve({ text: transition, finish: 'length', mislabel: true });
    const reply = await ask(modelOf(kind, server, { mode: 'tool', maxOutputTokens: 800 }));
    expect(reply).toMatchObject({ ok: true, finish: 'length' });
    expect(reply.usage.outputTokens).toBe(800);
  });

  test('P04: a short malformed reply is not called truncated', async () => {
    const server = await serve({ text: '{"patch":{"a"' });
    const reply = await ask(modelOf(kind, server, { mode: 'tool' }));
    expect(reply.ok && reply.finish).not.toBe('length');
  });

  test.each(modes)('a refusal is a refusal, never a transition, in %s mode', async (mode) => {
    const server = await serve({ text: 'I cannot help with that.', finish: 'refusal' });
    const reply = await ask(modelOf(kind, server, { mode }));
    expect(reply).toMatchObject({ ok: true, finish: 'refusal', json: null });
  });

  test('malformed tool JSON arrives as the model wrote it', async () => {
    const server = await serve({ text: '{"patch": {"a": 1, "a": 2}, "action": ' });
    const reply = await ask(modelOf(kind, server, { mode: 'tool' }));
    if (kind === 'google') expect(reply).toMatchObject({ ok: true, finish: 'other', json: null });
    else expect(reply).toMatchObject({ ok: true, json: '{"patch": {"a": 1, "a": 2}, "action": ', calls: 1 });
  });

  test('duplicated keys of a call survive to our own parser', async () => {
    const text = '{"patch":{"a":1,"a":2},"action":"x"}';
    const server = await serve({ text });
    const reply = await ask(modelOf(kind, server, { mode: 'tool' }));
    // Google sends arguments as an object, so the provider itself has dropped the first one.
    expect(reply.ok && reply.json).toBe(kind === 'google' ? '{"patch":{"a":2},"action":"x"}' : text);
  });

  test.each([false, true])(
    'a stream that dies is asked again, and listed (ended in order: %s)',
    async (quiet) => {
      const dieAfter = kind === 'google' ? 1 : 3;
      const server = await serve({ text: transition, dieAfter, quiet }, { text: transition });
      const reply = await ask(modelOf(kind, server));
      expect(reply).toMatchObject({ ok: true, json: transition, retries: [{ code: 'model.connection' }] });
      expect(server.requests).toHaveLength(2);
    },
  );

  test('Retry-After is honoured up to the cap, in seconds and as a date', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const server = await serve(
      { status: 429, headers: { 'retry-after': '2' } },
      { status: 429, headers: { 'retry-after': date } },
      { text: transition },
    );
    const reply = await ask(modelOf(kind, server));
    expect(reply).toMatchObject({
      ok: true,
      retries: [{ code: 'model.rate_limit' }, { code: 'model.rate_limit' }],
    });
    expect(waits).toEqual([2_000, 5_000]);
    expect(reply.retries.map((retry) => retry.waitMs)).toEqual(waits);
  });

  test('retries of 5xx are bounded, back off, and leave a temporary failure', async () => {
    const server = await serve({ status: 503 });
    const reply = await ask(modelOf(kind, server, { retries: 3 }));
    expect(reply).toMatchObject({ ok: false, temporary: true, issue: { code: 'model.server' } });
    expect(reply.retries).toHaveLength(3);
    expect(server.requests).toHaveLength(4);
    expect(waits).toEqual([8, 16, 32]);
  });

  test('an empty reply is asked again, and its usage is paid for', async () => {
    const server = await serve({ text: '' }, { text: transition });
    const reply = await ask(modelOf(kind, server));
    expect(reply).toMatchObject({ ok: true, retries: [{ code: 'model.empty' }] });
    const once = Math.ceil(Buffer.byteLength(server.requests[0]?.prompt ?? '') / 4);
    expect(reply.usage.inputTokens).toBe(2 * once);
  });

  test('a reply that does not come is a timeout', async () => {
    const server = await serve({ hang: true }, { text: transition });
    const reply = await ask(modelOf(kind, server, { timeoutMs: 300 }));
    expect(reply).toMatchObject({ ok: true, retries: [{ code: 'model.timeout' }] });
  });

  test.each([
    [401, 'model.auth'],
    [403, 'model.auth'],
    [404, 'model.not_found'],
    [400, 'model.request'],
    [307, 'model.request'],
  ])('HTTP %i is %s and is not retried', async (status, code) => {
    const server = await serve({
      status,
      headers: status === 307 ? { location: 'http://127.0.0.1:1/' } : {},
    });
    const reply = await ask(modelOf(kind, server));
    expect(reply).toMatchObject({ ok: false, temporary: false, issue: { code }, retries: [] });
    expect(server.requests).toHaveLength(1);
  });

  test('the key reaches the provider and never comes back in an issue, a retry or a reply', async () => {
    const echoes = [
      `Incorrect API key provided: ${KEY}. See https://x.example/?key=${KEY}&a=1`,
      `bad key ${KEY.slice(0, 14)}**********${KEY.slice(-4)}`,
      `Bearer ${KEY} has no access`,
    ];
    for (const message of echoes) {
      const server = await serve({ status: 500, message }, { status: 401, message });
      const reply = await ask(modelOf(kind, server));
      expect(server.requests[0]?.key).toBe(KEY);
      const shown = JSON.stringify(reply);
      for (let at = 0; at + 8 <= KEY.length; at += 1) expect(shown).not.toContain(KEY.slice(at, at + 8));
      expect(shown).not.toContain(`*${KEY.slice(-4)}`);
      await server.close();
    }
    const server = await serve({ text: `{"patch":{"leak":"${KEY}"}}` });
    expect(JSON.stringify(await ask(modelOf(kind, server)))).not.toContain(KEY);
  });

  test('a reply without end is left early and counts as cut off', async () => {
    const server = await serve({ flood: 50_000_000 });
    const reply = await ask(modelOf(kind, server, { mode: 'text', maxReplyBytes: 20_000 }));
    expect(reply).toMatchObject({ ok: true, finish: 'length' });
    expect(reply.ok && reply.text.length).toBeLessThan(30_000);
    await expect.poll(() => server.requests[0]?.closedEarly).toBe(true);
  });

  test('one endless line is left early', async () => {
    const server = await serve({ flood: 300_000, line: true });
    const reply = await ask(modelOf(kind, server, { maxReplyBytes: 20_000 }));
    expect(reply).toMatchObject({ ok: false, temporary: false, issue: { code: 'model.too_large' } });
    expect(!reply.ok && reply.issue.hint).toContain('80000 bytes');
  });

  test('cancelling ends the call at once, in the request and in a pause', async () => {
    const server = await serve({ hang: true });
    const caller = new AbortController();
    const pending = ask(modelOf(kind, server), { signal: caller.signal });
    await expect.poll(() => server.requests.length).toBe(1);
    caller.abort();
    expect(await pending).toMatchObject({ ok: false, temporary: true, issue: { code: 'model.aborted' } });
    await server.close();
    const busy = await serve({ status: 503 });
    const second = new AbortController();
    const { sleep: _, ...pauses } = noWait;
    const waiting = ask(modelOf(kind, busy, { retry: { ...pauses, baseMs: 60_000, capMs: 60_000 } }), {
      signal: second.signal,
    });
    await expect.poll(() => busy.requests.length).toBe(1);
    second.abort();
    expect(await waiting).toMatchObject({ ok: false, issue: { code: 'model.aborted' } });
  });

  test('the second call reads the fixed part from the cache and says so', async () => {
    const server = await serve({ text: transition });
    const model = modelOf(kind, server);
    const first = await ask(model);
    const prompt = [
      part('system', 'P'),
      part('system', fixedPart, true),
      part('user', 'Σ2'),
      part('user', 'O2'),
    ];
    const second = await ask(model, { prompt });
    expect(first.usage.cacheReadTokens).toBe(0);
    expect(second.usage.cacheReadTokens).toBeGreaterThan(1_024);
    expect(second.usage.cacheReadTokens).toBeLessThan(second.usage.inputTokens);
    if (kind === 'anthropic') {
      expect(first.usage.cacheWriteTokens).toBe(second.usage.cacheReadTokens);
      expect(second.usage.cacheWriteTokens).toBe(0);
    }
  });

  test('thinking is asked for, counted, and not part of the reply', async () => {
    const server = await serve({ text: transition, reasoning: 'Let me think about this.' });
    const model = kind === 'responses' || kind === 'chat' ? 'o4-mini' : undefined;
    const reply = await ask(
      modelOf(kind, server, { mode: 'tool', thinking: 'low', ...(model ? { model } : {}) }),
    );
    expect(reply).toMatchObject({ ok: true, text: '', json: transition });
    const choice = JSON.stringify(body(server)['tool_choice'] ?? body(server)['toolConfig']);
    const forced = kind !== 'anthropic' && kind !== 'compatible';
    expect(choice.includes('auto')).toBe(!forced);
    expect(JSON.stringify(body(server))).toMatch(/reasoning|thinking/);
    expect(body(server)).not.toHaveProperty('temperature');
  });
});

test.each(kinds)(
  '%s: a reply that is cut off keeps what was known of its usage, and is marked',
  async (kind) => {
    const server = await serve({ text: transition.repeat(9), dieAfter: 4 }, { text: transition });
    const count = (text: string) => text.length;
    const once = await ask(modelOf(kind, server, { mode: 'text', retries: 0, count }));
    expect([once.ok, once.usage.unreported]).toEqual([false, 1]);
    expect(once.usage.inputTokens).toBeGreaterThan(1_000);
    const second = await serve({ text: transition.repeat(9), dieAfter: 4 }, { text: transition });
    const again = await ask(modelOf(kind, second, { mode: 'text', count }));
    expect(again).toMatchObject({ ok: true, usage: { unreported: 1 } });
    expect(again.usage.inputTokens).toBeGreaterThan(once.usage.inputTokens);
    await server.close();
  },
);

test('a call that is cancelled before anything came is marked, and counts nothing that nobody said', async () => {
  const server = await serve({ hang: true });
  const caller = new AbortController();
  const pending = ask(modelOf('compatible', server, { count: () => 9 }), { signal: caller.signal });
  await expect.poll(() => server.requests.length).toBe(1);
  caller.abort();
  expect((await pending).usage).toMatchObject({ inputTokens: 0, source: 'none', unreported: 1 });
});

test("a provider's message is given to the run's redaction before it is cut", async () => {
  const secret = 'run-secret-0123456789';
  const server = await serve({ status: 500, message: `${'x'.repeat(390)}${secret}` });
  const redact = (text: string) => text.replaceAll(secret, '[secret]');
  const reply = await ask(modelOf('chat', server, { retries: 0 }), { redact });
  expect(JSON.stringify(reply)).toContain('x[secret');
  expect(JSON.stringify(reply)).not.toContain('run-s');
});

test('a refused request used nothing', async () => {
  const server = await serve({ status: 500 });
  expect((await ask(modelOf('chat', server, { retries: 0 }))).usage).not.toHaveProperty('unreported');
});

test('a server that reports no usage is counted where a counter is given, else marked', async () => {
  const server = await serve({ text: transition, silent: true });
  expect((await ask(modelOf('compatible', server))).usage.source).toBe('none');
  const counted = await ask(modelOf('compatible', server, { count: (text) => text.length }));
  expect(counted.usage).toMatchObject({ source: 'counted', outputTokens: transition.length });
});

test('Anthropic gets one breakpoint, exactly behind the fixed part', async () => {
  const server = await serve({ text: transition });
  await ask(modelOf('anthropic', server));
  const sent = JSON.stringify(body(server));
  expect(sent.match(/cache_control/g)).toHaveLength(1);
  const system = body(server)['system'] as readonly JsonObject[];
  expect(system).toEqual([
    { type: 'text', text: 'P' },
    { type: 'text', text: `\n\n${fixedPart}`, cache_control: { type: 'ephemeral' } },
  ]);
});

test('Anthropic takes a breakpoint behind a user part, and at most four in all', async () => {
  const server = await serve({ text: transition });
  const prompt = Array.from({ length: 6 }, (_, index) => part('user', `part ${index}`, true));
  await ask(modelOf('anthropic', server), { prompt: [part('system', 'P'), ...prompt, part('user', 'last')] });
  const [message] = body(server)['messages'] as readonly { content: readonly JsonObject[] }[];
  expect(message?.content.map((block) => [block['text'], 'cache_control' in block])).toEqual([
    ['part 0', false],
    ['\n\npart 1', false],
    ['\n\npart 2', true],
    ['\n\npart 3', true],
    ['\n\npart 4', true],
    ['\n\npart 5', true],
    ['\n\nlast', false],
  ]);
});

test.each(['responses', 'chat'] as const)(
  'OpenAI models that charge for cache writes get the breakpoint behind the fixed part only (%s)',
  async (kind) => {
    const server = await serve({ text: transition });
    const model = modelOf(kind, server, { model: 'gpt-5.6-terra' });
    const first = await ask(model);
    const second = await ask(model);
    expect(first.usage.cacheWriteTokens).toBeGreaterThan(1_024);
    const read = first.usage.cacheWriteTokens;
    expect(second.usage).toMatchObject({ cacheWriteTokens: 0, cacheReadTokens: read });
    const sent = body(server, 1);
    expect(sent['prompt_cache_options']).toEqual({ mode: 'explicit' });
    expect(JSON.stringify(sent).match(/prompt_cache_breakpoint/g)).toHaveLength(1);
    const [, fixed] = (sent['input'] ?? sent['messages']) as readonly { content: readonly JsonObject[] }[];
    const marked = { text: `\n\n${fixedPart}`, prompt_cache_breakpoint: { mode: 'explicit' } };
    expect(fixed?.content[0]).toMatchObject(marked);
  },
);

test('only models with breakpoints get them, and OpenAI gets the cache key within 64 characters', async () => {
  const server = await serve({ text: transition });
  for (const kind of ['responses', 'chat', 'google', 'compatible'] as const) await ask(modelOf(kind, server));
  await ask(modelOf('responses', server), { cacheKey: 'k'.repeat(100) });
  const bodies = server.requests.map((request) => request.body);
  expect(JSON.stringify(bodies)).not.toMatch(/cache_control|breakpoint|cache_options/);
  expect(bodies.map((sent) => sent['prompt_cache_key'])).toEqual([
    'run-1',
    'run-1',
    undefined,
    undefined,
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ]);
});

test('the same request gives the same bytes', async () => {
  const server = await serve({ text: transition });
  for (const kind of kinds) {
    await ask(modelOf(kind, server));
    await ask(modelOf(kind, server));
    const [before, after] = server.requests.slice(-2);
    expect(JSON.stringify(before?.body)).toBe(JSON.stringify(after?.body));
  }
});

test('a forced tool without a strict schema, or a constraint by the schema itself', async () => {
  const server = await serve({ text: transition });
  await ask(modelOf('responses', server));
  expect(body(server)).toMatchObject({
    tools: [{ name: 'propose_transition', strict: false }],
    tool_choice: { type: 'function', name: 'propose_transition' },
    parallel_tool_calls: false,
    temperature: 0,
  });
  await ask(modelOf('responses', server, { mode: 'structured' }));
  expect(body(server, 1)).toMatchObject({ text: { format: { type: 'json_schema', strict: true } } });
  await ask(modelOf('responses', server, { mode: 'structured', dialect: 'merge' }));
  expect(body(server, 2)).toMatchObject({ text: { format: { type: 'json_schema', strict: false } } });
  await ask(modelOf('compatible', server, { server: 'vllm' }));
  expect(body(server, 3)).toMatchObject({
    guided_json: schema,
    response_format: { type: 'json_schema', json_schema: { schema, strict: false } },
  });
  await ask(modelOf('compatible', server));
  expect(body(server, 4)).not.toHaveProperty('guided_json');
});

test('a used-up quota is not a rate limit: a person must act', async () => {
  fake = await startFakeProvider({ reply: () => ({ status: 429, message: 'insufficient_quota: pay' }) });
  const reply = await ask(modelOf('chat', fake));
  expect(reply).toMatchObject({ ok: false, temporary: false, issue: { code: 'model.quota' }, retries: [] });
});

test('a server that is not there is a connection failure, asked again within bounds', async () => {
  const server = await serve({ text: transition });
  const model = modelOf('compatible', server, { retries: 2 });
  await server.close();
  const reply = await ask(model);
  expect(reply).toMatchObject({ ok: false, temporary: true, issue: { code: 'model.connection' } });
  expect(reply.retries).toHaveLength(2);
});

test('without a key nothing is sent, and the hint names the variable', async () => {
  const model = createAiSdkModel({ provider: 'google', model: 'gemini-2.5-flash', env: {} });
  const reply = await ask(model);
  expect(reply).toMatchObject({ ok: false, temporary: false, issue: { code: 'model.auth' } });
  expect(!reply.ok && reply.issue.hint).toContain('GOOGLE_GENERATIVE_AI_API_KEY');
});
