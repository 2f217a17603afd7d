import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PromptPart } from '../types.ts';
import { type CachedCall, type CacheRules, simulateCache } from './cache.ts';

const part = (text: string, cache = false, role: PromptPart['role'] = 'user'): PromptPart => ({
  role,
  text,
  cache,
});
const length = (text: string): number => text.length;
const rules = (more: Partial<CacheRules> = {}): CacheRules => ({
  minCacheTokens: 10,
  granularity: 1,
  ttlSeconds: 300,
  breakpoints: 4,
  lookback: 20,
  ...more,
});

const anyPart = fc.record({
  role: fc.constant<PromptPart['role']>('user'),
  text: fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }),
  cache: fc.boolean(),
});
const anyCalls = fc
  .array(fc.tuple(fc.array(anyPart, { maxLength: 5 }), fc.nat(200_000)), { maxLength: 8 })
  .map((list) => {
    let at = 0;
    return list.map(([prompt, pause]): CachedCall => ({ prompt, at: (at += pause) }));
  });
const anyRules = fc.record({
  minCacheTokens: fc.nat(20),
  granularity: fc.integer({ min: 1, max: 8 }),
  ttlSeconds: fc.nat(300),
  breakpoints: fc.option(fc.nat(4)),
  lookback: fc.option(fc.integer({ min: 1, max: 20 })),
});

function common(a: CachedCall, b: CachedCall): number {
  const [x, y] = [a, b].map(({ prompt }) => prompt.map((each) => each.text).join(''));
  let shared = 0;
  while (shared < Math.min(x?.length ?? 0, y?.length ?? 0) && x?.[shared] === y?.[shared]) shared += 1;
  return shared;
}

test('the three parts add up, and nothing is read beyond a common prefix with a call still alive', () => {
  fc.assert(
    fc.property(anyCalls, anyRules, (calls, given) => {
      const splits = simulateCache(calls, given, length);
      splits.forEach(({ cacheRead, cacheWrite, uncached }, index) => {
        const call = calls[index] as CachedCall;
        const total = call.prompt.reduce((sum, each) => sum + each.text.length, 0);
        expect(cacheRead + cacheWrite + uncached).toBe(total);
        expect(Math.min(cacheRead, cacheWrite, uncached)).toBeGreaterThanOrEqual(0);
        const shared = Math.max(0, ...calls.slice(0, index).map((before) => common(before, call)));
        expect(cacheRead).toBeLessThanOrEqual(shared);
        expect(cacheRead % given.granularity).toBe(0);
        if (cacheRead > 0) expect(cacheRead).toBeGreaterThan(given.minCacheTokens - given.granularity);
      });
    }),
    { numRuns: 500 },
  );
});

test('after the lifetime nothing is read, whatever the rules', () => {
  fc.assert(
    fc.property(anyCalls, anyRules, (calls, given) => {
      const apart = calls.map((call, index) => ({ ...call, at: index * 301_000 }));
      for (const split of simulateCache(apart, given, length)) expect(split.cacheRead).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('a state prompt writes its fixed part once and reads it at every later step', () => {
  const fixed = part('p'.repeat(50), true, 'system');
  const calls = [0, 1, 2].map((step) => ({ prompt: [fixed, part(`state ${step}`)], at: step * 1_000 }));
  expect(simulateCache(calls, rules(), length)).toEqual([
    { cacheRead: 0, cacheWrite: 50, uncached: 7 },
    { cacheRead: 50, cacheWrite: 0, uncached: 7 },
    { cacheRead: 50, cacheWrite: 0, uncached: 7 },
  ]);
});

test('a short fixed part is never cached', () => {
  const calls = [0, 1].map((at) => ({ prompt: [part('short', true), part('x'.repeat(100))], at }));
  for (const split of simulateCache(calls, rules(), length)) {
    expect(split).toEqual({ cacheRead: 0, cacheWrite: 0, uncached: 105 });
  }
});

test('a transcript with its breakpoint at the last turn reads what the call before wrote, within the lookback', () => {
  const turns = Array.from({ length: 30 }, (_, index) => `turn ${index} ${'.'.repeat(20)}`);
  const upTo = (end: number): PromptPart[] =>
    turns.slice(0, end).map((text, at) => part(text, at === end - 1));
  const tokens = (end: number): number => turns.slice(0, end).join('').length;
  const near = simulateCache(
    [
      { prompt: upTo(5), at: 0 },
      { prompt: upTo(6), at: 1 },
    ],
    rules(),
    length,
  );
  expect(near[1]).toEqual({ cacheRead: tokens(5), cacheWrite: tokens(6) - tokens(5), uncached: 0 });
  const far = simulateCache(
    [
      { prompt: upTo(5), at: 0 },
      { prompt: upTo(28), at: 1 },
    ],
    rules(),
    length,
  );
  expect(far[1]?.cacheRead).toBe(0);
});

test('only the last breakpoints count where their number is limited', () => {
  const prompt = [part('a'.repeat(20), true), part('b'.repeat(20), true), part('c')];
  const later = [part('a'.repeat(20), true), part('x'.repeat(20)), part('c')];
  const limited = simulateCache(
    [
      { prompt, at: 0 },
      { prompt: later, at: 1 },
    ],
    rules({ breakpoints: 1 }),
    length,
  );
  expect(limited[1]?.cacheRead).toBe(0);
  const enough = simulateCache(
    [
      { prompt, at: 0 },
      { prompt: later, at: 1 },
    ],
    rules({ breakpoints: 2 }),
    length,
  );
  expect(enough[1]?.cacheRead).toBe(20);
});

test('a use keeps an entry alive, and a pause longer than the lifetime ends it', () => {
  const prompt = [part('p'.repeat(50), true), part('x')];
  const at = [0, 200_000, 400_000, 701_000];
  const reads = simulateCache(
    at.map((time) => ({ prompt, at: time })),
    rules(),
    length,
  ).map((split) => split.cacheRead);
  expect(reads).toEqual([0, 50, 50, 0]);
});

test('an automatic cache reads the common prefix of whole text, in multiples of its granularity', () => {
  const automatic = rules({ breakpoints: null, granularity: 16 });
  const calls = ['one', 'two'].map((end, at) => ({
    prompt: [part('p'.repeat(50)), part(`state ${end}`)],
    at,
  }));
  expect(simulateCache(calls, automatic, length)[1]).toMatchObject({ cacheRead: 48 });
});
