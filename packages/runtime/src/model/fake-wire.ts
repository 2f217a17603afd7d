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
  /** Prompt texts in order, with the blank lines between messages; `breakpoint`: a cache breakpoint stands behind it. */
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

/** Role and content (`parts` at Google) of a list of messages. */
export function messages(value: unknown): readonly { role: string; content: unknown }[] {
  return list(value).map((message) => {
    const { role, content, parts } = object(message);
    return { role: stringOr(role, ''), content: content ?? parts };
  });
}

/** All parts; a blank line goes in front of each new role, unless the text brings its own. */
export function promptParts(
  conversation: readonly { role: string; content: unknown }[],
): WireRequest['parts'] {
  const parts: { text: string; breakpoint: boolean }[] = [];
  for (const { content } of conversation) {
    for (const [at, part] of textParts(content).entries()) {
      const apart = parts.length > 0 && at === 0 && !part.text.startsWith('\n\n');
      parts.push(apart ? { ...part, text: `\n\n${part.text}` } : part);
    }
  }
  return parts;
}

/** Text of a `content` member: a string, or blocks with `text`. */
export function textParts(content: unknown): WireRequest['parts'] {
  if (typeof content === 'string') return [{ text: content, breakpoint: false }];
  return list(content).map((block) => {
    const { text, cache_control: ephemeral, prompt_cache_breakpoint: explicit } = object(block);
    return { text: typeof text === 'string' ? text : '', breakpoint: (ephemeral ?? explicit) !== undefined };
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
