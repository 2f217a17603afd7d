import type { Json, JsonObject } from '../types.ts';
import { type Field, itemField, memberField } from './field.ts';
import { isForm } from './form.ts';
import { isObject } from './shape.ts';

/** The part of a merge patch that may be committed now, and the part that waits for the action's success (R10). */
export type SplitPatch = { readonly now: JsonObject; readonly pending: JsonObject | null };

/** Splits off every `x-commit: success` field. A form over something that holds such a field waits as a whole. */
export function splitPending(root: Field, patch: JsonObject): SplitPatch {
  if (!root.waits) return { now: patch, pending: null };
  const [now, pending] = split(root, patch);
  return { now: (now ?? {}) as JsonObject, pending: (pending ?? null) as JsonObject | null };
}

type Halves = readonly [now: Json | undefined, pending: Json | undefined];

function split(field: Field, patch: Json): Halves {
  if (!field.waits) return [patch, undefined];
  if (field.commit === 'success') return [undefined, patch];
  if (isForm(patch)) return splitForm(field, patch as JsonObject);
  if (isObject(patch)) return splitMembers(field, patch);
  if (Array.isArray(patch) && field.key !== null)
    return splitRecords(field, field.key, patch as readonly Json[]);
  return patch === null || Array.isArray(patch) ? [undefined, patch] : [patch, undefined];
}

/** Records that `$append` adds or changes are split like plain ones. */
function splitForm(field: Field, form: JsonObject): Halves {
  const { $append, ...rest } = form;
  if (field.key === null || !Array.isArray($append)) return [undefined, form];
  const [now, pending] = splitRecords(field, field.key, $append as readonly Json[]);
  const later = { ...rest, ...(pending !== undefined && { $append: pending }) };
  return [{ $append: now as Json }, Object.keys(later).length === 0 ? undefined : later];
}

function splitMembers(field: Field, patch: JsonObject): Halves {
  const now: Record<string, Json> = {};
  const pending: Record<string, Json> = {};
  for (const [key, value] of Object.entries(patch)) {
    const below = memberField(field, key);
    const [first, later] = below === null ? ([value, undefined] as const) : split(below, value);
    if (first !== undefined) now[key] = first;
    if (later !== undefined) pending[key] = later;
  }
  const none = Object.keys(pending).length === 0;
  return [none ? patch : now, none ? undefined : pending];
}

/** Records of a keyed list keep their key in both halves. */
function splitRecords(field: Field, key: string, records: readonly Json[]): Halves {
  const now: Json[] = [];
  const pending: Json[] = [];
  for (const record of records) {
    const [first, later] = isObject(record)
      ? splitMembers(itemField(field), record)
      : ([record, undefined] as const);
    if (first !== undefined) now.push(first);
    if (later !== undefined && isObject(record))
      pending.push({ [key]: record[key] ?? null, ...(later as JsonObject) });
  }
  return pending.length === 0 ? [records, undefined] : [now, pending];
}
