import type { Json, JsonObject } from '../types.ts';

/** What the fake provider answers, before it takes a provider's shape. */
export type WireAnswer = {
  readonly text: string;
  readonly reasoning: string;
  /** Number of tool calls that carry `text`; 0: plain text. */
  readonly calls: number;
  readonly tool: string;
  readonly finish: 'stop' | 'length' | 'refusal';
  /** Say `tool_calls` although the output was cut (P04). */
  readonly mislabel: boolean;
  readonly usage: WireUsage | null;
  readonly model: string;
};

export type WireUsage = {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
};

export type WireRequest = {
  readonly model: string;
  readonly stream: boolean;
  readonly cap: number | null;
  /** The name of the one tool, or null. */
  readonly tool: string | null;
  /** Prompt texts in order; `breakpoint`: a cache breakpoint stands behind it. */
  readonly parts: readonly { readonly text: string; readonly breakpoint: boolean }[];
};

export type Wire = {
  read(body: JsonObject, path: string): WireRequest;
  /** The events of a streamed answer: name (or null) and data; a text goes out bare. */
  events(answer: WireAnswer): readonly (readonly [string | null, Json])[];
  body(answer: WireAnswer): Json;
  error(status: number, message: string): Json;
};

/** Pieces as small as a provider's, so that a stream has many events. */
export function pieces(text: string, size = 40): readonly string[] {
  const out: string[] = [];
  for (let at = 0; at < text.length; at += size) out.push(text.slice(at, at + size));
  return out;
}

type Loose = { readonly [name: string]: unknown };

export function object(value: unknown): Loose {
  return typeof value === 'object' && value !== null ? (value as Loose) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Text of a `content` member: a string, or blocks with `text`. */
export function textParts(content: unknown): WireRequest['parts'] {
  if (typeof content === 'string') return [{ text: content, breakpoint: false }];
  return list(content).map((block) => {
    const { text, cache_control: breakpoint } = object(block);
    return { text: typeof text === 'string' ? text : '', breakpoint: breakpoint !== undefined };
  });
}

export function toolCallId(index: number): string {
  return `call_${index}`;
}

export function numberOr(value: unknown, otherwise: number | null): number | null {
  return typeof value === 'number' ? value : otherwise;
}

export function stringOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
