import type { PriceSheet } from '@skillstate/runtime';
import type { ArmCost } from '../cost/bill.ts';
import { costOfEpisode } from '../cost/episode.ts';
import type { EpisodeResult } from '../harness/result.ts';

/** An episode as a report keeps it: its figures, and a few numbers a step in place of its calls and prompts. */
export type Digest = Omit<EpisodeResult, 'calls' | 'parts' | 'steps'> & {
  /** null without prices, or where the calls were not kept. */
  readonly cost: ArmCost | null;
  /** By step, from step 1: characters of its largest prompt, and all tokens so far. */
  readonly promptBySteps: readonly number[];
  readonly tokensBySteps: readonly number[];
};

export type DigestOptions = {
  /** Prices of the cost columns; null or absent: none are shown. */
  readonly sheet?: PriceSheet | null;
  /** Milliseconds between calls for the cache's lifetime, in place of recorded times (scripted models answer at once). */
  readonly paceMs?: number;
};

export function digestEpisode(result: EpisodeResult, { sheet = null, paceMs }: DigestOptions): Digest {
  const { calls, parts: _, steps: __, ...rest } = result;
  const promptBySteps: number[] = [];
  const tokensBySteps: number[] = [];
  let tokens = 0;
  for (const { step, kind, chars, inputTokens, outputTokens } of calls) {
    tokens += inputTokens + outputTokens;
    tokensBySteps[step - 1] = tokens;
    if (kind !== 'compress') promptBySteps[step - 1] = Math.max(chars, promptBySteps[step - 1] ?? 0);
  }
  const cost = sheet === null || calls.length === 0 ? null : costOfEpisode(result, sheet, paceMs);
  return { ...rest, cost, promptBySteps, tokensBySteps };
}
