import type { Issue, Json, Pointer, Result } from '../types.ts';
import { formatPointer } from './pointer.ts';
import {
  FORBIDDEN_KEYS,
  forbiddenKey,
  JSON_LIMITS,
  type JsonLimits,
  MOST_ISSUES,
  numberFault,
  quote,
  syntaxIssue,
  tooDeep,
} from './rules.ts';
import { type Scan, scanValue, skipSpace, type Visitor } from './scan.ts';
import { byteLength, wellFormedJson } from './wellformed.ts';

export { checkJson } from './check.ts';
export { FORBIDDEN_KEYS, JSON_LIMITS, type JsonLimits } from './rules.ts';
export { type Scan, scanJson, scanValue } from './scan.ts';

/**
 * Parses JSON text at the boundary (RFC 8259, and I-JSON's rule against repeated keys). Refuses, all at once and each with
 * its pointer: repeated keys, keys that reach prototypes, numbers that a double cannot hold, too deep or too large input.
 * Nothing recurses on unchecked input. Strings and keys come out well-formed (`wellFormed`).
 *
 * Codes: `syntax.json`, `syntax.duplicate_key`, `syntax.forbidden_key`, `syntax.number`, `syntax.depth`, `syntax.size`.
 */
export function parseJson(text: string, limits: Partial<JsonLimits> = {}): Result<Json> {
  const { depth, bytes } = { ...JSON_LIMITS, ...limits };
  const size = text.length > bytes ? text.length : byteLength(text);
  if (size > bytes) {
    return {
      ok: false,
      issues: [syntaxIssue('size', '', `at most ${bytes} bytes; this has ${size} or more`)],
    };
  }
  const issues: Issue[] = [];
  const start = skipSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0);
  const scan = scanValue(text, start, inspector(text, depth, issues));
  const rest = skipSpace(text, scan.end);
  if (scan.state === 'complete' && rest < text.length)
    issues.push(broken(text, rest, 'text after the value'));
  if (scan.state === 'truncated' || scan.state === 'broken') issues.push(grammarIssue(text, start, scan));
  if (issues.length > 0) return { ok: false, issues: issues.slice(0, MOST_ISSUES) };
  const value = JSON.parse(text.slice(start, scan.end)) as Json;
  return { ok: true, value: text.includes('\\u') || !text.isWellFormed() ? wellFormedJson(value) : value };
}

/** An open container: the keys seen (null in an array), and the member that is being read. */
type Frame = { readonly keys: Set<string> | null; segment: string | number };

function inspector(text: string, depth: number, issues: Issue[]): Visitor {
  const frames: Frame[] = [];
  const path = (): Pointer => formatPointer(frames.map((frame) => frame.segment));
  const nextItem = (): void => {
    const top = frames.at(-1);
    if (typeof top?.segment === 'number') top.segment++;
  };
  return {
    open(array) {
      nextItem();
      if (frames.length >= depth) issues.push(tooDeep(path(), depth));
      if (frames.length >= depth || issues.length >= MOST_ISSUES) return false;
      frames.push({ keys: array ? null : new Set(), segment: array ? -1 : '' });
      return true;
    },
    key(start, end) {
      const frame = frames.at(-1) as Frame;
      const raw = text.slice(start + 1, end - 1);
      const key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
      frame.segment = key;
      if (FORBIDDEN_KEYS.has(key)) issues.push(forbiddenKey(path(), key));
      if (frame.keys?.has(key)) {
        issues.push(syntaxIssue('duplicate_key', path(), `key ${quote(key)} is given more than once`));
      }
      frame.keys?.add(key);
    },
    scalar(start, end) {
      nextItem();
      const first = text.charAt(start);
      if (first !== '-' && (first < '0' || first > '9')) return;
      const token = text.slice(start, end);
      const fault = numberFault(Number(token), token);
      if (fault !== null) issues.push(syntaxIssue('number', path(), fault));
    },
    close() {
      frames.pop();
    },
  };
}

function grammarIssue(text: string, start: number, scan: Scan): Issue {
  if (start >= text.length) return syntaxIssue('json', '', 'a JSON value was wanted; the text is empty');
  return scan.state === 'truncated'
    ? broken(text, scan.end, 'the text ends inside the value')
    : broken(text, scan.end, `unexpected ${quote(text.slice(scan.end, scan.end + 12))}`);
}

function broken(text: string, offset: number, what: string): Issue {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  return syntaxIssue('json', '', `${what} at line ${line}, column ${column}`);
}
