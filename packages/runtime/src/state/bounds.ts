import type { Issue, Json, JsonObject, Pointer } from '../types.ts';
import { childFields, type Field, itemField, LONG_TEXT, memberField } from './field.ts';
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
/** Every byte bound that the candidate breaks where it differs from `before`: `bound.field`, at the root `bound.state`. */
export function boundIssues(root: Field, before: Json | undefined, candidate: JsonObject): readonly Issue[] {
  const issues: Issue[] = [];
  check(root, before, candidate, '', issues);
  return issues;
}

function check(field: Field, before: Json | undefined, after: Json, path: Pointer, issues: Issue[]): void {
  if (after === before || !field.bounded) return;
  if (field.maxBytes !== null && !surelyWithin(after, field.maxBytes) && jsonBytes(after) > field.maxBytes) {
    const whose = field.bound === 'default' ? ' (the default; the skill may set x-max-bytes)' : '';
    const limit = `at most ${field.maxBytes} bytes of JSON text${whose}`;
    const hint = `${limit}, this would be ${jsonBytes(after)}: shorten or remove something`;
    issues.push({ code: path === '' ? 'bound.state' : 'bound.field', path, hint });
    return;
  }
  const below = belowOf(field);
  if (!below.bounded || after === null || typeof after !== 'object') return;
  for (const key of Object.keys(after)) {
    const child = Array.isArray(after) ? itemField(field) : memberField(field, key);
    const was = memberOf(before, key);
    const is = (after as Readonly<Record<string, Json>>)[key] as Json;
    if (child?.bounded && was !== is) check(child, was, is, join(path, key), issues);
  }
}

/** No character takes more than six bytes: most texts need not be measured. */
function surelyWithin(value: Json, bytes: number): boolean {
  return typeof value === 'string' && value.length * 6 + 2 <= bytes;
}

const BELOW = new WeakMap<Field, Pick<Field, 'bounded' | 'fillable'>>();

/** What the fields below one can do, so that a bounded map or list of plain values need not be walked. */
function belowOf(field: Field): Pick<Field, 'bounded' | 'fillable'> {
  const known = BELOW.get(field);
  if (known !== undefined) return known;
  const children = childFields(field);
  const below = {
    bounded: children.some((child) => child.bounded),
    fillable: children.some((child) => child.fillable),
  };
  BELOW.set(field, below);
  return below;
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
  if (value === null || typeof value !== 'object' || !belowOf(field).fillable) return;
  for (const key of Object.keys(value)) {
    const child = Array.isArray(value) ? itemField(field) : memberField(field, key);
    const member = (value as Readonly<Record<string, Json>>)[key] as Json;
    if (child === null || !child.fillable || shortText(child, member)) continue;
    findFull(child, member, join(path, key), full);
  }
}

/** A text that cannot be near any limit of its field. */
function shortText(field: Field, value: Json): boolean {
  if (typeof value !== 'string') return false;
  const least = Math.min(
    field.maxBytes ?? Number.POSITIVE_INFINITY,
    longest(field) || Number.POSITIVE_INFINITY,
  );
  return value.length * 6 + 2 < least * NEAR;
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

function memberOf(value: Json | undefined, key: string): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  return Object.hasOwn(value, key) ? (value as Readonly<Record<string, Json>>)[key] : undefined;
}
