import type { Prompt } from '@skillstate/runtime';
import type { BilledCall, Piece } from './calls.ts';
import { RECENT } from './prefix-cache.ts';

type Known = { readonly text: string; readonly piece: Piece };
type Pieces = Pick<BilledCall, 'same' | 'added' | 'sharedInside'> & { readonly total: number };

/**
 * Prompts as pieces in common with the one before. A text is counted once while it stays in the prompt, and keeps its id
 * for as many calls after as a cache looks back: a state that comes back finds the prefix that began with it.
 */
export function createPieces(count: (text: string) => number): (prompt: Prompt) => Pieces {
  let last: readonly Known[] = [];
  let [ids, calls] = [0, 0];
  const gone = new Map<string, { readonly piece: Piece; readonly call: number }>();
  return (prompt) => {
    calls += 1;
    let same = 0;
    while (same < last.length && last[same]?.text === prompt[same]?.text) same += 1;
    const before = last[same]?.text ?? '';
    for (const { text, piece } of last.slice(same)) {
      gone.delete(text);
      gone.set(text, { piece, call: calls });
    }
    const fresh = prompt.slice(same).map(({ text }): Known => {
      const piece = gone.get(text)?.piece ?? { id: ids++, tokens: count(text) };
      gone.delete(text);
      return { text, piece };
    });
    for (const [text, { call }] of gone) {
      if (calls - call < RECENT) break;
      gone.delete(text);
    }
    last = [...last.slice(0, same), ...fresh];
    const [first] = fresh;
    return {
      same,
      added: fresh.map(({ piece }) => piece),
      sharedInside: first === undefined ? 0 : sharedTokens(before, first.text, first.piece.tokens),
      total: last.reduce((sum, { piece }) => sum + piece.tokens, 0),
    };
  };
}

/** Of a text that took another's place: the tokens in common at its beginning, by characters and rounded down. */
export function sharedTokens(before: string, text: string, tokens: number): number {
  let shared = 0;
  while (shared < text.length && before[shared] === text[shared]) shared += 1;
  return text.length === 0 ? 0 : Math.floor((tokens * shared) / text.length);
}
