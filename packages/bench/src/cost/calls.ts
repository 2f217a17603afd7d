import type { CallRecord, EpisodeResult } from '../harness/result.ts';

/** A piece of a prompt: equal ids are equal texts. Ids are small integers of one sequence of calls. */
export type Piece = { readonly id: number; readonly tokens: number };

/** One model call as a bill sees it. A prompt is the first `same` pieces of the previous call's, then `added`. */
export type BilledCall = {
  /** From 1. */
  readonly step: number;
  /** Milliseconds; never falls. */
  readonly at: number;
  readonly same: number;
  readonly added: readonly Piece[];
  /** Indexes of pieces with a cache breakpoint behind them. */
  readonly breaks: readonly number[];
  /** Tokens in common with the previous call inside the first piece that differs. */
  readonly sharedInside: number;
  /** What the provider or tokenizer says of the whole prompt; null: the sum of the pieces. */
  readonly inputTokens: number | null;
  readonly outputTokens: number;
  /** The provider's own figures; null: to be simulated. */
  readonly reported: { readonly cacheRead: number; readonly cacheWrite: number } | null;
};

export type CallOptions = {
  /** The provider's cached tokens are the bill's. False: another model's prices are asked for, so simulate. */
  readonly useReported: boolean;
  /** Milliseconds from one call to the next in place of the recorded times; for scripted models. */
  readonly paceMs?: number;
};

/** The calls of an episode, in order. */
export function* callsOfEpisode(result: EpisodeResult, options: CallOptions): Generator<BilledCall> {
  /** Characters before each piece of the previous prompt, the blank lines between pieces included. */
  let starts: number[] = [];
  let at = 0;
  for (const [index, call] of result.calls.entries()) {
    at = options.paceMs === undefined ? Math.max(at, result.timing.at[index] ?? at) : index * options.paceMs;
    starts = starts.slice(0, call.same + 1);
    if (starts.length === 0) starts.push(0);
    const sharedInside = insideFirst(result, call, starts.at(-1) ?? 0);
    for (const part of call.parts) starts.push((starts.at(-1) ?? 0) + (result.parts[part]?.chars ?? 0) + 2);
    yield {
      step: call.step,
      at,
      same: call.same,
      added: call.parts.map((part) => ({ id: part, tokens: result.parts[part]?.tokens ?? 0 })),
      breaks: call.breaks,
      sharedInside,
      inputTokens: call.inputTokens > 0 ? call.inputTokens : null,
      outputTokens: call.outputTokens,
      reported: options.useReported
        ? { cacheRead: call.cacheReadTokens, cacheWrite: call.cacheWriteTokens }
        : null,
    };
  }
}

/** Rounded down: a saving is never overstated. */
function insideFirst(result: EpisodeResult, call: CallRecord, start: number): number {
  const first = result.parts[call.parts[0] ?? -1];
  if (first === undefined || first.chars === 0) return 0;
  const shared = Math.min(first.chars, Math.max(0, call.sharedChars - start));
  return Math.floor((first.tokens * shared) / first.chars);
}
