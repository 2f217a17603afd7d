import type { Usage } from '../types.ts';

/** Nothing asked, nothing counted. The neutral element of `sumUsage`. */
export function emptyUsage(): Usage {
  return {
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    source: 'none',
  };
}

/**
 * Adds usages. `inputTokens` holds all input, cache reads and writes included; `outputTokens` holds the reasoning.
 * A sum is the provider's only where every counted member is (R23): one tokenizer's count makes it `counted`;
 * members that counted nothing do not speak.
 */
export function sumUsage(...usages: readonly Usage[]): Usage {
  const sum = { ...emptyUsage() };
  let source: Usage['source'] = 'none';
  let unreported = 0;
  for (const usage of usages) {
    sum.inputTokens += usage.inputTokens;
    sum.cacheReadTokens += usage.cacheReadTokens;
    sum.cacheWriteTokens += usage.cacheWriteTokens;
    sum.outputTokens += usage.outputTokens;
    sum.reasoningTokens += usage.reasoningTokens;
    unreported += usage.unreported ?? 0;
    if (usage.source === 'counted' || (usage.source === 'provider' && source === 'none')) {
      source = usage.source;
    }
  }
  return { ...sum, source, ...(unreported > 0 ? { unreported } : {}) };
}
