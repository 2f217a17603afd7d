import { canonicalJson } from '../json/text.ts';
import { jsonEqual } from '../json/equal.ts';
import type { Json } from '../types.ts';
import type { Field } from './field.ts';
import { isObject } from './shape.ts';
import { jsonBytes } from './size.ts';

type List = readonly Json[];

/** A text that is the same for equal values only: for sets of items and for record keys. */
export function itemKey(item: Json): string {
  if (typeof item === 'string') return `"${item}`;
  return item !== null && typeof item === 'object' ? canonicalJson(item) : JSON.stringify(item);
}

/** Items of `current` that `next` no longer has, each as often as it is missing. */
export function droppedItems(current: List, next: List): List {
  const counts = new Map<string, number>();
  for (const item of next) counts.set(itemKey(item), (counts.get(itemKey(item)) ?? 0) + 1);
  return current.filter((item) => {
    const left = counts.get(itemKey(item)) ?? 0;
    counts.set(itemKey(item), left - 1);
    return left <= 0;
  });
}

/** The items of `incoming` that `current` does not have, without repetition: set union keeps the current order. */
export function newItems(current: List, incoming: List): List {
  const have = new Set(current.map(itemKey));
  return incoming.filter((item) => {
    const key = itemKey(item);
    const fresh = !have.has(key);
    have.add(key);
    return fresh;
  });
}

/** The items of `incoming` that `current` has already. */
export function knownItems(current: List, incoming: List): List {
  const have = new Set(current.map(itemKey));
  return incoming.filter((item) => have.has(itemKey(item)));
}

/** Whether `incoming` begins with all of `current`: a restatement, whose tail is new. */
export function restates(current: List, incoming: List): boolean {
  return (
    incoming.length >= current.length && current.every((item, i) => jsonEqual(item, incoming[i] as Json))
  );
}

/**
 * `current` without the targets: every equal item; in a keyed list also the record with that key. `missing`: targets that
 * match nothing.
 */
export function removeItems(
  current: List,
  targets: List,
  key: string | null,
): { readonly kept: List; readonly missing: List } {
  const hit = new Set<number>();
  const wantedKey = (target: Json): Json =>
    key !== null && isObject(target) ? (target[key] ?? null) : target;
  const ownKey = (item: Json): Json => (key !== null && isObject(item) ? (item[key] ?? null) : item);
  const places = Map.groupBy(current.keys(), (index) => itemKey(ownKey(current[index] as Json)));
  const missing = targets.filter((target) => {
    const found = places.get(itemKey(wantedKey(target))) ?? [];
    for (const index of found) hit.add(index);
    return found.length === 0;
  });
  return { kept: hit.size === 0 ? current : current.filter((_, index) => !hit.has(index)), missing };
}

/** `x-overflow: drop-oldest`: items leave from the front until the list is within its bounds; the newest always stays. */
export function dropOldest(field: Field, list: List): { readonly kept: List; readonly dropped: List } {
  const most = field.maxItems ?? Number.POSITIVE_INFINITY;
  let start = Math.max(0, list.length - most);
  if (field.maxBytes !== null) {
    let bytes = list.slice(start).reduce<number>((sum, item) => sum + jsonBytes(item) + 1, 1);
    while (bytes > field.maxBytes && start < list.length - 1) bytes -= jsonBytes(list[start++] as Json) + 1;
  }
  return start === 0
    ? { kept: list, dropped: [] }
    : { kept: list.slice(start), dropped: list.slice(0, start) };
}
