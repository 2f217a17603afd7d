import { jsonEqual } from '../json/equal.ts';
import { nearest } from '../json/nearest.ts';
import { parsePointer } from '../json/pointer.ts';
import { FORBIDDEN_KEYS } from '../json/rules.ts';
import type { Issue, Json, JsonObject, Pointer } from '../types.ts';
import { coerce } from './coerce.ts';
import type { Contract } from './contract.ts';
import { ANY, type Field, itemField, memberField } from './field.ts';
import { isForm } from './form.ts';
import { isObject } from './shape.ts';
import { got, join, show } from './show.ts';

const OPS: readonly string[] = ['set', 'delete', 'add', 'remove'];

/** What the operations say about one place. */
type Place = {
  readonly field: Field;
  readonly path: Pointer;
  readonly sets: Json[];
  readonly adds: Json[];
  readonly removes: Json[];
  deleted: boolean;
  readonly members: Map<string, Place>;
};

export type OperationsRead = {
  readonly patch: JsonObject;
  readonly issues: readonly Issue[];
  readonly remarks: readonly string[];
};

/**
 * The merge patch that a list of operations means (R6). The operations are a set, not a sequence: two that disagree about a
 * place are one clear refusal (`overwrite.conflict`), whatever their order (P20). What they do not name is untouched, and
 * only `delete` and `remove` take something away: a null in a `set` is the value null (P12).
 *
 * Operations that cannot be read are reported and left out, so that the rest is still checked.
 *
 * Paths name object members, and records of a keyed list by their key; items of other lists are added and removed by value.
 */
export function operationsToMerge(contract: Contract, operations: Json): OperationsRead {
  const issues: Issue[] = [];
  const remarks: string[] = [];
  const root = place(contract.root, '');
  if (!Array.isArray(operations)) {
    const hint = `wanted a list of operations, got ${got(operations)}`;
    return { patch: {}, issues: [fault('op', '', hint)], remarks };
  }
  for (const operation of operations as readonly Json[]) enter(root, operation, issues, remarks);
  return { patch: membersPatch(root, issues), issues, remarks };
}

function place(field: Field, path: Pointer): Place {
  return { field, path, sets: [], adds: [], removes: [], deleted: false, members: new Map() };
}

function fault(name: 'op' | 'path', path: Pointer, hint: string): Issue {
  return { code: `syntax.${name}`, path, hint };
}

function enter(root: Place, operation: Json, issues: Issue[], remarks: string[]): void {
  if (!isObject(operation)) {
    issues.push(fault('op', '', `wanted {"op","path","value"}, got ${got(operation)}`));
    return;
  }
  const { op, path, value } = operation;
  if (typeof op !== 'string' || !OPS.includes(op)) {
    issues.push(fault('op', typeof path === 'string' ? path : '', unknownOp(op)));
    return;
  }
  const segments = typeof path === 'string' ? parsePointer(path) : null;
  if (segments === null || segments.length === 0) {
    issues.push(fault('path', typeof path === 'string' ? path : '', pathHint(path)));
    return;
  }
  if (op !== 'delete' && value === undefined) {
    const advice = op === 'remove' ? ': the item to remove. To delete the whole field use delete' : '';
    issues.push(fault('op', path as string, `${op} needs a value${advice}`));
    return;
  }
  const target = reach(root, segments, op === 'add', issues);
  if (target === null) return;
  const listed = op !== 'set' && target.field.types.has('array');
  const field = listed ? itemField(target.field) : target.field;
  const read = value === undefined ? null : coerce(field, value, target.path, 'containers', remarks);
  record(target, op, read, issues);
}

function unknownOp(op: Json | undefined): string {
  if (op === 'replace') return 'unknown op replace: use set';
  const close = typeof op === 'string' ? nearest(op, OPS) : null;
  const advice = close === null ? '' : `, did you mean ${close}?`;
  return `wanted op set, delete, add or remove, got ${got(op)}${advice}`;
}

function pathHint(path: Json | undefined): string {
  if (typeof path !== 'string' || path === '') return `wanted a path such as /field, got ${got(path)}`;
  return path.startsWith('/')
    ? `${show(path)} is no JSON Pointer: write ~ as ~0`
    : `wanted a JSON Pointer: /${path}`;
}

function reach(root: Place, segments: readonly string[], adding: boolean, issues: Issue[]): Place | null {
  let here = root;
  for (const [index, segment] of segments.entries()) {
    if (segment.startsWith('$') || FORBIDDEN_KEYS.has(segment)) {
      issues.push(keyFault(here.path, segment));
      return null;
    }
    const list = here.field.types.has('array') && !here.field.types.has('object');
    if (list && here.field.key === null) {
      if (adding && segment === '-' && index === segments.length - 1) return here;
      const hint = `items of ${here.path} have no path: add and remove them by value at ${here.path}`;
      issues.push(fault('path', join(here.path, segment), hint));
      return null;
    }
    const below = list ? itemField(here.field) : (memberField(here.field, segment) ?? ANY);
    const next = here.members.get(segment) ?? place(below, join(here.path, segment));
    here.members.set(segment, next);
    here = next;
  }
  return here;
}

/** Such a key would be read as a form, or reach a prototype, when the operations become a patch. */
function keyFault(holder: Pointer, key: string): Issue {
  const code = FORBIDDEN_KEYS.has(key) ? 'syntax.forbidden_key' : 'syntax.reserved_key';
  return { code, path: join(holder, key), hint: `no key may be called ${show(key)}` };
}

function record(target: Place, op: string, value: Json, issues: Issue[]): void {
  const { field, path } = target;
  if (op === 'delete') target.deleted = true;
  else if (op === 'set') {
    if (!target.sets.some((known) => jsonEqual(known, value))) target.sets.push(value);
  } else if (field.types.has('array')) {
    const items =
      Array.isArray(value) && !itemField(field).types.has('array') ? (value as readonly Json[]) : [value];
    (op === 'add' ? target.adds : target.removes).push(...items);
  } else if (op === 'add' && field.merge === 'sum') target.adds.push(value);
  else {
    const use = op === 'add' ? 'set' : 'delete';
    issues.push(
      fault('op', path, `${op} is for lists${op === 'add' ? ' and running sums' : ''}: use ${use} here`),
    );
  }
}

function toPatch(target: Place, issues: Issue[]): Json | undefined {
  const { field, path, sets, adds, removes, deleted, members } = target;
  const keyed = field.key !== null;
  const listed = adds.length + removes.length > 0;
  const said = sets.length + (deleted ? 1 : 0) + (listed ? 1 : 0) + (members.size > 0 ? 1 : 0);
  if (said > 1 && !(keyed && said === 2 && listed && members.size > 0)) {
    issues.push(conflict(path));
    return undefined;
  }
  if (deleted) return null;
  if (sets.length > 0) return literal(sets[0] as Json);
  if (keyed && (listed || members.size > 0)) return keyedPatch(target, issues);
  if (!listed) return members.size > 0 ? membersPatch(target, issues) : undefined;
  if (field.types.has('array')) return listForm(adds, removes);
  return adds.length === 1 ? { $add: adds[0] as Json } : sumForm(adds);
}

function conflict(path: Pointer): Issue {
  return { code: 'overwrite.conflict', path, hint: 'operations disagree about this place: send one' };
}

function sumForm(adds: readonly Json[]): Json {
  const wrong = adds.find((value) => typeof value !== 'number');
  return { $add: wrong ?? adds.reduce<number>((sum, value) => sum + (value as number), 0) };
}

function membersPatch(target: Place, issues: Issue[]): JsonObject {
  const patch: Record<string, Json> = {};
  for (const [key, below] of target.members) {
    const value = toPatch(below, issues);
    if (value !== undefined) patch[key] = value;
  }
  return patch;
}

function listForm(adds: readonly Json[], removes: readonly Json[]): JsonObject {
  return { ...(removes.length > 0 && { $remove: removes }), ...(adds.length > 0 && { $append: adds }) };
}

/** Places under a keyed list are its records: `/orders/o7/status` becomes `{"orders": [{"id": "o7", "status": …}]}`. */
function keyedPatch(target: Place, issues: Issue[]): Json {
  const key = target.field.key ?? 'id';
  const keyTypes = memberField(itemField(target.field), key)?.types;
  const id = (segment: string): Json =>
    keyTypes?.has('string') === false && segment.trim() !== '' ? Number(segment) : segment;
  const records: Json[] = [...target.adds];
  const removed: Json[] = [...target.removes];
  for (const [segment, below] of target.members) {
    const patch = toPatch(below, issues);
    if (patch === undefined) continue;
    if (patch === null) removed.push(id(segment));
    else if (isObject(patch) && !isForm(patch)) {
      if (patch[key] !== undefined && patch[key] !== id(segment)) issues.push(conflict(below.path));
      records.push({ ...patch, [key]: id(segment) });
    } else issues.push(fault('op', below.path, `a record is an object, got ${got(patch)}`));
  }
  return listForm(records, removed);
}

/** A value as it stands: in a merge patch a null would delete. Forms pass. */
function literal(value: Json): Json {
  if (value === null) return { $set: null };
  if (!isObject(value) || isForm(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, literal(member)]));
}
