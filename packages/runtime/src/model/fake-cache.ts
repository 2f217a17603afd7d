import type { WireRequest, WireUsage } from './fake-wire.ts';

export type FakeCache = {
  /** Input tokens of a request, and how many of them were read from and written to the cache. */
  ask(request: WireRequest, breakpoints: boolean): Pick<WireUsage, 'input' | 'cacheRead' | 'cacheWrite'>;
};

/**
 * A prefix cache without lifetime. With `breakpoints` only texts that end at one are written and read (Anthropic);
 * without, the longest prefix shared with any of the last prompts is read, and nothing is charged for writing.
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
  let cacheRead = 0;
  let end = 0;
  request.parts.forEach((part, index) => {
    if (!part.breakpoint) return;
    const prefix = request.parts.slice(0, index + 1).map((each) => each.text);
    const size = tokens(prefix.join(''));
    if (size < minTokens) return;
    const id = JSON.stringify([request.model, request.tool, prefix]);
    if (written.has(id)) cacheRead = size;
    written.add(id);
    end = size;
  });
  return { cacheRead, cacheWrite: end - cacheRead };
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}
