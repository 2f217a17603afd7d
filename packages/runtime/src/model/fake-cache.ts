import type { WireRequest, WireUsage } from './fake-wire.ts';

export type FakeCache = {
  /** Input tokens of a request, and how many of them were read from and written to the cache. */
  ask(request: WireRequest, breakpoints: boolean): Pick<WireUsage, 'input' | 'cacheRead' | 'cacheWrite'>;
};

/** Blocks, the breakpoint's own among them, through which Anthropic looks back for an earlier entry. */
const LOOKBACK = 20;

/**
 * A prefix cache without lifetime. With `breakpoints` (Anthropic) only prefixes that end at one are written, and the
 * longest that ends at one or up to 20 blocks before it is read; without, the longest prefix shared with any of the last prompts is read, and nothing is charged for writing.
 */
export function createFakeCache(tokens: (text: string) => number, minTokens: number): FakeCache {
  const written = new Set<string>();
  const recent = new Map<string, readonly string[]>();
  return {
    ask(request, breakpoints) {
      const text = request.parts.map((part) => part.text).join('');
      const input = tokens(text);
      if (breakpoints) return { input, ...askBreakpoints(request, written, tokens, minTokens) };
      const before = recent.get(request.model) ?? [];
      const shared = Math.max(0, ...before.map((other) => tokens(text.slice(0, sharedLength(text, other)))));
      recent.set(request.model, [...before.slice(-7), text]);
      const cacheRead = shared >= minTokens ? Math.floor(shared / 128) * 128 : 0;
      return { input, cacheRead: Math.min(input, cacheRead), cacheWrite: 0 };
    },
  };
}

function askBreakpoints(
  request: WireRequest,
  written: Set<string>,
  tokens: (text: string) => number,
  minTokens: number,
): { cacheRead: number; cacheWrite: number } {
  const { parts, model, tool } = request;
  const prefix = (end: number): { id: string; size: number } => {
    const texts = parts.slice(0, end).map((part) => part.text);
    return { id: JSON.stringify([model, tool, texts]), size: tokens(texts.join('')) };
  };
  const ends = parts.flatMap(({ breakpoint }, index) => (breakpoint ? [index + 1] : []));
  const inReach = ends.flatMap((end) =>
    Array.from({ length: Math.min(LOOKBACK, end) }, (_, back) => end - back),
  );
  const hits = inReach.map(prefix).filter(({ id }) => written.has(id));
  const writable = ends.map(prefix).filter(({ size }) => size >= minTokens);
  for (const { id } of writable) written.add(id);
  const cacheRead = Math.max(0, ...hits.map(({ size }) => size));
  const end = Math.max(cacheRead, writable.at(-1)?.size ?? 0);
  return { cacheRead, cacheWrite: end - cacheRead };
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}
