import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Usage } from '../types.ts';
import { emptyUsage, sumUsage } from './usage.ts';

const usage = fc.record({
  inputTokens: fc.nat(1e6),
  cacheReadTokens: fc.nat(1e6),
  cacheWriteTokens: fc.nat(1e6),
  outputTokens: fc.nat(1e6),
  reasoningTokens: fc.nat(1e6),
  source: fc.constantFrom<Usage['source'][]>('provider', 'counted', 'none'),
});

test('a sum does not depend on the order or grouping, and the empty usage changes nothing', () => {
  fc.assert(
    fc.property(usage, usage, usage, (a, b, c) => {
      expect(sumUsage(a, b, c)).toEqual(sumUsage(sumUsage(c, a), b));
      expect(sumUsage(a, emptyUsage())).toEqual(a);
    }),
    { numRuns: 100 },
  );
});

test('requests whose usage is not fully known stay marked in a sum', () => {
  const cut: Usage = { ...emptyUsage(), inputTokens: 5, source: 'provider', unreported: 1 };
  expect(sumUsage(cut, emptyUsage(), cut)).toMatchObject({ inputTokens: 10, unreported: 2 });
});

test('one tokenizer count among provider counts makes the sum a counted one', () => {
  const of = (source: Usage['source']): Usage => ({ ...emptyUsage(), source });
  expect(sumUsage(of('provider'), of('counted')).source).toBe('counted');
  expect(sumUsage(of('provider'), of('none')).source).toBe('provider');
  expect(sumUsage().source).toBe('none');
});
