/** Where a scan ended: after a whole value, at the end of the text inside one (truncated), or at what is no JSON (broken). */
export type Scan = { readonly state: 'complete' | 'truncated' | 'broken' | 'stopped'; readonly end: number };

/** Told of each token in order; an `open` that answers false stops the scan. Ranges are offsets into the text. */
export type Visitor = {
  open(array: boolean): boolean;
  key(start: number, end: number): void;
  scalar(start: number, end: number): void;
  close(): void;
};

const QUIET: Visitor = { open: () => true, key: () => {}, scalar: () => {}, close: () => {} };
const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** A longer number is no number anyone means; the bound keeps the pattern's work small. */
const NUMBER_LENGTH = 1000;
/** Up to this length a string is first looked at in one go. */
const LONG_STRING = 4096;
/** What a string needs a closer look for: a backslash or a control character. */
const SPECIAL = /[^\u0020-\u005b\u005d-\uffff]/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER_PREFIX = /^-?(?:(?:0|[1-9]\d*)(?:\.(?:\d+(?:[eE][+-]?)?)?|[eE][+-]?)?)?$/;

/**
 * Reads the one JSON value (RFC 8259) that begins at `start`, without recursion and in one pass. A search for values in
 * prose goes on at `end` after any answer, so that it stays linear and never takes a part of a broken value for a whole one.
 */
export function scanValue(text: string, start: number, visitor: Visitor = QUIET): Scan {
  const stack: number[] = [];
  let at = start;
  for (;;) {
    const begun = beginValue(text, at, stack, visitor);
    if (begun === null) return { state: 'stopped', end: at };
    if (begun.failed) return failure(text, begun.at);
    at = begun.at;
    if (begun.opened) continue;
    const next = afterValue(text, at, stack, visitor);
    if (next.failed) return failure(text, next.at);
    at = next.at;
    if (stack.length === 0) return { state: 'complete', end: at };
  }
}

/** The end of the complete JSON value that begins at `start`; null where none does. `scanValue` says why. */
export function scanJson(text: string, start: number): { end: number } | null {
  const { state, end } = scanValue(text, start);
  return state === 'complete' ? { end } : null;
}

type Move = { at: number; failed: boolean; opened: boolean };
const fail = (at: number): Move => ({ at, failed: true, opened: false });
const moved = (at: number, opened = false): Move => ({ at, failed: false, opened });

function failure(text: string, at: number): Scan {
  return { state: at >= text.length ? 'truncated' : 'broken', end: Math.min(at, text.length) };
}

/** Reads a scalar or an empty container whole; else opens the container and stops before its first value. */
function beginValue(text: string, start: number, stack: number[], visitor: Visitor): Move | null {
  const unit = text.charCodeAt(start);
  if (unit !== OPEN_ARRAY && unit !== OPEN_OBJECT) {
    const end = scalarEnd(text, start);
    if (end < 0) return fail(~end);
    visitor.scalar(start, end);
    return moved(end);
  }
  if (!visitor.open(unit === OPEN_ARRAY)) return null;
  const first = skipSpace(text, start + 1);
  if (text.charCodeAt(first) === closerOf(unit)) {
    visitor.close();
    return moved(first + 1);
  }
  stack.push(unit);
  return unit === OPEN_ARRAY ? moved(first, true) : readKey(text, first, visitor);
}

/** Closes what ends here, and stops before the next value or, with an empty stack, behind the whole one. */
function afterValue(text: string, start: number, stack: number[], visitor: Visitor): Move {
  let at = start;
  while (stack.length > 0) {
    const top = stack[stack.length - 1] as number;
    at = skipSpace(text, at);
    const unit = text.charCodeAt(at);
    if (unit === COMMA) {
      const next = skipSpace(text, at + 1);
      return top === OPEN_ARRAY ? moved(next) : readKey(text, next, visitor);
    }
    if (unit !== closerOf(top)) return fail(at);
    stack.pop();
    visitor.close();
    at++;
  }
  return moved(at);
}

function readKey(text: string, start: number, visitor: Visitor): Move {
  if (text.charCodeAt(start) !== QUOTE) return fail(start);
  const end = stringEnd(text, start);
  if (end < 0) return fail(~end);
  const colon = skipSpace(text, end);
  if (text.charCodeAt(colon) !== COLON) return fail(colon);
  visitor.key(start, end);
  return moved(skipSpace(text, colon + 1), true);
}

function closerOf(opener: number): number {
  return opener === OPEN_ARRAY ? CLOSE_ARRAY : CLOSE_OBJECT;
}

/** The first offset at or after `start` that is no JSON white space. */
export function skipSpace(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) break;
  }
  return at;
}

/** The offset behind a string, number or literal; `~offset` of the fault. */
function scalarEnd(text: string, start: number): number {
  const unit = text.charCodeAt(start);
  if (unit === QUOTE) return stringEnd(text, start);
  if (unit === 0x74) return literalEnd(text, start, 'true');
  if (unit === 0x66) return literalEnd(text, start, 'false');
  if (unit === 0x6e) return literalEnd(text, start, 'null');
  return numberEnd(text, start);
}

function literalEnd(text: string, start: number, literal: string): number {
  for (let i = 0; i < literal.length; i++) {
    if (text.charCodeAt(start + i) !== literal.charCodeAt(i)) return ~(start + i);
  }
  return start + literal.length;
}

function numberEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && isNumberUnit(text.charCodeAt(end))) end++;
  if (end - start > NUMBER_LENGTH) return end;
  const token = text.slice(start, end);
  if (NUMBER.test(token)) return end;
  return end === text.length && NUMBER_PREFIX.test(token) ? ~end : ~start;
}

function isNumberUnit(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x2d ||
    unit === 0x2b ||
    unit === 0x2e ||
    unit === 0x65 ||
    unit === 0x45
  );
}

function stringEnd(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (quote > 0 && quote - start < LONG_STRING && !SPECIAL.test(text.slice(start + 1, quote)))
    return quote + 1;
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    if (unit < 0x20) return ~at;
    if (unit !== BACKSLASH) continue;
    const end = escapeEnd(text, at + 1);
    if (end < 0) return end;
    at = end - 1;
  }
  return ~text.length;
}

function escapeEnd(text: string, at: number): number {
  const letter = text.charAt(at);
  if (letter === '') return ~at;
  if ('"\\/bfnrt'.includes(letter)) return at + 1;
  if (letter !== 'u') return ~at;
  for (let i = at + 1; i <= at + 4; i++) {
    if (!/^[0-9a-fA-F]$/.test(text.charAt(i))) return ~i;
  }
  return at + 5;
}
