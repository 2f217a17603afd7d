import { expect, test } from 'vitest';
import type { Usage } from '../types.ts';
import { createSpans, loadTracer, type TracerPort } from './spans.ts';

type Recorded = { name: string; attributes: Record<string, unknown>; status: unknown; ended: boolean };

function recorder(): { tracer: TracerPort; spans: Recorded[] } {
  const spans: Recorded[] = [];
  const tracer: TracerPort = {
    startActiveSpan(name, options, work) {
      const span: Recorded = { name, attributes: { ...options.attributes }, status: null, ended: false };
      spans.push(span);
      return work({
        setAttribute: (key, value) => (span.attributes[key] = value),
        setStatus: (status) => (span.status = status),
        end: () => {
          span.ended = true;
        },
      });
    },
  };
  return { tracer, spans };
}

const usage: Usage = {
  inputTokens: 10,
  cacheReadTokens: 4,
  cacheWriteTokens: 2,
  outputTokens: 3,
  reasoningTokens: 1,
  source: 'provider',
};

test('a run, a chat and a tool give the three spans of the conventions, with usage', async () => {
  const { tracer, spans } = recorder();
  const made = createSpans(tracer);
  const value = await made.run('warehouse', 'r1', async () => {
    await made.chat('openai:gpt-5', (span) => Promise.resolve(span.usage(usage)));
    return made.tool('move', 'c1', () => Promise.resolve(7));
  });
  expect(value).toBe(7);
  expect(spans.map((span) => span.name)).toEqual([
    'invoke_agent warehouse',
    'chat gpt-5',
    'execute_tool move',
  ]);
  expect(spans[1]?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-5',
    'gen_ai.usage.input_tokens': 10,
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.usage.cache_read.input_tokens': 4,
    'gen_ai.usage.cache_write.input_tokens': 2,
  });
  expect(spans.every((span) => span.ended)).toBe(true);
});

test('a failure marks the span by its code, ends it and goes on', async () => {
  const { tracer, spans } = recorder();
  const failing = createSpans(tracer).tool('move', 'c1', () => Promise.reject(new TypeError('secret text')));
  await expect(failing).rejects.toThrow(TypeError);
  expect(spans[0]).toMatchObject({ ended: true, status: { code: 2, message: 'TypeError' } });
  expect(JSON.stringify(spans)).not.toContain('secret text');
});

test('without a tracer the work runs the same', async () => {
  expect(await createSpans(null).chat('m', (span) => Promise.resolve(span.usage(usage) ?? 5))).toBe(5);
});

test('the tracer comes from the API package, and there is none where that is not installed', async () => {
  const { tracer } = recorder();
  const trace = { getTracer: () => tracer };
  expect(await loadTracer('skillstate', '0', () => Promise.resolve({ trace }))).toBe(tracer);
  const missing = Object.assign(new Error('no package'), { code: 'ERR_MODULE_NOT_FOUND' });
  expect(await loadTracer('skillstate', '0', () => Promise.reject(missing))).toBeNull();
});
