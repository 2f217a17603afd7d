import { isPayloadRef } from './payload.ts';
import type { Json, PayloadRef, RunEvent } from '../types.ts';

/** Members that hold digests and counts, which nobody searches for. */
const SKIPPED: ReadonlySet<string> = new Set([
  'v',
  'seq',
  'at',
  'prev',
  'hash',
  'usage',
  'budget',
  'skill',
  'tools',
]);

/** Text of an event: its own (handle null), then that of each payload. */
export type SearchPart = { readonly handle: string | null; readonly text: string };

/**
 * The words of an event: its strings and numbers, one a line, and each payload that it refers to. NUL becomes a space,
 * for an index may end a text there (P22).
 */
export function searchParts(event: RunEvent, payload: (ref: PayloadRef) => string): readonly SearchPart[] {
  const lines: string[] = [];
  const parts: SearchPart[] = [];
  const stack: Json[] = Object.entries(event)
    .filter(([name]) => !SKIPPED.has(name))
    .map(([, value]) => value as Json)
    .reverse();
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    if (typeof value === 'string' || typeof value === 'number') lines.push(String(value));
    else if (typeof value !== 'object' || value === null) continue;
    else if (isPayloadRef(value)) parts.push({ handle: value.handle, text: clean(payload(value)) });
    else for (const item of Object.values(value).reverse()) stack.push(item);
  }
  return [{ handle: null, text: clean(lines.join('\n')) }, ...parts];
}

function clean(text: string): string {
  return text.replaceAll('\0', ' ').toWellFormed();
}

export function joinParts(parts: readonly SearchPart[]): string {
  return parts.map((part) => part.text).join('\n');
}

/** All must occur. `long` have at least three characters, which is what a trigram index needs; `short` are folded. */
export type Terms = { readonly long: readonly string[]; readonly short: readonly string[] };

const MAX_TERMS = 32;

/**
 * What to look for, first choice first: the words as written, then without punctuation. Any text is a valid query
 * (P73); a blank one has no terms.
 */
export function searchTerms(text: string): readonly Terms[] {
  const plain = text.toWellFormed().replaceAll('\0', ' ').slice(0, 1000);
  const written = plain.split(/\s+/).filter((word) => word !== '');
  const words = plain.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];
  const choices = written.join(' ') === words.join(' ') ? [written] : [written, words];
  return choices.filter((choice) => choice.length > 0).map(toTerms);
}

function toTerms(words: readonly string[]): Terms {
  const some = [...new Set(words)].slice(0, MAX_TERMS);
  return {
    long: some.filter((word) => Array.from(word).length > 2),
    short: some.filter((word) => Array.from(word).length <= 2).map((word) => word.toLowerCase()),
  };
}

/** The part that holds most of the terms, and about 160 characters of one line around the first of them in it. */
export function bestPart(
  parts: readonly SearchPart[],
  terms: Terms,
): { readonly handle: string | null; readonly excerpt: string } {
  const words = [...terms.long, ...terms.short].map((term) => term.toLowerCase());
  const scored = parts.map((part) => {
    const folded = part.text.toLowerCase();
    const places = words.map((word) => folded.indexOf(word)).filter((place) => place >= 0);
    return { part, found: places.length, at: places[0] ?? 0 };
  });
  const best = scored.reduce((a, b) => (b.found > a.found ? b : a));
  return { handle: best.part.handle, excerpt: around(best.part.text, best.at) };
}

function around(text: string, at: number): string {
  const start = Math.max(0, at - 60);
  const end = Math.min(text.length, at + 100);
  const line = text.slice(start, end).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}
