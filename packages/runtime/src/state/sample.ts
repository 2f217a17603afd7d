import type { Json, JsonObject } from '../types.ts';
import { type Field, itemField } from './field.ts';

const DEEPEST = 8;

/**
 * A small value that a field probably takes, another one for each `n` from 1: for the examples of the contract. The
 * schema's own `examples`, `default`, `const` and `enum` come first. undefined: none could be made. A guess: whoever uses it
 * validates it.
 */
export function sampleValue(field: Field, n: number, depth = 0): Json | undefined {
  const { words, types } = field;
  if ('const' in words) return words['const'];
  for (const word of ['examples', 'enum']) {
    const values = words[word];
    if (Array.isArray(values) && values.length >= n) return (values as readonly Json[])[n - 1];
  }
  if ('default' in words && n === 1 && words['default'] !== null) return words['default'];
  if (depth > DEEPEST) return undefined;
  if (types.has('string')) return sampleText(field, n);
  if (types.has('integer') || types.has('number')) return sampleNumber(field, n);
  if (types.has('boolean')) return n % 2 === 1;
  if (types.has('object')) return sampleObject(field, n, depth);
  if (types.has('array')) return sampleList(field, n, depth);
  return types.has('null') ? null : undefined;
}

/** The required members only. */
export function sampleObject(field: Field, n: number, depth = 0): JsonObject | undefined {
  const object: Record<string, Json> = {};
  for (const key of field.required) {
    const below = field.properties.get(key);
    const value = below === undefined ? undefined : sampleValue(below, n, depth + 1);
    if (value === undefined) return undefined;
    object[key] = value;
  }
  return object;
}

function sampleList(field: Field, n: number, depth: number): Json | undefined {
  const least = number(field.words['minItems']) ?? 0;
  if (least > 3) return undefined;
  const items = Array.from({ length: least }, (_, i) => sampleValue(itemField(field), n + i, depth + 1));
  return items.includes(undefined) ? undefined : (items as Json[]);
}

const BY_FORMAT: Readonly<Record<string, (n: number) => string>> = {
  date: (n) => `2026-01-0${n}`,
  time: (n) => `0${n}:00:00Z`,
  'date-time': (n) => `2026-01-0${n}T09:00:00Z`,
  duration: (n) => `PT${n}H`,
  email: (n) => `user${n}@example.com`,
  uri: (n) => `https://example.com/${n}`,
  uuid: (n) => `00000000-0000-4000-8000-00000000000${n}`,
  ipv4: (n) => `192.0.2.${n}`,
};

function sampleText(field: Field, n: number): string | undefined {
  const { format, pattern, minLength, maxLength } = field.words;
  if (typeof format === 'string' && BY_FORMAT[format] !== undefined) return BY_FORMAT[format](n);
  const letter = String.fromCharCode(96 + n);
  const candidates = [letter, letter.toUpperCase(), String(n), `${letter}${n}`, `${letter}-${n}`];
  const fits = (text: string): boolean => {
    if (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(text)) return false;
    return text.length >= (number(minLength) ?? 0) && text.length <= (number(maxLength) ?? 64);
  };
  const padded = candidates.map((text) => text.padEnd(number(minLength) ?? 0, letter));
  return [...candidates, ...padded].find(fits);
}

function sampleNumber(field: Field, n: number): number {
  const { minimum, exclusiveMinimum, multipleOf, maximum } = field.words;
  const step = number(multipleOf) ?? 1;
  const least = number(minimum) ?? (number(exclusiveMinimum) ?? 0) + step;
  const value = Math.ceil(least / step) * step + (n - 1) * step;
  return Math.min(value, number(maximum) ?? value);
}

function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
