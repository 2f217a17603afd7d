import { isPrintable } from './printable.ts';
import type { PyDict, PyValue } from './value.ts';

/** Compares two texts code point by code point, as Python does (UTF-16 order differs above U+FFFF). */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return codeOrder(x) - codeOrder(y);
  }
  return a.length - b.length;
}

/** Puts surrogates, which stand for code points above U+FFFF, behind all other code units. */
function codeOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** The dict's entries in the order of their keys. */
export function sortedEntries(dict: PyDict): [string, PyValue][] {
  return [...dict].sort((a, b) => compareText(a[0], b[0]));
}

/** `repr` of a float: the shortest digits that read back, exponent form below 1e-4 and from 1e16 on. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const [mantissa = '0', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const exponent = Number(exponentText);
  const digits = mantissa.replace('.', '');
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

const shortEscapes = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]);

function escapeCharacter(character: string): string {
  const short = shortEscapes.get(character);
  if (short !== undefined) return short;
  if (isPrintable(character)) return character;
  const point = character.codePointAt(0) ?? 0;
  if (point <= 0xff) return `\\x${point.toString(16).padStart(2, '0')}`;
  if (point <= 0xffff) return `\\u${point.toString(16).padStart(4, '0')}`;
  return `\\U${point.toString(16).padStart(8, '0')}`;
}

/** `repr` of a text: quotes chosen and characters escaped as Python does. */
export function textRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  if (/^[ !#-&(-[\]-~]*$/.test(text)) return `'${text}'`;
  let out = '';
  for (const character of text) out += character === quote ? `\\${quote}` : escapeCharacter(character);
  return quote + out + quote;
}

function scalarRepr(value: null | boolean | string | bigint | number): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return textRepr(value);
  return typeof value === 'bigint' ? value.toString() : floatText(value);
}

/** Python's `repr(value)`. */
export function repr(value: PyValue): string {
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (value instanceof Map)
    return `{${[...value].map(([key, v]) => `${textRepr(key)}: ${repr(v)}`).join(', ')}}`;
  return scalarRepr(value);
}

/** Python's `str(value)`: what an f-string prints. */
export function str(value: PyValue): string {
  return typeof value === 'string' ? value : repr(value);
}

/** Joins printed elements to a printed tuple; a tuple of one has a comma. */
export function tupleText(elements: readonly string[]): string {
  return elements.length === 1 ? `(${elements[0]},)` : `(${elements.join(', ')})`;
}

/** The text whose SHA-256 is the data hash: dicts become tuples of pairs sorted by key, lists become tuples. */
export function canonicalText(value: PyValue): string {
  if (Array.isArray(value)) return tupleText(value.map(canonicalText));
  if (value instanceof Map) return tupleText(sortedEntries(value).map(([key, v]) => pairText(key, v)));
  return scalarRepr(value);
}

export function pairText(key: string, value: PyValue): string {
  return `(${textRepr(key)}, ${canonicalText(value)})`;
}
