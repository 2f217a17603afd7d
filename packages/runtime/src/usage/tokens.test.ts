import { expect, test } from 'vitest';
import { createTokenCounter, estimate } from './tokens.ts';

test('before the tokenizer is loaded a count is an estimate and says so, afterwards it is exact', async () => {
  const counter = createTokenCounter();
  expect(counter.countNow('hello world')).toEqual({ tokens: 3, how: 'estimated' });
  expect(await counter.count('hello world')).toEqual({ tokens: 2, how: 'counted' });
  expect(counter.countNow('hello world')).toEqual({ tokens: 2, how: 'counted' });
});

test('the spelling of a special token is text', async () => {
  const counter = createTokenCounter();
  expect((await counter.count('<|endoftext|>')).tokens).toBeGreaterThan(1);
});

test('without a tokenizer everything is an estimate, and no exact count is claimed', async () => {
  const counter = createTokenCounter(() => Promise.resolve(null));
  expect(await counter.count('12345')).toEqual({ tokens: 2, how: 'estimated' });
  expect(await counter.exact('12345')).toBeNull();
  expect(estimate('🦊')).toEqual({ tokens: 1, how: 'estimated' });
});

test('a long text is tokenized once, a short one each time', async () => {
  const seen: string[] = [];
  const counter = createTokenCounter(() =>
    Promise.resolve((text) => {
      seen.push(text);
      return text.length;
    }),
  );
  const fixed = 'p'.repeat(3_000);
  for (let step = 0; step < 3; step += 1) {
    expect((await counter.count(fixed)).tokens).toBe(3_000);
    await counter.count('short');
  }
  expect(seen.filter((text) => text === fixed)).toHaveLength(1);
  expect(seen.filter((text) => text === 'short')).toHaveLength(3);
});
