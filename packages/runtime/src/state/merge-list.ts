import { jsonEqual } from '../json/equal.ts';
import type { Json, JsonObject, Pointer } from '../types.ts';
import { type Field, itemField } from './field.ts';
import { type Form, WORDS } from './form.ts';
import { droppedItems, dropOldest, itemKey, knownItems, newItems, removeItems, restates } from './lists.ts';
import { type Merging, read } from './merging.ts';
import { isObject } from './shape.ts';
import { got, join, show, showItems } from './show.ts';

type List = readonly Json[];
type ListForm = Form & { readonly kind: 'list' };
type SetForm = { readonly kind: 'set'; readonly value: List };

/** A plain array over a list, by the field's policy; null: refused, the current value stays. */
export function mergeList(
  merging: Merging,
  field: Field,
  current: List | null,
  incoming: List,
  path: Pointer,
): List | null {
  if (current !== null && jsonEqual(current, incoming)) return current;
  const old = current ?? [];
  const policy = POLICIES[field.merge ?? 'guard'];
  if (policy === undefined) return replaceList(merging, field, old, incoming, path) as List | null;
  return settle(merging, field, current, policy(merging, field, old, incoming, path), path);
}

type Policy = (merging: Merging, field: Field, current: List, incoming: List, path: Pointer) => List;

const POLICIES: Readonly<Record<string, Policy>> = {
  append: appendPlain,
  union: (_merging, _field, current, incoming) => [...current, ...newItems(current, incoming)],
  keyed: upsert,
  replace: (_merging, _field, _current, incoming) => incoming,
};

/** Replaces a list under guard: items that would get lost are named and the patch is refused (P14). */
export function replaceList(
  merging: Merging,
  field: Field,
  current: List,
  value: Json,
  path: Pointer,
): Json | null {
  const next = Array.isArray(value) ? (value as List) : null;
  const dropped = field.merge === 'replace' ? [] : next === null ? current : droppedItems(current, next);
  if (dropped.length === 0) return next === null ? value : settle(merging, field, current, next, path);
  const words = WORDS[merging.dialect];
  merging.issues.push({
    code: 'overwrite.dropped_items',
    path,
    hint:
      `would drop ${dropped.length} of ${current.length} items: ${showItems(dropped)}. ` +
      `Send the whole list with the new items; ${words.removeItems(path)}; ${words.replaceList(path)}`,
  });
  return null;
}

/** `$set`, and `$remove` then `$append`: the explicit forms. */
export function setList(
  merging: Merging,
  field: Field,
  current: Json | undefined,
  form: ListForm | SetForm,
  path: Pointer,
): Json | undefined {
  const old = Array.isArray(current) ? (current as List) : null;
  if (form.kind === 'set') return settle(merging, field, old, form.value, path);
  const append = operand(merging, field, form.append, `${path}/$append`);
  const remove = operand(merging, removable(field), form.remove, `${path}/$remove`);
  if (append === null || remove === null) return current;
  const { kept, missing } = removeItems(old ?? [], remove, field.key);
  if (missing.length > 0) merging.remarks.push(`${path}: nothing to remove for ${showItems(missing)}`);
  if (append.length === 0) return kept === old || (old === null && kept.length === 0) ? current : kept;
  return settle(merging, field, old, added(merging, field, kept, append, path), path);
}

function added(merging: Merging, field: Field, kept: List, append: List, path: Pointer): List {
  if (field.merge === 'union') return [...kept, ...newItems(kept, append)];
  if (field.merge === 'keyed') return upsert(merging, field, kept, append, path);
  return [...kept, ...append];
}

function operand(merging: Merging, field: Field, value: Json | undefined, path: Pointer): List | null {
  if (value === undefined) return [];
  const list = read(merging, field, value, path);
  if (Array.isArray(list)) return list as List;
  merging.issues.push({ code: 'schema.type', path, hint: `wanted a list, got ${got(list)}; send […]` });
  return null;
}

/** What `$remove` names: items, or the keys of a keyed list's records. */
function removable(field: Field): Field {
  const key = field.key === null ? undefined : itemField(field).properties.get(field.key);
  if (key === undefined) return field;
  const types = new Set([...itemField(field).types, ...key.types]);
  const item: Field = { ...itemField(field), types };
  return { ...field, items: item };
}

/** `append`: a list that begins with the whole current one is a restatement plus a tail; else all items are new. */
function appendPlain(merging: Merging, _field: Field, current: List, incoming: List, path: Pointer): List {
  if (restates(current, incoming))
    return incoming.length === current.length ? current : [...current, ...incoming.slice(current.length)];
  const have = knownItems(current, incoming);
  if (have.length === 0) return [...current, ...incoming];
  merging.issues.push({
    code: 'overwrite.partly_restated',
    path,
    hint:
      `${showItems(have)} is in the list already: send only new items, or the whole list with new items at its end; ` +
      WORDS[merging.dialect].appendAgain(path),
  });
  return current;
}

/** `keyed`: records are merged into those with the same key; others are added at the end. */
function upsert(merging: Merging, field: Field, current: List, incoming: List, path: Pointer): List {
  const key = field.key ?? 'id';
  const below = itemField(field);
  const next = [...current];
  const places = new Map(
    current.map((item, index) => [isObject(item) ? itemKey(item[key] ?? null) : '', index]),
  );
  const seen = new Map<string, Json>();
  for (const [index, item] of incoming.entries()) {
    const id = isObject(item) ? item[key] : undefined;
    if (id === undefined || id === null || !isObject(item)) {
      merging.issues.push(noKey(key, item, join(path, index)));
      continue;
    }
    const name = itemKey(id);
    const twin = seen.get(name);
    if (twin !== undefined && !jsonEqual(twin, item)) {
      merging.issues.push({
        code: 'overwrite.conflict',
        path,
        hint: `two records with ${key} ${show(id)}: send one`,
      });
    }
    seen.set(name, item);
    const place = places.get(name) ?? next.length;
    places.set(name, place);
    const before = next[place];
    const base: JsonObject = isObject(before) ? before : {};
    const after = merging.record(merging, below, base, item, join(path, place));
    next[place] = after;
  }
  return next.length === current.length && next.every((item, index) => item === current[index])
    ? current
    : next;
}

function noKey(
  key: string,
  item: Json,
  path: Pointer,
): { code: 'schema.required'; path: Pointer; hint: string } {
  return { code: 'schema.required', path, hint: `a record of this list needs ${key}, got ${got(item)}` };
}

/** The last word on a changed list: equal is unchanged, and `x-overflow: drop-oldest` makes it fit. */
function settle(merging: Merging, field: Field, current: List | null, next: List, path: Pointer): List {
  if (current !== null && jsonEqual(current, next)) return current;
  if (field.overflow !== 'drop-oldest') return next;
  const { kept, dropped } = dropOldest(field, next);
  if (dropped.length > 0) {
    merging.remarks.push(`${path}: full, dropped the oldest ${dropped.length}: ${showItems(dropped)}`);
  }
  return kept;
}
