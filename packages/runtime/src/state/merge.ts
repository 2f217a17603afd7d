import { jsonEqual } from '../json/equal.ts';
import { FORBIDDEN_KEYS } from '../json/rules.ts';
import type { Dialect, Json, JsonObject, Owner, Pointer } from '../types.ts';
import { unknownKey } from './explain.ts';
import { accepts, type Field, memberField } from './field.ts';
import { type Form, formIssue, isForm, readForm, WORDS } from './form.ts';
import { mergeList, replaceList, setList } from './merge-list.ts';
import { type Merging, read } from './merging.ts';
import { isObject } from './shape.ts';
import { got, join, show, wanted } from './show.ts';

/**
 * A merge that has found nothing yet. In the operations dialect a list or object may always come as JSON text: strict
 * output has no other form for it.
 */
export function newMerging(actor: Owner, coerce: boolean, dialect: Dialect): Merging {
  const reading = coerce ? 'all' : dialect === 'operations' ? 'containers' : 'nothing';
  return { actor, reading, dialect, issues: [], remarks: [], record: mergeObject };
}

/**
 * Σ ⊕ patch by RFC 7396 and `x-merge` (R6). Shares everything that does not change: where nothing does, the very same object
 * comes back. Both must be within the depth limit. The result is a candidate: the schema has not been asked.
 */
export function mergeObject(
  merging: Merging,
  field: Field,
  current: JsonObject,
  patch: JsonObject,
  path: Pointer,
): JsonObject {
  let next: Record<string, Json> | null = null;
  for (const key of Object.keys(patch)) {
    const at = join(path, key);
    const below = memberField(field, key);
    if (FORBIDDEN_KEYS.has(key)) {
      merging.issues.push({
        code: 'syntax.forbidden_key',
        path: at,
        hint: `key ${key} is not allowed anywhere`,
      });
      continue;
    }
    if (below === null) {
      merging.issues.push(unknownKey(field, path, key, patch[key]));
      continue;
    }
    const before = Object.hasOwn(current, key) ? current[key] : undefined;
    const after = mergeValue(merging, below, before, patch[key] as Json, at, field.required.has(key));
    if (after === before) continue;
    next ??= Object.assign({}, current);
    if (after === undefined) delete next[key];
    else next[key] = after;
  }
  return next ?? current;
}

/** The value after the patch; undefined: the member is gone (or still absent). */
export function mergeValue(
  merging: Merging,
  field: Field,
  current: Json | undefined,
  patch: Json,
  path: Pointer,
  required: boolean,
): Json | undefined {
  if (patch === null) return mergeNull(merging, field, current, path, required);
  const value = isObject(patch) ? patch : read(merging, field, patch, path);
  if (isForm(value)) {
    const form = readForm(value as JsonObject, path);
    if (form.ok) return applyForm(merging, field, current, form.value, path);
    merging.issues.push(...form.issues);
    return current;
  }
  if (isObject(value)) return mergeIntoObject(merging, field, current, value, path);
  if (Array.isArray(value) && (Array.isArray(current) || current === undefined || current === null)) {
    return mergeList(merging, field, (current ?? null) as readonly Json[] | null, value, path) ?? current;
  }
  return mergeScalar(merging, field, current, value, path);
}

/** null deletes an optional member, sets a required nullable one, and is refused on other required ones (P13). */
function mergeNull(
  merging: Merging,
  field: Field,
  current: Json | undefined,
  path: Pointer,
  required: boolean,
): Json | undefined {
  if (current === null) return null;
  if (!required) {
    const full = current !== undefined && typeof current === 'object' && Object.keys(current).length > 0;
    if (full) merging.remarks.push(`${path}: deleted with its content: ${show(current, 200)}`);
    return undefined;
  }
  if (field.types.has('null')) return null;
  merging.issues.push({
    code: 'overwrite.null_required',
    path,
    hint: `${path} is required and cannot be deleted; leave it out to keep ${current === undefined ? 'it' : show(current)}`,
  });
  return current;
}

function mergeIntoObject(
  merging: Merging,
  field: Field,
  current: Json | undefined,
  patch: JsonObject,
  path: Pointer,
): Json | undefined {
  if (isObject(current)) {
    if (field.merge !== 'replace') return mergeObject(merging, field, current, patch, path);
    const replaced = mergeObject(merging, field, {}, patch, path);
    return jsonEqual(current, replaced) ? current : replaced;
  }
  if (!accepts(field, patch)) return typeReplaced(merging, field, current, patch, path);
  return mergeObject(merging, field, {}, patch, path);
}

/** A container may become something else only where the schema takes both (P15). */
function typeReplaced(
  merging: Merging,
  field: Field,
  current: Json | undefined,
  patch: Json,
  path: Pointer,
): Json | undefined {
  const container = current !== null && typeof current === 'object';
  const hint = container
    ? `wanted ${wanted(field)}, got ${got(patch)}, which would erase ${show(current)}: send only the members that change`
    : `wanted ${wanted(field)}, got ${got(patch)}`;
  merging.issues.push({ code: container ? 'overwrite.type_replaced' : 'schema.type', path, hint });
  return current;
}

function mergeScalar(
  merging: Merging,
  field: Field,
  current: Json | undefined,
  value: Json,
  path: Pointer,
): Json | undefined {
  if (current !== undefined && jsonEqual(current, value)) return current;
  const container = current !== null && typeof current === 'object';
  if (container && !accepts(field, value)) return typeReplaced(merging, field, current, value, path);
  if (Array.isArray(current)) return replaceList(merging, field, current, value, path) ?? current;
  if (field.merge === 'sum') {
    merging.issues.push({
      code: 'overwrite.sum_replaced',
      path,
      hint: `${path} is a running sum (now ${show(current ?? 0)}): ${WORDS[merging.dialect].addNumber(path)}`,
    });
    return current;
  }
  if (field.merge === 'max') return larger(merging, current, value, path);
  return value;
}

function larger(merging: Merging, current: Json | undefined, value: Json, path: Pointer): Json {
  const comparable =
    typeof current === typeof value && (typeof value === 'number' || typeof value === 'string');
  if (!comparable || (value as number) > (current as number)) return value;
  merging.remarks.push(`${path}: kept ${show(current as Json)}, ${show(value)} is not larger`);
  return current as Json;
}

function applyForm(
  merging: Merging,
  field: Field,
  current: Json | undefined,
  form: Form,
  path: Pointer,
): Json | undefined {
  if (form.kind === 'add') return addNumber(merging, field, current, form.value, path);
  if (form.kind === 'list') {
    if (field.types.has('array')) return setList(merging, field, current, form, path);
    const hint = `$append and $remove are for lists; ${path} is not one: send the new value`;
    merging.issues.push(formIssue(path, hint));
    return current;
  }
  const value = read(merging, field, form.value, path);
  if (current !== undefined && jsonEqual(current, value)) return current;
  if (field.merge === 'sum' && merging.actor === 'model')
    return mergeScalar(merging, field, current, value, path);
  if (Array.isArray(value)) return setList(merging, field, current, { kind: 'set', value }, path);
  return value;
}

function addNumber(
  merging: Merging,
  field: Field,
  current: Json | undefined,
  operand: Json,
  path: Pointer,
): Json | undefined {
  if (field.merge !== 'sum') {
    merging.issues.push(formIssue(path, `$add is for running sums; ${path} is not one: send the new value`));
    return current;
  }
  const value = read(merging, field, operand, path);
  if (typeof value === 'number') return value === 0 ? current : Number(current ?? 0) + value;
  merging.issues.push({ code: 'schema.type', path, hint: `$add wanted a number, got ${got(value)}` });
  return current;
}
