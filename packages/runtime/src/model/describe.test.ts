import { expect, test } from 'vitest';
import { describeProvider } from './describe.ts';

test('auto gives hosted providers the free-form tool call, without a strict schema', () => {
  for (const provider of ['openai', 'anthropic', 'google'] as const) {
    expect(describeProvider({ provider })).toMatchObject({
      mode: 'tool',
      dialect: 'merge',
      strict: false,
      toolChoice: 'forced',
    });
  }
});

test('strict structured output gets the operations dialect, and a lax one does not', () => {
  expect(describeProvider({ provider: 'openai', mode: 'structured' })).toMatchObject({
    dialect: 'operations',
    strict: true,
  });
  expect(describeProvider({ provider: 'openai', mode: 'structured', dialect: 'merge' }).strict).toBe(false);
  expect(describeProvider({ provider: 'google', mode: 'structured' }).dialect).toBe('merge');
});

test('thinking frees the tool choice only where a forced one is refused', () => {
  const choice = (provider: 'openai' | 'anthropic') =>
    describeProvider({ provider, mode: 'tool', thinking: 'low' }).toolChoice;
  expect([choice('openai'), choice('anthropic')]).toEqual(['forced', 'auto']);
});

test('each choice has a reason, and each compatible server its constraint', () => {
  for (const server of ['ollama', 'llama.cpp', 'vllm', 'other'] as const) {
    const described = describeProvider({ provider: 'compatible', server });
    expect(described.mode).toBe('structured');
    expect(described.constraint).toContain('json_schema');
    expect(described.why.length).toBeGreaterThanOrEqual(3);
  }
  expect(describeProvider({ provider: 'compatible', server: 'vllm' }).constraint).toContain('guided_json');
});
