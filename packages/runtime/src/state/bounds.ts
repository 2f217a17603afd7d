import type { Issue, Json, JsonObject, Pointer } from '../types.ts';
import { type Field, itemField, memberField } from './field.ts';
import { isObject } from './shape.ts';
import { join } from './show.ts';
import { jsonBytes } from './size.ts';

/** A field at 80% of its limit or more (R3). */
export type FullField = {
  readonly path: Pointer;
  readonly used: number;
  readonly limit: number;
  readonly unit: 'bytes' | 'items' | 'characters';
};

const NEAR = 0.8;
/** Short texts are often full by nature (codes, ids): nobody needs to be told. */
const LONG_TEXT = 256;

/** Every byte bound that the candidate breaks where it differs from `before`: `bound.field`, at the root `bound.state`. */
export function boundIssues(root: Field, before: Json | undefined, candidate: JsonObject): readonly Issue[] {
  const issues: Issue[] = [];
  check(root, before, candidate, '', issues);
  return issues;
}

function check(field: Field, before: Json | undefined, after: Json, path: Pointer, issues: Issue[]): void {
  if (after === before || !field.bounded) return;
  if (field.maxBytes !== null && jsonBytes(after) > field.maxBytes) {
    const used = jsonBytes(after);
    const whose = field.bound === 'default' ? ' (the default; the skill may set x-max-bytes)' : '';
    const hint = `at most ${field.maxBytes} bytes of JSON text${whose}, this would be ${used}: shorten or remove something`;
    issues.push({ code: path === '' ? 'bound.state' : 'bound.field', path, hint });
    return;
  }
  eachChild(field, after, path, (below, value, at, key) => {
    check(below, memberOf(before, key), value, at, issues);
  });
}

/** Fields near their bound in this state, in schema order. */
export function fullFields(root: Field, state: JsonObject): readonly FullField[] {
  const full: FullField[] = [];
  findFull(root, state, '', full);
  return full;
}

function findFull(field: Field, value: Json, path: Pointer, full: FullField[]): void {
  const fill = fillOf(field, value);
  if (fill !== null) full.push({ path, ...fill });
  const isContainer = value !== null && typeof value === 'object';
  if (!isContainer || (field.maxBytes !== null && !nestedBounds(field))) return;
  eachChild(field, value, path, (below, member, at) => {
    if (canFill(below)) findFull(below, member, at, full);
  });
}

const NESTED = new WeakMap<Field, boolean>();

/** Whether anything below has a limit of its own: a bounded map of plain texts need not be walked. */
function nestedBounds(field: Field): boolean {
  const known = NESTED.get(field);
  if (known !== undefined) return known;
  NESTED.set(field, false);
  const below = [
    ...field.properties.values(),
    field.additional,
    field.items,
    ...field.patterns.map((p) => p.field),
  ];
  const nested = below.some((child) => child !== null && canFill(child));
  NESTED.set(field, nested);
  return nested;
}

function canFill(field: Field): boolean {
  return field.bounded || field.maxItems !== null || longest(field) >= LONG_TEXT || nestedBounds(field);
}

function fillOf(field: Field, value: Json): Omit<FullField, 'path'> | null {
  const fills: Omit<FullField, 'path'>[] = [];
  if (Array.isArray(value) && field.maxItems !== null && field.maxItems !== field.words['minItems']) {
    fills.push({ used: value.length, limit: field.maxItems, unit: 'items' });
  }
  const long = typeof value === 'string' && longest(field) >= LONG_TEXT;
  if (long) fills.push({ used: value.length, limit: longest(field), unit: 'characters' });
  const container = value !== null && typeof value === 'object';
  const text = typeof value === 'string' && (field.maxBytes ?? 0) >= LONG_TEXT;
  if (field.maxBytes !== null && field.bound !== 'derived' && (container || text)) {
    fills.push({ used: jsonBytes(value), limit: field.maxBytes, unit: 'bytes' });
  }
  const near = fills.filter(({ used, limit }) => used > 0 && used >= limit * NEAR);
  return near.sort((a, b) => b.used / b.limit - a.used / a.limit)[0] ?? null;
}

function longest(field: Field): number {
  const { maxLength } = field.words;
  return typeof maxLength === 'number' ? maxLength : 0;
}

function eachChild(
  field: Field,
  value: Json,
  path: Pointer,
  visit: (below: Field, member: Json, path: Pointer, key: string | number) => void,
): void {
  if (Array.isArray(value)) {
    const below = itemField(field);
    for (const [index, item] of (value as readonly Json[]).entries())
      visit(below, item, join(path, index), index);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const below = memberField(field, key);
      if (below !== null) visit(below, value[key] as Json, join(path, key), key);
    }
  }
}

function memberOf(value: Json | undefined, key: string | number): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string | number, Json>>)[key] : undefined;
}
