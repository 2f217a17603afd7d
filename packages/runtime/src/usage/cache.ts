import { createHash } from 'node:crypto';
import type { Prompt } from '../types.ts';

/** How a provider caches prompt prefixes. */
export type CacheRules = {
  /** A shorter prefix is never cached. */
  readonly minCacheTokens: number;
  /** Cached lengths are multiples of this many tokens. */
  readonly granularity: number;
  /** Counted from the last use. */
  readonly ttlSeconds: number;
  /**
   * Most breakpoints that a request may set; the last ones count. A prefix is written only where it ends at one.
   * null: the provider caches every prefix by itself.
   */
  readonly breakpoints: number | null;
  /** How many parts before a breakpoint are looked through for an earlier entry; null: all. */
  readonly lookback: number | null;
};

/** One call: its prompt, with `cache` at the breakpoints, and its time in milliseconds, which never falls. */
export type CachedCall = { readonly prompt: Prompt; readonly at: number };

/** A call's input; the three add up to the tokens of its parts. */
export type CacheSplit = {
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly uncached: number;
};

type Count = (text: string) => number;
type Step = (call: CachedCall) => CacheSplit;

/**
 * What a provider's prefix cache reads and writes over a sequence of calls to one model. Pure: the same calls give the
 * same figures. It never overstates a saving: nothing outside the common prefix is read, nothing below the minimum,
 * nothing after its lifetime. `tokens` counts a text; a prompt's tokens are the sum over its parts.
 */
export function simulateCache(
  calls: readonly CachedCall[],
  rules: CacheRules,
  tokens: Count,
): readonly CacheSplit[] {
  const step = createCacheSimulation(rules, tokens);
  return calls.map((call) => step(call));
}

/** The same, one call at a time, in constant memory for a fixed prompt size. */
export function createCacheSimulation(rules: CacheRules, tokens: Count): Step {
  const count = memoized(tokens);
  return rules.breakpoints === null ? automatic(rules, count) : explicit(rules, rules.breakpoints, count);
}

// ── Every prefix is cached: compare with the last few prompts ───────────────────────────────────────────────────

const RECENT = 4;

function automatic(rules: CacheRules, count: Count): Step {
  let recent: readonly { readonly text: string; readonly expires: number }[] = [];
  return ({ prompt, at }) => {
    const text = flat(prompt);
    const live = recent.filter((entry) => entry.expires > at);
    let shared = 0;
    for (const entry of live) shared = Math.max(shared, sharedLength(text, entry.text));
    const expires = at + rules.ttlSeconds * 1_000;
    recent = [{ text, expires }, ...live].slice(0, RECENT);
    const total = tokensBefore(prompt, text.length, count);
    const cacheRead = cacheable(tokensBefore(prompt, shared, count), rules);
    const cacheWrite = Math.max(0, cacheable(total, rules) - cacheRead);
    return { cacheRead, cacheWrite, uncached: total - cacheRead - cacheWrite };
  };
}

/** One character stands for the role in front of each part. */
function flat(prompt: Prompt): string {
  return prompt.map((part) => part.role.charAt(0) + part.text).join('');
}

function tokensBefore(prompt: Prompt, end: number, count: Count): number {
  let tokens = 0;
  let left = end;
  for (const { text } of prompt) {
    left -= 1;
    if (left <= 0) break;
    tokens += count(left >= text.length ? text : text.slice(0, left));
    left -= text.length;
  }
  return tokens;
}

function cacheable(tokens: number, { minCacheTokens, granularity }: CacheRules): number {
  return tokens < minCacheTokens ? 0 : Math.floor(tokens / granularity) * granularity;
}

/** Native comparison in blocks, then by character inside the first block that differs. */
function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  const block = 4_096;
  while (length + block <= most && a.slice(length, length + block) === b.slice(length, length + block)) {
    length += block;
  }
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

// ── Only marked prefixes are cached ─────────────────────────────────────────────────────────────────────────────

/** A prefix that ends behind a part. */
type Mark = { readonly hash: string; readonly tokens: number; readonly breakpoint: boolean };

function explicit(rules: CacheRules, breakpoints: number, count: Count): Step {
  const expiry = new Map<string, number>();
  return ({ prompt, at }) => {
    for (const [hash, expires] of expiry) if (expires <= at) expiry.delete(hash);
    const marks = marksOf(prompt, breakpoints, count);
    const expires = at + rules.ttlSeconds * 1_000;
    const hit = marks.findLast(
      (mark, index) => expiry.has(mark.hash) && inReach(marks, index, rules.lookback),
    );
    const written = marks.filter((mark) => mark.breakpoint && cacheable(mark.tokens, rules) > 0);
    for (const mark of hit ? [...written, hit] : written) expiry.set(mark.hash, expires);
    const cacheRead = hit ? cacheable(hit.tokens, rules) : 0;
    const cacheWrite = Math.max(0, cacheable(written.at(-1)?.tokens ?? 0, rules) - cacheRead);
    const total = marks.at(-1)?.tokens ?? 0;
    return { cacheRead, cacheWrite, uncached: total - cacheRead - cacheWrite };
  };
}

function marksOf(prompt: Prompt, breakpoints: number, count: Count): readonly Mark[] {
  const kept = new Set(breakpoints > 0 ? prompt.filter((part) => part.cache).slice(-breakpoints) : []);
  const hash = createHash('sha256');
  let tokens = 0;
  return prompt.map((part) => {
    hash.update(`${part.role} ${part.text.length} ${part.text}`);
    tokens += count(part.text);
    return { hash: hash.copy().digest('base64'), tokens, breakpoint: kept.has(part) };
  });
}

/** Whether a breakpoint stands at `index` or at most `lookback` parts behind it. */
function inReach(marks: readonly Mark[], index: number, lookback: number | null): boolean {
  const last = lookback === null ? marks.length : index + lookback;
  return marks.slice(index, last).some((mark) => mark.breakpoint);
}

/** The fixed prefix comes with every call: long texts are counted once, the oldest leaving first. */
function memoized(tokens: Count): Count {
  const known = new Map<string, number>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const counted = tokens(text);
    known.set(text, counted);
    const [oldest] = known.keys();
    if (known.size > 64 && oldest !== undefined) known.delete(oldest);
    return counted;
  };
}
