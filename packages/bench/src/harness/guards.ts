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
export function wrapped(
  inner: BenchModel,
  around: (ask: EpisodeModel['ask']) => EpisodeModel['ask'],
): BenchModel {
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

/**
 * Ends every call, under way or to come, once the signal is given: the reply is a failure `model.interrupted`, and with it
 * the episode stops. The signal reaches the provider's request.
 */
export function interruptGuard(signal: AbortSignal): Guard {
  const hint = 'the bench was told to stop';
  const issue = { code: 'model.interrupted', path: '', hint } as const;
  const ended: ModelReply = { ok: false, issue, temporary: false, usage: emptyUsage(), retries: [] };
  const around =
    (ask: EpisodeModel['ask']): EpisodeModel['ask'] =>
    async (request, about) => {
      if (signal.aborted) return ended;
      const given = Promise.withResolvers<ModelReply>();
      const stop = (): void => given.resolve(ended);
      signal.addEventListener('abort', stop, { once: true });
      try {
        const both = AbortSignal.any([request.signal, signal]);
        return await Promise.race([ask({ ...request, signal: both }, about), given.promise]);
      } finally {
        signal.removeEventListener('abort', stop);
      }
    };
  return (inner) => wrapped(inner, around);
}

/** Most that a bench may spend; null: no limit. Tokens are input and output together. */
export type SpendLimit = { readonly tokens: number | null; readonly usd: number | null };

/** Output that a call is taken to need before any was seen, where the model has no cap. */
const FIRST_OUTPUT = 1_000;

export type SpendOptions = {
  /** Most tokens that a call may answer with: so much is held for it. Else the longest answer so far. */
  readonly mostOutput?: number;
  /** In place of the model's own prices. */
  readonly sheet?: PriceSheet | null;
  readonly spending?: Spending;
};

/**
 * Refuses a call that could pass the limit, before it is made: what is spent, what calls on the way may take, the prompt
 * at the dearest price of input, and the most output that it may have. The refusal ends the episode with `model.spent`.
 * The guard throws where a limit in USD is asked for and the model has no price sheet.
 */
export function spendGuard(
  limit: SpendLimit,
  tokens: Measure,
  { mostOutput, sheet: prices, spending = NOWHERE }: SpendOptions = {},
): Guard {
  const spent = { ...spending.before };
  const limited = limit.tokens !== null || limit.usd !== null;
  let longest = mostOutput ?? FIRST_OUTPUT;
  const over = (wanted: Spent): boolean =>
    (limit.tokens !== null && spent.tokens + wanted.tokens > limit.tokens) ||
    (limit.usd !== null && spent.usd + wanted.usd > limit.usd);
  const around =
    (sheet: PriceSheet | null) =>
    (ask: EpisodeModel['ask']): EpisodeModel['ask'] =>
    async (request, about) => {
      const count = (): number => request.prompt.reduce((sum, { text }) => sum + tokens(text), 0);
      const inputTokens = limited ? count() : 0;
      const most = { ...emptyUsage(), inputTokens, outputTokens: longest };
      const wanted = priced(dearest(most, sheet), sheet);
      if (over(wanted)) return refused(limit, spent);
      add(spent, wanted, 1);
      const reply = await ask(request, about);
      const usage = usageOf(reply, () => inputTokens || count(), tokens);
      const used = priced(usage, sheet);
      add(spent, wanted, -1);
      add(spent, used, 1);
      spending.record(used);
      longest = Math.max(longest, usage.outputTokens);
      return reply;
    };
  return (inner) => {
    const sheet = prices ?? priceOf(inner.facts.name);
    if (limit.usd !== null && sheet === null)
      throw new RangeError(
        `no price is known for ${inner.facts.name}; name one with --prices or --sheet, or limit the bench in tokens`,
      );
    return wrapped(inner, around(sheet));
  };
}

export type Spent = { tokens: number; usd: number };

/** What was spent before, which counts, and where every call's use is kept. */
export type Spending = { readonly before: Readonly<Spent>; record(used: Readonly<Spent>): void };

const NOWHERE: Spending = { before: { tokens: 0, usd: 0 }, record: () => undefined };

/** All input written to the cache, where writing costs more than reading anew. */
function dearest(usage: Usage, sheet: PriceSheet | null): Usage {
  const written = sheet !== null && sheet.cacheWrite > sheet.input;
  return written ? { ...usage, cacheWriteTokens: usage.inputTokens } : usage;
}

function priced(usage: Usage, sheet: PriceSheet | null): Spent {
  return { tokens: usage.inputTokens + usage.outputTokens, usd: sheet === null ? 0 : costUsd(usage, sheet) };
}

function add(spent: Spent, more: Spent, sign: 1 | -1): void {
  spent.tokens += sign * more.tokens;
  spent.usd += sign * more.usd;
}

/** What the provider reports, else a count. */
function usageOf(reply: ModelReply, inputTokens: () => number, tokens: Measure): Usage {
  if (reply.usage.source !== 'none') return reply.usage;
  const outputTokens = reply.ok ? tokens(reply.json ?? reply.text) : 0;
  return { ...reply.usage, inputTokens: inputTokens(), outputTokens };
}

function refused({ tokens, usd }: SpendLimit, spent: Spent): ModelReply {
  const limits = [...(tokens === null ? [] : [`${tokens} tokens`]), ...(usd === null ? [] : [`${usd} USD`])];
  const so = `${spent.tokens.toLocaleString('en-US')} tokens${usd === null ? '' : ` and ${spent.usd.toFixed(4)} USD`}`;
  const hint = `this call could pass the bench's limit of ${limits.join(' and ')}; it was not made (spent so far, and held for calls under way: ${so})`;
  const issue = { code: 'model.spent', path: '', hint } as const;
  return { ok: false, issue, temporary: false, usage: emptyUsage(), retries: [] };
}
