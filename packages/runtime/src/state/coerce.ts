import { parseJson } from '../json/parse.ts';
import type { Json, JsonObject, Pointer } from '../types.ts';
import { accepts, type Field, itemField, memberField } from './field.ts';
import { isForm } from './form.ts';
import { isObject } from './shape.ts';
import { join, show } from './show.ts';

/** Which texts are read: none; those that hold a whole list or object; also numbers and booleans. */
export type Reading = 'nothing' | 'containers' | 'all';

/**
 * Lossless reading of texts where the schema wants no text (P05, P11): `"6"` as 6, `"false"` as false, a text that is one
 * whole JSON list or object as that. Only the canonical spelling counts, so `"06"`, `"6.50"` and `"6 items"` stay texts and
 * are refused by the schema. Never by look alone: where the schema takes a text, it stays. Each reading adds a remark.
 * Returns the same value where nothing is read differently.
 */
export function coerce(field: Field, value: Json, path: Pointer, reading: Reading, remarks: string[]): Json {
  if (reading === 'nothing') return value;
  if (typeof value === 'string') return coerceText(field, value, path, reading, remarks);
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const read = items.map((item, index) =>
      coerce(itemField(field), item, join(path, index), reading, remarks),
    );
    return read.some((item, index) => item !== items[index]) ? read : value;
  }
  return isObject(value) ? coerceMembers(field, value, path, reading, remarks) : value;
}

function coerceMembers(
  field: Field,
  value: JsonObject,
  path: Pointer,
  reading: Reading,
  remarks: string[],
): JsonObject {
  let copy: Record<string, Json> | null = null;
  for (const [key, member] of Object.entries(value)) {
    const below = memberField(field, key);
    const read = below === null ? member : coerce(below, member, join(path, key), reading, remarks);
    if (read === member) continue;
    copy ??= { ...value };
    copy[key] = read;
  }
  return copy ?? value;
}

function coerceText(field: Field, text: string, path: Pointer, reading: Reading, remarks: string[]): Json {
  if (field.types.has('string')) return text;
  const scalar = reading === 'all' ? readScalar(field, text) : undefined;
  const read = scalar ?? readContainer(field, text);
  if (read === undefined) return text;
  remarks.push(
    read !== null && typeof read === 'object'
      ? `${path}: decoded the JSON text`
      : `${path}: read ${show(text)} as ${show(read)}`,
  );
  return read !== null && typeof read === 'object' ? coerce(field, read, path, reading, remarks) : read;
}

function readScalar(field: Field, text: string): Json | undefined {
  if (field.types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (!field.types.has('integer') && !field.types.has('number')) return undefined;
  const number = Number(text);
  const canonical = text !== '' && Number.isFinite(number) && String(number) === text;
  const fits = Number.isInteger(number) ? Number.isSafeInteger(number) : field.types.has('number');
  return canonical && fits ? number : undefined;
}

function readContainer(field: Field, text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || (!field.types.has('array') && !field.types.has('object'))) return undefined;
  const parsed = parseJson(text);
  if (!parsed.ok || parsed.value === null || typeof parsed.value !== 'object') return undefined;
  return accepts(field, parsed.value) || isForm(parsed.value) ? parsed.value : undefined;
}
