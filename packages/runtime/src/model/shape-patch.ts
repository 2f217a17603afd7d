import { formatPointer } from '../json/pointer.ts';
import { emptyPatch, PATCH_KEY, patchExample } from '../state/reply-format.ts';
import type { Dialect, Json, Operation, Patch } from '../types.ts';
import { decode, isObject, kind, type Notes } from './notes.ts';

/** Reads the patch in the form of its dialect. Whether its operations and values fit the state is not decided here. */
export function readPatch(value: Json, dialect: Dialect, notes: Notes): Patch | null {
  const patch = typeof value === 'string' ? decode(value, notes, PATCH_KEY) : value;
  if (dialect === 'merge')
    return isObject(patch) ? { dialect, value: patch } : refuse(notes, mergeHint(patch));
  if (!Array.isArray(patch)) return refuse(notes, operationsHint(patch));
  return { dialect, value: patch as unknown as readonly Operation[] };
}

function refuse(notes: Notes, hint: string): null {
  notes.issues.push({ code: 'syntax.patch_form', path: formatPointer([PATCH_KEY]), hint });
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
