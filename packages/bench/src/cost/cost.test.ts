import { type CacheRules, type PriceSheet, type PromptPart, simulateCache } from '@skillstate/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ArmCost, createBill } from './bill.ts';
import { breakEvenStep } from './break-even.ts';
import type { BilledCall } from './calls.ts';
import { whyNoSaving } from './evidence.ts';
import { createPrefixCache } from './prefix-cache.ts';

type CachedCall = Parameters<typeof simulateCache>[0][number];

const sheet: PriceSheet = {
  model: 'test:model',
  input: 1,
  output: 5,
  cacheRead: 0.1,
  cacheWrite: 1.25,
  storagePerHour: 0,
  minCacheTokens: 100,
  granularity: 1,
  ttlSeconds: 300,
  breakpoints: 4,
  lookback: 20,
  asOf: '2026-01',
  source: 'made up for a test',
};

/** A state prompt: a fixed part with the breakpoint behind it, and `changing` tokens that are new each time. */
function stateCalls(steps: number, fixed: number, changing: number, seconds = 1): BilledCall[] {
  return Array.from({ length: steps }, (_, i) => ({
    step: i + 1,
    at: i * seconds * 1_000,
    same: i === 0 ? 0 : 1,
    added: [...(i === 0 ? [{ id: 0, tokens: fixed }] : []), { id: i + 1, tokens: changing }],
    breaks: [0],
    sharedInside: 0,
    inputTokens: null,
    outputTokens: 10,
    reported: null,
  }));
}

/** A transcript that gains `turn` tokens a step, with the breakpoint behind its last turn. */
function transcriptCalls(steps: number, fixed: number, turn: number, seconds = 1): BilledCall[] {
  return Array.from({ length: steps }, (_, i) => ({
    step: i + 1,
    at: i * seconds * 1_000,
    same: i === 0 ? 0 : i,
    added: [
      { id: i, tokens: i === 0 ? fixed : turn },
      { id: 10_000 + i, tokens: 20 },
    ],
    breaks: [i],
    sharedInside: 0,
    inputTokens: null,
    outputTokens: 10,
    reported: null,
  }));
}

function bill(arm: string, calls: readonly BilledCall[], prices = sheet): ArmCost {
  const made = createBill(arm, prices);
  for (const call of calls) made.add(call);
  return made.total();
}

const WORDS = ['a'.repeat(40), 'b'.repeat(70), 'c'.repeat(110), 'd'.repeat(130)];
const prompts = fc.array(
  fc.record({
    words: fc.array(fc.nat(WORDS.length - 1), { minLength: 1, maxLength: 5 }),
    breaks: fc.array(fc.nat(4), { maxLength: 3 }),
    wait: fc.integer({ min: 0, max: 200 }),
  }),
  { minLength: 1, maxLength: 12 },
);
const ruleSets = fc.record({
  minCacheTokens: fc.constantFrom(0, 100, 250),
  granularity: fc.constantFrom(1, 32),
  ttlSeconds: fc.constantFrom(150, 400),
  breakpoints: fc.constantFrom(null, 1, 2, 4),
  lookback: fc.constantFrom(null, 1, 2, 20),
});

test('the cache of pieces reads and writes what the simulation on the whole texts does', () => {
  fc.assert(
    fc.property(prompts, ruleSets, (list, rules: CacheRules) => {
      let at = 0;
      const calls: CachedCall[] = list.map(({ words, breaks, wait }) => {
        at += wait * 1_000;
        const prompt = words.map(
          (word, i): PromptPart => ({ role: 'user', text: WORDS[word] as string, cache: breaks.includes(i) }),
        );
        return { prompt, at };
      });
      const expected = simulateCache(calls, rules, (text) => text.length);
      const cache = createPrefixCache(rules);
      const found = toPieces(calls)
        .map(cache)
        .map(({ read, write, uncached }) => ({ cacheRead: read, cacheWrite: write, uncached }));
      expect(found).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('a state prompt reads its fixed part and pays in full for the rest', () => {
  const cost = bill('state', stateCalls(3, 1_000, 200));
  expect(cost).toMatchObject({
    inputTokens: 3_600,
    cacheReadTokens: 2_000,
    cacheWriteTokens: 1_000,
    outputTokens: 30,
  });
  expect(cost.rawUsd).toBeCloseTo((3_600 + 30 * 5) / 1e6, 12);
  expect(cost.cachedUsd).toBeCloseTo((2_000 * 0.1 + 1_000 * 1.25 + 600 + 30 * 5) / 1e6, 12);
  expect(cost.cacheBy).toBe('simulated');
});

test('a short fixed part is never cached, and the bill says so', () => {
  const cost = bill('state', stateCalls(50, 90, 300));
  expect(cost.cacheReadTokens + cost.cacheWriteTokens).toBe(0);
  expect(cost.cachedUsd).toBe(cost.rawUsd);
  expect(cost.notes).toEqual(['never cached: the longest prefix has 90 tokens, the minimum is 100']);
});

test('steps that come after the lifetime write again and lose money, and the bill says so', () => {
  const cost = bill('prompt', transcriptCalls(10, 500, 100, 301));
  expect(cost.cacheReadTokens).toBe(0);
  expect(cost.cachedUsd).toBeGreaterThan(cost.rawUsd);
  expect(cost.notes).toContain('caching costs more than it saves');
  expect(cost.notes).toContain("9 of 10 calls came after the cache's lifetime");
});

test("the provider's own cached tokens replace the simulation", () => {
  const calls = stateCalls(2, 1_000, 200).map((call) => ({
    ...call,
    reported: { cacheRead: 64, cacheWrite: 0 },
  }));
  expect(bill('state', calls)).toMatchObject({
    cacheReadTokens: 128,
    cacheWriteTokens: 0,
    cacheBy: 'provider',
  });
});

test("the provider's count of a prompt scales the pieces", () => {
  const calls = stateCalls(2, 1_000, 200).map((call) => ({ ...call, inputTokens: 2_400 }));
  expect(bill('state', calls)).toMatchObject({
    inputTokens: 4_800,
    cacheReadTokens: 2_000,
    cacheWriteTokens: 2_000,
  });
});

test('keeping a prefix costs its storage price, for the lifetime at most', () => {
  const cost = bill('state', stateCalls(2, 1_000, 200, 3_600), { ...sheet, storagePerHour: 12 });
  expect(cost.storageUsd).toBeCloseTo((1_000 * 12 * (300 / 3_600)) / 1e6, 12);
  expect(cost.steps.at(-1)?.cachedUsd).toBeCloseTo(cost.cachedUsd, 12);
});

test('against a cached transcript the break-even comes later than against a raw one', () => {
  const state = bill('state', stateCalls(200, 2_000, 600));
  const transcript = bill('prompt', transcriptCalls(200, 2_000, 100));
  const raw = breakEvenStep(state, transcript, 'raw') as number;
  const cached = breakEvenStep(state, transcript, 'cached') as number;
  expect(raw).toBeGreaterThan(1);
  expect(cached).toBeGreaterThan(3 * raw);
  expect(breakEvenStep(transcript, state, 'raw')).toBeNull();
});

test('break-even counts only what lasts to the end', () => {
  const line = (arm: string, costs: readonly number[]): ArmCost => ({
    ...bill(arm, []),
    steps: costs.map((cost, i) => ({ step: i + 1, tokens: 0, rawUsd: cost, cachedUsd: cost })),
  });
  expect(breakEvenStep(line('a', [1, 2, 5, 6]), line('b', [2, 3, 4, 7]), 'raw')).toBe(4);
  expect(breakEvenStep(line('a', [1, 2]), line('b', [1, 2]), 'raw')).toBeNull();
  expect(breakEvenStep(line('a', [1]), line('b', []), 'raw')).toBeNull();
});

test('no saving without a written state, equal tasks and enough samples', () => {
  const good = { stateWrites: 5, tasksEqual: true, samples: 10, enough: 10 };
  expect(whyNoSaving(good)).toBeNull();
  expect(whyNoSaving({ ...good, stateWrites: 0 })).toMatch(/never written/);
  expect(whyNoSaving({ ...good, tasksEqual: false })).toMatch(/same events/);
  expect(whyNoSaving({ ...good, samples: 1 })).toBe('1 sample; at least 10 are needed');
});

/** Long bills stay fast: the work of a call is the length of its change. */
test('a transcript of 5,000 steps is priced without holding its prompts', () => {
  const cost = bill('prompt', transcriptCalls(5_000, 500, 100));
  expect(cost.inputTokens).toBeGreaterThan(1e9);
  expect(cost.cacheReadTokens / cost.inputTokens).toBeGreaterThan(0.99);
});

function toPieces(calls: readonly CachedCall[]): BilledCall[] {
  let last: readonly string[] = [];
  return calls.map(({ prompt, at }, i) => {
    const texts = prompt.map((part) => part.text);
    let same = 0;
    while (same < last.length && same < texts.length && last[same] === texts[same]) same += 1;
    last = texts;
    return {
      step: i + 1,
      at,
      same,
      added: texts.slice(same).map((text) => ({ id: WORDS.indexOf(text), tokens: text.length })),
      breaks: prompt.flatMap((part, index) => (part.cache ? [index] : [])),
      sharedInside: 0,
      inputTokens: null,
      outputTokens: 0,
      reported: null,
    };
  });
}
