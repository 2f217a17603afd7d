import type { PriceSheet } from './price.ts';

const anthropicSource = "Anthropic's pricing page and prompt caching guide; 5-minute writes";
const openaiSource = "OpenAI's pricing page and prompt caching guide";
const googleSource = "Google's Gemini API pricing page; implicit caching, prompts up to 200,000 tokens";

const anthropic = {
  granularity: 1,
  ttlSeconds: 300,
  breakpoints: 4,
  lookback: 20,
  storagePerHour: 0,
  asOf: '2026-10',
  source: anthropicSource,
} as const;

/** Before GPT-5.6: no price for writing, no breakpoints, kept 5 to 10 minutes without use. */
const openaiAutomatic = {
  minCacheTokens: 1_024,
  granularity: 128,
  ttlSeconds: 300,
  breakpoints: null,
  lookback: null,
  storagePerHour: 0,
  asOf: '2026-06',
  source: openaiSource,
} as const;

/** From GPT-5.6: writes cost 1.25 times the input, breakpoints may be set, kept at least 30 minutes. */
const openaiExplicit = {
  minCacheTokens: 1_024,
  granularity: 1,
  ttlSeconds: 1_800,
  breakpoints: 4,
  lookback: null,
  storagePerHour: 0,
  asOf: '2026-06',
  source: openaiSource,
} as const;

const google = {
  granularity: 1,
  ttlSeconds: 300,
  breakpoints: null,
  lookback: null,
  /** Of an explicit cache, which the adapter does not make. */
  storagePerHour: 0,
  asOf: '2026-03',
  source: googleSource,
} as const;

/**
 * List prices in USD per million tokens, as publicly known at `asOf`. Check them before use: providers change them, and
 * lifetimes and granularities are partly what users observed. Give your own sheets to `priceOf` to replace them.
 */
export const priceSheets: readonly PriceSheet[] = [
  sheet('anthropic:claude-opus-5', 5, 25, 0.5, 6.25, { ...anthropic, minCacheTokens: 512 }),
  sheet('anthropic:claude-opus-4-8', 5, 25, 0.5, 6.25, { ...anthropic, minCacheTokens: 1_024 }),
  sheet('anthropic:claude-opus-4-6', 5, 25, 0.5, 6.25, { ...anthropic, minCacheTokens: 4_096 }),
  sheet('anthropic:claude-opus-4-5', 5, 25, 0.5, 6.25, { ...anthropic, minCacheTokens: 4_096 }),
  sheet('anthropic:claude-sonnet-5', 2, 10, 0.2, 2.5, { ...anthropic, minCacheTokens: 1_024 }),
  sheet('anthropic:claude-sonnet-4-6', 3, 15, 0.3, 3.75, { ...anthropic, minCacheTokens: 1_024 }),
  sheet('anthropic:claude-sonnet-4-5', 3, 15, 0.3, 3.75, { ...anthropic, minCacheTokens: 1_024 }),
  sheet('anthropic:claude-haiku-4-5', 1, 5, 0.1, 1.25, { ...anthropic, minCacheTokens: 4_096 }),
  sheet('openai:gpt-5.6-sol', 5, 30, 0.5, 6.25, openaiExplicit),
  sheet('openai:gpt-5.6-terra', 2.5, 15, 0.25, 3.125, openaiExplicit),
  sheet('openai:gpt-5.6-luna', 1, 6, 0.1, 1.25, openaiExplicit),
  sheet('openai:gpt-5.4', 2.5, 15, 0.25, 2.5, openaiAutomatic),
  sheet('openai:gpt-5.4-mini', 0.75, 4.5, 0.075, 0.75, openaiAutomatic),
  sheet('openai:gpt-5.1', 1.25, 10, 0.125, 1.25, openaiAutomatic),
  sheet('openai:gpt-5', 1.25, 10, 0.125, 1.25, openaiAutomatic),
  sheet('openai:gpt-5-mini', 0.25, 2, 0.025, 0.25, openaiAutomatic),
  sheet('openai:gpt-5-nano', 0.05, 0.4, 0.005, 0.05, openaiAutomatic),
  sheet('openai:gpt-4.1', 2, 8, 0.5, 2, openaiAutomatic),
  sheet('openai:gpt-4.1-mini', 0.4, 1.6, 0.1, 0.4, openaiAutomatic),
  sheet('openai:gpt-4o', 2.5, 10, 1.25, 2.5, openaiAutomatic),
  sheet('openai:gpt-4o-mini', 0.15, 0.6, 0.075, 0.15, openaiAutomatic),
  sheet('google:gemini-2.5-pro', 1.25, 10, 0.125, 1.25, { ...google, minCacheTokens: 2_048 }),
  sheet('google:gemini-2.5-flash', 0.3, 2.5, 0.03, 0.3, { ...google, minCacheTokens: 1_024 }),
];

type Cache = Omit<PriceSheet, 'model' | 'input' | 'output' | 'cacheRead' | 'cacheWrite'>;

function sheet(
  model: string,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  cache: Cache,
): PriceSheet {
  return { model, input, output, cacheRead, cacheWrite, ...cache };
}
