import { setTimeout as wait } from 'node:timers/promises';
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

const INTERRUPTED: ModelReply = {
  ok: false,
  issue: { code: 'model.interrupted', path: '', hint: 'the bench was told to stop' },
  temporary: false,
  usage: emptyUsage(),
  retries: [],
};

/** At most so many calls a minute over all episodes, evenly spaced. A request whose signal is given waits no longer. */
export function rateGuard(perMinute: number): Guard {
  const gapMs = 60_000 / perMinute;
  let free = 0;
  const around =
    (ask: EpisodeModel['ask']): EpisodeModel['ask'] =>
    async (request, about) => {
      const { signal } = request;
      const now = performance.now();
      const turn = Math.max(now, free);
      free = turn + gapMs;
      if (turn > now) await wait(turn - now, undefined, { signal }).catch(() => undefined);
      return signal.aborted ? INTERRUPTED : ask(request, about);
    };
  return (inner) => wrapped(inner, around);
}

/** A call that was told to stop has so long to end by itself, so that what it used is known. */
const GRACE_MS = 1_000;

/**
 * Ends every call, under way or to come, once the signal is given: the reply is a failure, and with it the episode stops.
 * The signal reaches the provider's request; a call that does not heed it is left alone after a second.
 */
export function interruptGuard(signal: AbortSignal): Guard {
  const around =
    (ask: EpisodeModel['ask']): EpisodeModel['ask'] =>
    async (request, about) => {
      if (signal.aborted) return INTERRUPTED;
      const left = Promise.withResolvers<ModelReply>();
      let timer: NodeJS.Timeout | undefined;
      const stop = (): void => {
        timer = setTimeout(() => left.resolve(INTERRUPTED), GRACE_MS);
      };
      signal.addEventListener('abort', stop, { once: true });
      try {
        const both = AbortSignal.any([request.signal, signal]);
        return await Promise.race([ask({ ...request, signal: both }, about), left.promise]);
      } finally {
        clearTimeout(timer);
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
  { mostOutput, sheet: prices, spending = createSpending() }: SpendOptions = {},
): Guard {
  const held: Spent = { tokens: 0, usd: 0 };
  const { total } = spending;
  const limited = limit.tokens !== null || limit.usd !== null;
  let longest = mostOutput ?? FIRST_OUTPUT;
  const over = (wanted: Spent): boolean =>
    (limit.tokens !== null && total.tokens + held.tokens + wanted.tokens > limit.tokens) ||
    (limit.usd !== null && total.usd + held.usd + wanted.usd > limit.usd);
  const around =
    (sheet: PriceSheet | null) =>
    (ask: EpisodeModel['ask']): EpisodeModel['ask'] =>
    async (request, about) => {
      const count = (): number => request.prompt.reduce((sum, { text }) => sum + tokens(text), 0);
      const inputTokens = limited ? count() : 0;
      const most = { ...emptyUsage(), inputTokens, outputTokens: longest };
      const wanted = priced(dearest(most, sheet), sheet);
      if (over(wanted)) return refused(limit);
      add(held, wanted, 1);
      const reply = await ask(request, about);
      const usage = usageOf(reply, () => inputTokens || count(), tokens);
      const used = priced(usage, sheet);
      add(held, wanted, -1);
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

/** What was spent, earlier runs included where they count; every call's use is added to it. */
export type Spending = { readonly total: Readonly<Spent>; record(used: Readonly<Spent>): void };

/** Of this process alone, without `keep`; it is given every call's use. */
export function createSpending(
  before: Readonly<Spent> = { tokens: 0, usd: 0 },
  keep?: (used: Readonly<Spent>) => void,
): Spending {
  const total = { ...before };
  return {
    total,
    record(used) {
      add(total, used, 1);
      keep?.(used);
    },
  };
}

/** `58,991 tokens and 0.0412 USD`; no USD where there are none. */
export function spentText({ tokens, usd }: Readonly<Spent>): string {
  return `${tokens.toLocaleString('en-US')} tokens${usd === 0 ? '' : ` and ${usd.toFixed(4)} USD`}`;
}

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

/** Why an episode ended that could not be paid. */
export const SPENT = 'model.spent';

function refused({ tokens, usd }: SpendLimit): ModelReply {
  const limits = [...(tokens === null ? [] : [`${tokens} tokens`]), ...(usd === null ? [] : [`${usd} USD`])];
  const hint = `this call could pass the bench's limit of ${limits.join(' and ')}; it was not made`;
  const issue = { code: SPENT, path: '', hint } as const;
  return { ok: false, issue, temporary: false, usage: emptyUsage(), retries: [] };
}
