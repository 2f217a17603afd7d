import type { Prompt, Usage } from '../types.ts';

/** Tokens of a text, or null where no tokenizer is there. */
export type CountTokens = (text: string) => number | null | Promise<number | null>;

export const noUsage: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  source: 'none',
};

/** The usage of one call with all its attempts. What an attempt did not report adds nothing, and is marked. */
export function addUsage(a: Usage, b: Usage): Usage {
  const unreported = (a.unreported ?? 0) + (b.unreported ?? 0);
  const counted = a.source === 'counted' || b.source === 'counted';
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    source: counted ? 'counted' : b.source === 'none' ? a.source : b.source,
    ...(unreported > 0 ? { unreported } : {}),
  };
}

/** The usage of a request that was cut off: `known` is what was said before. */
export function cutUsage(known: Usage): Usage {
  return { ...known, unreported: 1 };
}

/** What a provider package reports; every member may be missing. */
export type ReportedUsage = {
  readonly inputTokens: {
    readonly total: number | undefined;
    readonly cacheRead: number | undefined;
    readonly cacheWrite: number | undefined;
  };
  readonly outputTokens: { readonly total: number | undefined; readonly reasoning: number | undefined };
};

/** `inputTokens` is all input, cached or not; `outputTokens` holds the reasoning. A report of nothing is `none`. */
export function usageOf(reported: ReportedUsage): Usage {
  const { inputTokens: input, outputTokens: output } = reported;
  if (!input.total && !output.total) return noUsage;
  return {
    inputTokens: input.total ?? 0,
    cacheReadTokens: input.cacheRead ?? 0,
    cacheWriteTokens: input.cacheWrite ?? 0,
    outputTokens: output.total ?? 0,
    reasoningTokens: output.reasoning ?? 0,
    source: 'provider',
  };
}

/**
 * What a chunk of a stream already says about usage, as the provider sent it: Anthropic's `message_start` and
 * `message_delta`, Gemini's `usageMetadata`, a chat completion's or response's `usage`. null: nothing.
 */
export function usageInChunk(chunk: unknown): Usage | null {
  const at = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  const told =
    at(chunk, 'usageMetadata') ??
    at(at(chunk, 'message'), 'usage') ??
    at(at(chunk, 'response'), 'usage') ??
    at(chunk, 'usage');
  const tokens = (...names: readonly string[]): number => firstNumber(...names.map((name) => at(told, name)));
  const cacheReadTokens = tokens('cache_read_input_tokens', 'cachedContentTokenCount');
  const cacheWriteTokens = tokens('cache_creation_input_tokens');
  // Anthropic's `input_tokens` leaves cache reads and writes out.
  const outside = at(chunk, 'type') === 'message_start' ? cacheReadTokens + cacheWriteTokens : 0;
  const inputTokens = tokens('input_tokens', 'prompt_tokens', 'promptTokenCount') + outside;
  const reasoningTokens = tokens('thoughtsTokenCount');
  const outputTokens = tokens('output_tokens', 'completion_tokens', 'candidatesTokenCount') + reasoningTokens;
  if (inputTokens + outputTokens === 0) return null;
  return {
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
    source: 'provider',
  };
}

/** Later chunks of one reply say more, never less. */
export function latestUsage(before: Usage, now: Usage): Usage {
  return {
    inputTokens: Math.max(before.inputTokens, now.inputTokens),
    cacheReadTokens: Math.max(before.cacheReadTokens, now.cacheReadTokens),
    cacheWriteTokens: Math.max(before.cacheWriteTokens, now.cacheWriteTokens),
    outputTokens: Math.max(before.outputTokens, now.outputTokens),
    reasoningTokens: Math.max(before.reasoningTokens, now.reasoningTokens),
    source: now.source,
  };
}

/** A tokenizer's count, part by part, so that a memo can serve the fixed prefix; `none` where nothing counts. */
export async function countUsage(
  prompt: Prompt,
  reply: string,
  count: CountTokens | undefined,
): Promise<Usage> {
  if (!count) return noUsage;
  let inputTokens = 0;
  for (const part of prompt) {
    const tokens = await count(part.text);
    if (tokens === null) return noUsage;
    inputTokens += tokens;
  }
  const outputTokens = await count(reply);
  return outputTokens === null ? noUsage : { ...noUsage, inputTokens, outputTokens, source: 'counted' };
}

/** The usage block of an OpenAI-compatible server, with the names that servers give to cache reads and writes. */
export type CompatibleUsage = {
  readonly prompt_tokens?: number | null | undefined;
  readonly completion_tokens?: number | null | undefined;
  readonly prompt_tokens_details?: Readonly<Record<string, unknown>> | null | undefined;
  readonly completion_tokens_details?:
    | { readonly reasoning_tokens?: number | null | undefined }
    | null
    | undefined;
  readonly [name: string]: unknown;
};

/** Keeps cache-write counts, which the package's own conversion drops. */
export function convertCompatibleUsage(usage: CompatibleUsage | null | undefined): {
  inputTokens: { total?: number; noCache?: number; cacheRead?: number; cacheWrite?: number };
  outputTokens: { total?: number; text?: number; reasoning?: number };
} {
  if (!usage) return { inputTokens: {}, outputTokens: {} };
  const details = usage.prompt_tokens_details ?? {};
  const total = usage.prompt_tokens ?? 0;
  const cacheRead = firstNumber(
    details['cached_tokens'],
    usage['prompt_cache_hit_tokens'],
    usage['cache_read_input_tokens'],
  );
  const cacheWrite = firstNumber(
    details['cache_write_tokens'],
    details['cache_creation_tokens'],
    usage['cache_creation_input_tokens'],
    usage['cache_write_tokens'],
  );
  const output = usage.completion_tokens ?? 0;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0;
  return {
    inputTokens: { total, noCache: Math.max(0, total - cacheRead - cacheWrite), cacheRead, cacheWrite },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  };
}

function firstNumber(...values: readonly unknown[]): number {
  for (const value of values) if (typeof value === 'number') return value;
  return 0;
}
