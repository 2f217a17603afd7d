import { formatPointer } from '../json/pointer.ts';
import { emptyPatch, PATCH_KEY, patchExample } from '../state/reply-format.ts';
import type { Dialect, Json, JsonObject, Operation, Patch } from '../types.ts';
import { decode, isObject, kind, type Notes } from './notes.ts';

const OPS: ReadonlySet<string> = new Set(['set', 'delete', 'add', 'remove']);

/** Reads the patch in the form that its dialect has; whether it fits the state is not decided here. */
export function readPatch(value: Json, dialect: Dialect, notes: Notes): Patch | null {
  const patch = typeof value === 'string' ? decode(value, notes, PATCH_KEY) : value;
  if (dialect === 'merge') {
    if (isObject(patch)) return { dialect, value: patch };
    return refuse(notes, [], mergeHint(patch));
  }
  if (!Array.isArray(patch)) return refuse(notes, [], operationsHint(patch));
  const before = notes.issues.length;
  const value_ = patch.map((item: Json, index) => readOperation(item, index, notes));
  return notes.issues.length > before ? null : { dialect, value: value_.filter((item) => item !== null) };
}

function refuse(notes: Notes, segments: readonly (string | number)[], hint: string): null {
  notes.issues.push({ code: 'syntax.patch_form', path: formatPointer([PATCH_KEY, ...segments]), hint });
  return null;
}

function mergeHint(patch: Json): string {
  const wanted = `write an object with only the fields that change, like ${patchExample.merge}, ${emptyPatch.merge} if none`;
  return Array.isArray(patch) && patch.some((item: Json) => isObject(item) && 'op' in item)
    ? `this is a list of operations (JSON Patch), here ${wanted}`
    : `${wanted}; got ${kind(patch)}`;
}

function operationsHint(patch: Json): string {
  const wanted = `write a list of operations, like ${patchExample.operations}, ${emptyPatch.operations} if nothing changes`;
  if (isObject(patch) && 'op' in patch) return `put the operation into a list: ${wanted}`;
  return isObject(patch) ? `this is a merge object, here ${wanted}` : `${wanted}; got ${kind(patch)}`;
}

function readOperation(item: Json, index: number, notes: Notes): Operation | null {
  if (!isObject(item)) return refuse(notes, [index], `each operation is an object; got ${kind(item)}`);
  const { op, path, value, ...others } = item;
  if (typeof op !== 'string' || !OPS.has(op)) return refuse(notes, [index, 'op'], opHint(op));
  if (typeof path !== 'string')
    return refuse(notes, [index, 'path'], 'path is a JSON Pointer such as /field');
  const [extra] = Object.keys(others);
  if (extra !== undefined)
    return refuse(notes, [index, extra], `remove ${extra}: an operation has op, path and value`);
  if (value === undefined && (op === 'set' || op === 'add'))
    return refuse(notes, [index, 'value'], `${op} needs a value`);
  return operation(op as Operation['op'], path, value, item);
}

function operation(op: Operation['op'], path: string, value: Json | undefined, item: JsonObject): Operation {
  return 'value' in item && value !== undefined ? { op, path, value } : { op, path };
}

function opHint(op: Json | undefined): string {
  const words = 'op is set, delete, add (to a list or number) or remove (items of a list)';
  if (op === 'replace') return `use set in place of replace; ${words}`;
  return `${words}; got ${JSON.stringify(op ?? null).slice(0, 60)}`;
}
