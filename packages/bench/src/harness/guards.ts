import {
  costUsd,
  emptyUsage,
  type ModelReply,
  priceOf,
  type PriceSheet,
  type Usage,
} from '@skillstate/runtime';
import type { Measure } from '../strategy/budget.ts';
import type { BenchModel, EpisodeModel } from './model.ts';

/** Passes every ask of every episode through `around`. */
function wrapped(inner: BenchModel, around: (ask: EpisodeModel['ask']) => EpisodeModel['ask']): BenchModel {
  return {
    ...inner,
    async open(key) {
      const episode = await inner.open(key);
      return { ...episode, ask: around(episode.ask) };
    },
  };
}

/** Puts a limit around a model; all models that go through the same guard share the limit. */
export type Guard = (inner: BenchModel) => BenchModel;

/** At most so many calls a minute over all episodes, evenly spaced. */
export function rateGuard(perMinute: number): Guard {
  const gapMs = 60_000 / perMinute;
  let free = 0;
  const around =
    (ask: EpisodeModel['ask']): EpisodeModel['ask'] =>
    async (request, about) => {
      const now = performance.now();
      const turn = Math.max(now, free);
      free = turn + gapMs;
      if (turn > now) await new Promise((resolve) => setTimeout(resolve, turn - now));
      return ask(request, about);
    };
  return (inner) => wrapped(inner, around);
}

export function ratedModel(inner: BenchModel, perMinute: number): BenchModel {
  return rateGuard(perMinute)(inner);
}

/** Most that a bench may spend; null: no limit. Tokens are input and output together. */
export type SpendLimit = { readonly tokens: number | null; readonly usd: number | null };

/** Output that a call is taken to need before any was seen. */
const FIRST_OUTPUT = 1_000;

/**
 * Refuses a call that could pass the limit, before it is made: what is spent, what calls on the way may take, the prompt
 * at the full input price, and the longest output seen so far. The refusal ends the episode with `model.spent`.
 * The guard throws where a limit in USD is asked for and the model has no price sheet.
 */
export function spendGuard(limit: SpendLimit, tokens: Measure): Guard {
  const spent: Spent = { tokens: 0, usd: 0 };
  let longest = FIRST_OUTPUT;
  const over = (wanted: Spent): boolean =>
    (limit.tokens !== null && spent.tokens + wanted.tokens > limit.tokens) ||
    (limit.usd !== null && spent.usd + wanted.usd > limit.usd);
  const around =
    (sheet: PriceSheet | null) =>
    (ask: EpisodeModel['ask']): EpisodeModel['ask'] =>
    async (request, about) => {
      const inputTokens = request.prompt.reduce((sum, { text }) => sum + tokens(text), 0);
      const wanted = priced({ ...emptyUsage(), inputTokens, outputTokens: longest }, sheet);
      if (over(wanted)) return refused(limit);
      add(spent, wanted, 1);
      const reply = await ask(request, about);
      const used = usageOf(reply, inputTokens, tokens);
      add(spent, wanted, -1);
      add(spent, priced(used, sheet), 1);
      longest = Math.max(longest, used.outputTokens);
      return reply;
    };
  return (inner) => {
    const sheet = priceOf(inner.facts.name);
    if (limit.usd !== null && sheet === null)
      throw new RangeError(`no price is known for ${inner.facts.name}; limit the bench in tokens`);
    return wrapped(inner, around(sheet));
  };
}

export function limitedModel(inner: BenchModel, limit: SpendLimit, tokens: Measure): BenchModel {
  return spendGuard(limit, tokens)(inner);
}

type Spent = { tokens: number; usd: number };

function priced(usage: Usage, sheet: PriceSheet | null): Spent {
  return { tokens: usage.inputTokens + usage.outputTokens, usd: sheet === null ? 0 : costUsd(usage, sheet) };
}

function add(spent: Spent, more: Spent, sign: 1 | -1): void {
  spent.tokens += sign * more.tokens;
  spent.usd += sign * more.usd;
}

/** What the provider reports, else a count. */
function usageOf(reply: ModelReply, inputTokens: number, tokens: Measure): Usage {
  if (reply.usage.source !== 'none') return reply.usage;
  const outputTokens = reply.ok ? tokens(reply.json ?? reply.text) : 0;
  return { ...reply.usage, inputTokens, outputTokens };
}

function refused({ tokens, usd }: SpendLimit): ModelReply {
  const limits = [...(tokens === null ? [] : [`${tokens} tokens`]), ...(usd === null ? [] : [`${usd} USD`])];
  const hint = `this call could pass the bench's limit of ${limits.join(' and ')}; it was not made`;
  const issue = { code: 'model.spent', path: '', hint } as const;
  return { ok: false, issue, temporary: false, usage: emptyUsage(), retries: [] };
}
