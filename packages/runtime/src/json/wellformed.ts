import type { Json, JsonObject } from '../types.ts';

export { type CappedText, capText } from './cap.ts';

/**
 * Text that every part can hold: a lone surrogate becomes U+FFFD and NUL becomes its picture U+2400 (`␀`), because SQLite's
 * text functions, its search index and several providers stop at NUL. Everything else stays, the six characters `\u0000`
 * written out included. Applied once, where text enters; the raw bytes stay readable as a payload. Idempotent.
 */
export function wellFormed(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes('\0') ? whole.replaceAll('\0', '\u2400') : whole;
}

/**
 * `wellFormed` for every string and key. Parts that need no change are returned as they are. Two keys that become the same
 * are kept apart by further U+FFFD. Recurses: the value must be within the depth limit.
 */
export function wellFormedJson(value: Json): Json {
  if (typeof value === 'string') return wellFormed(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return wellFormedArray(value);
  return wellFormedObject(value as JsonObject);
}

function wellFormedArray(items: readonly Json[]): readonly Json[] {
  const next = items.map(wellFormedJson);
  return next.every((item, i) => item === items[i]) ? items : next;
}

function wellFormedObject(object: JsonObject): JsonObject {
  let changed = false;
  const next: Record<string, Json> = {};
  for (const [key, member] of Object.entries(object)) {
    let name = wellFormed(key);
    while (name !== key && (Object.hasOwn(next, name) || Object.hasOwn(object, name))) name += '\ufffd';
    const item = wellFormedJson(member);
    changed ||= name !== key || item !== member;
    next[name] = item;
  }
  return changed ? next : object;
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const STRICT_UTF8 = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });

/** Bytes as well-formed text; `lossless` says whether the text encodes back to the same bytes. A BOM is kept. */
export function decodeUtf8(bytes: Uint8Array): { text: string; lossless: boolean } {
  try {
    const exact = STRICT_UTF8.decode(bytes);
    const text = wellFormed(exact);
    return { text, lossless: text === exact };
  } catch {
    return { text: wellFormed(UTF8.decode(bytes)), lossless: false };
  }
}

/** Size of a text in UTF-8 bytes. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
