import { expect, test } from 'vitest';
import type { Usage } from '../types.ts';
import { costUsd, priceOf, storageUsd } from './price.ts';
import { priceSheets } from './prices.ts';

const usage = (more: Partial<Usage>): Usage => ({
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  source: 'provider',
  ...more,
});

test('every sheet is dated, says its source, and reads are cheaper than input, writes are not', () => {
  for (const sheet of priceSheets) {
    expect(sheet.asOf).toMatch(/^20\d\d-\d\d$/);
    expect(sheet.source.length).toBeGreaterThan(10);
    expect(sheet.cacheRead).toBeLessThan(sheet.input);
    expect(sheet.cacheWrite).toBeGreaterThanOrEqual(sheet.input);
    expect(sheet.minCacheTokens).toBeGreaterThanOrEqual(512);
  }
  expect(new Set(priceSheets.map((sheet) => sheet.model)).size).toBe(priceSheets.length);
});

test('a dated name finds its model, and an unknown model has no price', () => {
  expect(priceOf('anthropic:claude-haiku-4-5-20251001')?.model).toBe('anthropic:claude-haiku-4-5');
  expect(priceOf('openai:gpt-5-mini-2025-08-07')?.model).toBe('openai:gpt-5-mini');
  expect(priceOf('openai:gpt-5-minimal')).toBeNull();
  expect(priceOf('ollama:gpt-5')).toBeNull();
});

test('cache reads and writes are parts of the input, each at its own price', () => {
  const sheet = priceOf('anthropic:claude-haiku-4-5');
  if (!sheet) throw new Error('no sheet');
  const cost = costUsd(
    usage({ inputTokens: 3e6, cacheReadTokens: 1e6, cacheWriteTokens: 1e6, outputTokens: 1e6 }),
    sheet,
  );
  expect(cost).toBeCloseTo(1 + 0.1 + 1.25 + 5, 10);
  expect(costUsd(usage({ inputTokens: 1, cacheReadTokens: 5 }), sheet)).toBeGreaterThan(0);
  expect(storageUsd(1e6, 7_200, { ...sheet, storagePerHour: 4.5 })).toBeCloseTo(9, 10);
});

test('a cache that is written at every step and never read costs more than none', () => {
  const sheet = priceOf('openai:gpt-5.6-terra');
  if (!sheet) throw new Error('no sheet');
  const raw = costUsd(usage({ inputTokens: 10_000 }), sheet);
  expect(costUsd(usage({ inputTokens: 10_000, cacheWriteTokens: 10_000 }), sheet)).toBeGreaterThan(raw);
});
