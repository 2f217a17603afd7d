import type { PromptPart, Turn } from '@skillstate/runtime';
import { part } from './text.ts';

/** The word that a template puts before a reply: A.1 says `Reasoning & Action`, A.2 and A.3 say `Response`. */
export type TurnLabel = 'Reasoning & Action' | 'Response';

export function turnText({ observation, response }: Turn, label: TurnLabel): string {
  return `Observation: ${observation}\n${label}: ${response}`;
}

/**
 * Turns as prompt parts, one each, so that a cache can break between them. A turn is rendered once and the same object
 * comes back at every later step; the memory goes with the list of turns. The list only grows.
 */
export function createTranscript(label: TurnLabel): (turns: readonly Turn[]) => readonly PromptPart[] {
  const made = new WeakMap<readonly Turn[], PromptPart[]>();
  return (turns) => {
    const parts = made.get(turns) ?? [];
    made.set(turns, parts);
    for (let i = parts.length; i < turns.length; i++)
      parts.push(part('user', turnText(turns[i] as Turn, label)));
    return parts;
  };
}

/** The same parts with the cache breakpoint behind the last one. */
export function breakBehindLast(parts: readonly PromptPart[]): readonly PromptPart[] {
  const last = parts.at(-1);
  return last === undefined ? [] : [...parts.slice(0, -1), { ...last, cache: true }];
}
