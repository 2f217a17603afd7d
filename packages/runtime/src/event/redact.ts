import type { Json } from '../types.ts';

/** Replaces known secrets by `[secret:NAME]`, before anything reaches Σ, O, a prompt or the log (R15). */
export type Redactor = {
  text(text: string): string;
  /** Every string of a JSON value, keys too. Returns the value itself where nothing had to change. */
  json<T extends Json>(value: T): T;
};

/** A shorter value would also hit ordinary words. */
export const MIN_SECRET_LENGTH = 6;

/**
 * `secrets` maps names to values. Found are the value itself, with any of its characters URL-encoded or JSON-escaped,
 * its Base64, and the Base64 of a longer text that holds it (`user:password`). Where two could match, the longer value
 * wins. Throws for a value that is too short and for a name that is no identifier; the message never holds the value.
 */
export function createRedactor(secrets: Readonly<Record<string, string>>): Redactor {
  const entries = Object.entries(secrets).toSorted(([, a], [, b]) => b.length - a.length);
  for (const [name, value] of entries) needUsable(name, value);
  if (entries.length === 0) return { text: (text) => text, json: (value) => value };
  const pattern = new RegExp(entries.map(([, value]) => `(${secretPattern(value)})`).join('|'), 'gu');
  const text = (value: string): string =>
    value.replace(pattern, (...[, ...groups]: unknown[]) => {
      const hit = groups.findIndex((group) => group !== undefined);
      return `[secret:${entries[hit]?.[0]}]`;
    });
  return { text, json: (value) => mapStrings(value, text) as typeof value };
}

function needUsable(name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name))
    throw new TypeError(`secret name ${JSON.stringify(name)}: use letters, digits, "_", "." and "-"`);
  if (value.length < MIN_SECRET_LENGTH)
    throw new RangeError(
      `secret ${name} has ${value.length} characters; at least ${MIN_SECRET_LENGTH} are needed to redact it safely`,
    );
}

function secretPattern(value: string): string {
  const written = Array.from(value.toWellFormed(), charPattern).join('');
  return [written, ...base64Forms(value).map((form) => RegExp.escape(form))].join('|');
}

/** One character in all the ways it may be written: longer ways first. */
function charPattern(char: string): string {
  const anyCase = (hex: string): string =>
    hex.replace(/[A-Fa-f]/g, (d) => `[${d.toUpperCase()}${d.toLowerCase()}]`);
  const hex = (code: number, digits: number): string => anyCase(code.toString(16).padStart(digits, '0'));
  const percent = Array.from(Buffer.from(char), (byte) => `%${hex(byte, 2)}`).join('');
  const units = Array.from({ length: char.length }, (_, i) => `\\\\u${hex(char.charCodeAt(i), 4)}`).join('');
  const short = RegExp.escape(JSON.stringify(char).slice(1, -1));
  const ways = [percent, units, short];
  // JSON text inside JSON text escapes these again.
  if (char === '"' || char === '/') ways.push(`\\\\{1,7}${RegExp.escape(char)}`);
  if (char === ' ') ways.push('\\+');
  return `(?:${[...ways, RegExp.escape(char)].join('|')})`;
}

/** Base64 of the value at each of the three positions in a group, without the characters that neighbours change. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const whole = bytes.toString('base64');
  const found = [whole, whole.replaceAll('=', '')];
  for (let shift = 0; shift < 3; shift++) {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const first = [0, 2, 3][shift] ?? 0;
    const last = Math.floor(((shift + bytes.length) * 8) / 6);
    found.push(text.slice(first, last));
  }
  return found.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}

type Box = Record<string | number, Json>;
type Slot = { readonly from: Json; readonly into: Box; readonly key: string | number };

/** A copy with every string mapped; iterative, for the depth of the value is not ours to trust. */
function mapStrings(value: Json, map: (text: string) => string): Json {
  const root: Box = { value };
  let changed = false;
  const mapped = (text: string): string => {
    const next = map(text);
    changed ||= next !== text;
    return next;
  };
  const stack: Slot[] = [{ from: value, into: root, key: 'value' }];
  for (let slot = stack.pop(); slot !== undefined; slot = stack.pop()) {
    const { from, into, key } = slot;
    if (typeof from === 'string') put(into, key, mapped(from));
    else if (typeof from !== 'object' || from === null) put(into, key, from);
    else {
      const copy = (Array.isArray(from) ? [] : {}) as Box;
      put(into, key, copy);
      for (const [name, item] of Object.entries(from)) {
        const to = Array.isArray(from) ? name : mapped(name);
        put(copy, to, null);
        stack.push({ from: item as Json, into: copy, key: to });
      }
    }
  }
  return changed ? (root['value'] ?? null) : value;
}

/** Defines rather than assigns, so that a member named `__proto__` stays a member. */
function put(into: Box, key: string | number, value: Json): void {
  Object.defineProperty(into, key, { value, writable: true, enumerable: true, configurable: true });
}
