import type { Json, JsonObject } from '../types.ts';

const SIZES = new WeakMap<object, number>();

/**
 * UTF-8 bytes of a value's compact JSON text in a prompt. Sizes of objects and arrays are remembered as long as they live, so after a
 * patch only what changed is measured; a measured value must never be changed in place.
 */
export function jsonBytes(value: Json): number {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value === 'number') return String(value).length;
  if (value === null) return 4;
  if (typeof value === 'boolean') return value ? 4 : 5;
  const known = SIZES.get(value);
  if (known !== undefined) return known;
  const bytes = Array.isArray(value)
    ? arrayBytes(value as readonly Json[])
    : objectBytes(value as JsonObject);
  SIZES.set(value, bytes);
  return bytes;
}

function arrayBytes(items: readonly Json[]): number {
  let bytes = 2 + Math.max(0, items.length - 1);
  for (const item of items) bytes += jsonBytes(item);
  return bytes;
}

function objectBytes(object: JsonObject): number {
  let bytes = 1;
  for (const key of Object.keys(object)) bytes += textBytes(key) + jsonBytes(object[key] as Json) + 2;
  return bytes === 1 ? 2 : bytes;
}

/**
 * Bytes of a string as a prompt shows it: JSON text, quotes and escapes included; U+0085, U+2028 and U+2029, which some take
 * for line ends, are escaped there too. Expects well-formed text.
 */
function textBytes(text: string): number {
  let bytes = text.length + 2;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      if (unit === 0x22 || unit === 0x5c) bytes += 1;
      else if (unit < 0x20) bytes += shortEscape(unit) ? 1 : 5;
    } else if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) bytes += 1;
    else bytes += 2;
    if (unit === 0x85) bytes += 4;
    else if (unit === 0x2028 || unit === 0x2029) bytes += 3;
  }
  return bytes;
}

/** \b \t \n \f \r */
function shortEscape(unit: number): boolean {
  return unit >= 8 && unit <= 13 && unit !== 11;
}
