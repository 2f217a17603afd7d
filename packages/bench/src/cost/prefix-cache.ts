import type { CacheRules } from '@skillstate/runtime';
import type { BilledCall } from './calls.ts';

/** A call's input in tokens; `read + write + uncached` is all of it. */
export type Split = {
  readonly read: number;
  readonly write: number;
  readonly uncached: number;
  /** The longest prefix that a later call could read, whatever the minimum: up to a breakpoint, or what was in common. */
  readonly offered: number;
};

/** The prefixes of a prompt that end behind a piece, shortest first: an identity and the tokens up to there. */
type Prefixes = { readonly keys: number[]; readonly tokens: number[] };

/**
 * What a provider's prefix cache reads and writes, from pieces in place of texts: the rules of the runtime's
 * `simulateCache`, for calls whose texts were not kept. Feed it the calls in order.
 */
export function createPrefixCache(rules: CacheRules): (call: BilledCall) => Split {
  const split = rules.breakpoints === null ? automatic(rules) : explicit(rules, rules.breakpoints);
  const prefixes: Prefixes = { keys: [], tokens: [] };
  return (call) => {
    extend(prefixes, call);
    const counted = prefixes.tokens.at(-1) ?? 0;
    const total = call.inputTokens ?? counted;
    const scale = counted === 0 ? 0 : total / counted;
    const { read, end, offered } = split(call, prefixes, (tokens) => Math.round(tokens * scale));
    const write = Math.max(0, cacheable(end, rules) - read);
    return { read, write, uncached: Math.max(0, total - read - write), offered };
  };
}

type Scale = (tokens: number) => number;
/** `read`: tokens found; `end`: tokens of the longest prefix that may be written. */
type Found = { readonly read: number; readonly end: number; readonly offered: number };

function extend({ keys, tokens }: Prefixes, { same, added }: BilledCall): void {
  keys.length = Math.min(keys.length, same);
  tokens.length = keys.length;
  for (const piece of added) {
    keys.push(chain(keys.at(-1) ?? 0, piece.id));
    tokens.push((tokens.at(-1) ?? 0) + piece.tokens);
  }
}

/** A 53-bit hash of a sequence of ids, one id at a time: two 32-bit multiplicative hashes side by side. */
function chain(key: number, id: number): number {
  const high = Math.imul(Math.floor(key / 0x20_0000) ^ (id + 0x9e37_79b9), 0x85eb_ca6b);
  const low = Math.imul((key % 0x20_0000) ^ Math.imul(id + 1, 0xc2b2_ae35) ^ (high >>> 15), 0x27d4_eb2f);
  return ((high ^ (high >>> 13)) >>> 0) * 0x20_0000 + ((low ^ (low >>> 16)) >>> 11);
}

function cacheable(tokens: number, { minCacheTokens, granularity }: CacheRules): number {
  return tokens < minCacheTokens ? 0 : Math.floor(tokens / granularity) * granularity;
}

// ── Every prefix is cached: compare with the last few prompts ───────────────────────────────────────────────────

/** Prompts before a call that may share a prefix with it. */
export const RECENT = 4;

function automatic(rules: CacheRules) {
  let recent: readonly { readonly keys: readonly number[]; readonly expires: number }[] = [];
  return (call: BilledCall, { keys, tokens }: Prefixes, scale: Scale): Found => {
    const live = recent.filter((entry) => entry.expires > call.at);
    const shared = live.map((entry) => tokens[commonLength(keys, entry.keys) - 1] ?? 0);
    const [previous] = recent;
    if (previous !== undefined && previous.expires > call.at)
      shared.push((tokens[call.same - 1] ?? 0) + call.sharedInside);
    recent = [{ keys: [...keys], expires: call.at + rules.ttlSeconds * 1_000 }, ...live].slice(0, RECENT);
    const offered = scale(Math.max(0, ...shared));
    return { read: cacheable(offered, rules), end: scale(tokens.at(-1) ?? 0), offered };
  };
}

/** Keys are chained: once two lists differ, they differ to the end. */
function commonLength(a: readonly number[], b: readonly number[]): number {
  let [low, high] = [0, Math.min(a.length, b.length)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (a[middle - 1] === b[middle - 1]) low = middle;
    else high = middle - 1;
  }
  return low;
}

// ── Only marked prefixes are cached ─────────────────────────────────────────────────────────────────────────────

function explicit(rules: CacheRules, breakpoints: number) {
  /** Ordered by expiry, soonest first: every use moves an entry to the end. */
  const expiry = new Map<number, number>();
  return (call: BilledCall, { keys, tokens }: Prefixes, scale: Scale): Found => {
    for (const [key, expires] of expiry) {
      if (expires > call.at) break;
      expiry.delete(key);
    }
    const breaks = breakpoints > 0 ? call.breaks.slice(-breakpoints) : [];
    const hit = lastHit(breaks, keys, expiry, rules.lookback ?? keys.length);
    const size = (index: number): number => scale(tokens[index] ?? 0);
    const written = breaks.filter((index) => cacheable(size(index), rules) > 0);
    for (const index of hit === null ? written : [...written, hit]) {
      const key = keys[index] as number;
      expiry.delete(key);
      expiry.set(key, call.at + rules.ttlSeconds * 1_000);
    }
    const last = breaks.at(-1);
    const end = last === undefined ? 0 : size(last);
    return { read: hit === null ? 0 : cacheable(size(hit), rules), end, offered: end };
  };
}

/** The longest cached prefix that ends at a breakpoint or fewer than `lookback` pieces before one. */
function lastHit(
  breaks: readonly number[],
  keys: readonly number[],
  cached: ReadonlyMap<number, number>,
  lookback: number,
): number | null {
  for (const end of breaks.toReversed())
    for (let index = end; index >= 0 && index > end - lookback; index--)
      if (cached.has(keys[index] as number)) return index;
  return null;
}
