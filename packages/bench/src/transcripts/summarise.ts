import { costUsd, priceOf, type PriceSheet } from '@skillstate/runtime';
import { median } from 'simple-statistics';
import type { Scan } from './scan.ts';
import type { Session } from './session.ts';

/** A session beside a prompt of constant size that would have made as many calls. */
export type Compared = Session & {
  readonly meanPrompt: number;
  readonly cacheShare: number;
  /** Prompt tokens over those of the constant prompt. */
  readonly times: number;
  /** By list prices; null where the model has no price sheet. */
  readonly usd: number | null;
  /** The constant prompt with nothing of it cached, and the same output. */
  readonly constantUsd: number | null;
};

export type TranscriptSummary = Omit<Scan, 'sessions'> & {
  readonly minTurns: number;
  /** Tokens of the constant prompt; null: each session's own base. */
  readonly constant: number | null;
  readonly sessions: number;
  readonly turns: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly drops: number;
  readonly medianTimes: number | null;
  readonly medianCacheShare: number | null;
  readonly medianMeanPrompt: number | null;
  readonly usd: number | null;
  readonly constantUsd: number | null;
  /** Sessions whose model has no price sheet and which the two sums in USD leave out. */
  readonly unpriced: number;
  /** Longest first, of those that were long enough; at most 20. */
  readonly longest: readonly Compared[];
};

export type SummaryOptions = {
  readonly minTurns: number;
  readonly constant: number | null;
  /** Prices of models that have none; null: they stay without. */
  readonly otherwise?: PriceSheet | null;
};

const MOST_SHOWN = 20;

/** Sessions of at least `minTurns` calls, compared with a prompt of constant size. */
export function summariseScan(
  { sessions: all, ...counts }: Scan,
  { otherwise = null, ...options }: SummaryOptions,
): TranscriptSummary {
  const long = all.filter((session) => session.turns >= options.minTurns);
  const compared = long.map((session) => compare(session, options.constant, otherwise));
  const priced = compared.filter(({ usd }) => usd !== null);
  const sum = (key: 'turns' | 'promptTokens' | 'outputTokens' | 'drops'): number =>
    long.reduce((total, session) => total + session[key], 0);
  const middle = (values: readonly number[]): number | null =>
    values.length === 0 ? null : median([...values]);
  const dollars = (key: 'usd' | 'constantUsd'): number | null =>
    priced.length === 0 ? null : priced.reduce((total, session) => total + (session[key] ?? 0), 0);
  return {
    ...counts,
    ...options,
    sessions: long.length,
    turns: sum('turns'),
    promptTokens: sum('promptTokens'),
    outputTokens: sum('outputTokens'),
    drops: sum('drops'),
    medianTimes: middle(compared.map(({ times }) => times)),
    medianCacheShare: middle(compared.map(({ cacheShare }) => cacheShare)),
    medianMeanPrompt: middle(compared.map(({ meanPrompt }) => meanPrompt)),
    usd: dollars('usd'),
    constantUsd: dollars('constantUsd'),
    unpriced: compared.length - priced.length,
    longest: compared.toSorted((a, b) => b.turns - a.turns).slice(0, MOST_SHOWN),
  };
}

function compare(session: Session, constant: number | null, otherwise: PriceSheet | null): Compared {
  const { turns, promptTokens, cacheReadTokens, cacheWriteTokens, outputTokens, model, source } = session;
  const constantTokens = turns * (constant ?? session.basePrompt);
  const sheet = priceOf(`${source === 'codex' ? 'openai' : 'anthropic'}:${model}`) ?? otherwise;
  const rest = { outputTokens, reasoningTokens: 0, source: 'provider' } as const;
  const own = { ...rest, inputTokens: promptTokens, cacheReadTokens, cacheWriteTokens };
  const plain = { ...rest, inputTokens: constantTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return {
    ...session,
    meanPrompt: promptTokens / turns,
    cacheShare: cacheReadTokens / promptTokens,
    times: promptTokens / constantTokens,
    usd: sheet === null ? null : costUsd(own, sheet),
    constantUsd: sheet === null ? null : costUsd(plain, sheet),
  };
}
