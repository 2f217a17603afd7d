import { childFields, type Field } from './field.ts';
import { jsonBytes } from './size.ts';
import type { Json } from '../types.ts';

/** The largest possible Σ as compact JSON text, in UTF-8 bytes, and the part of each top-level field (R3). */
export type WorstCase = {
  readonly total: number;
  readonly fields: readonly {
    readonly path: string;
    readonly bytes: number;
    /** Whether the skill set the limit or the runtime did. */
    readonly declared: boolean;
  }[];
};

const NUMBER_BYTES = 24;

/** Sums the bounds. Every place that could grow without end has one, so the sum is finite. */
export function worstCase(root: Field): WorstCase {
  const known = new Map<Field, number>();
  const fields = [...root.properties].map(([key, field]) => ({
    path: `/${key}`,
    bytes: jsonBytes(key) + 1 + largest(field, known),
    declared: !usesDefault(field, new Set()),
  }));
  return { total: largest(root, known), fields };
}

function largest(field: Field, known: Map<Field, number>): number {
  const seen = known.get(field);
  if (seen !== undefined) return seen;
  known.set(field, 0);
  const bytes = Math.min(field.maxBytes ?? Number.POSITIVE_INFINITY, structural(field, known));
  known.set(field, bytes);
  return bytes;
}

function structural(field: Field, known: Map<Field, number>): number {
  const { words, types } = field;
  const fixed = 'const' in words ? [words['const'] as Json] : (words['enum'] as readonly Json[] | undefined);
  if (fixed !== undefined) return Math.max(4, ...fixed.map(jsonBytes));
  const parts = [4];
  if (types.has('boolean')) parts.push(5);
  if (types.has('integer') || types.has('number')) parts.push(NUMBER_BYTES);
  if (types.has('string')) parts.push(textBytes(words['maxLength']));
  if (types.has('object')) parts.push(objectBytes(field, known));
  if (types.has('array')) parts.push(listBytes(field, known));
  return Math.max(...parts);
}

function textBytes(maxLength: Json | undefined): number {
  return typeof maxLength === 'number' ? maxLength * 6 + 2 : Number.POSITIVE_INFINITY;
}

function objectBytes(field: Field, known: Map<Field, number>): number {
  if (field.additional !== null || field.patterns.length > 0) return Number.POSITIVE_INFINITY;
  let bytes = 2;
  for (const [key, below] of field.properties) bytes += jsonBytes(key) + 2 + largest(below, known);
  return bytes;
}

function listBytes(field: Field, known: Map<Field, number>): number {
  if (field.maxItems === null || field.items === null) return Number.POSITIVE_INFINITY;
  return 2 + field.maxItems * (1 + largest(field.items, known));
}

function usesDefault(field: Field, seen: Set<Field>): boolean {
  if (seen.has(field)) return false;
  seen.add(field);
  if (field.bound === 'declared') return false;
  return field.bound === 'default' || childFields(field).some((below) => usesDefault(below, seen));
}
