import type { TauAction } from './call.ts';
import { writeJson } from './python/json.ts';
import { compareText, sortedEntries } from './python/text.ts';
import type { PyDict, PyValue } from './python/value.ts';

/** How the order of a list counts: not at all (`set`, duplicates counted), or only together with another list. */
export type ListOrder = 'set' | { readonly pairedWith: string };

/**
 * The arguments that are lists without order, by tool and argument; every other list is a sequence. Ledgers and
 * comparisons of calls use this one declaration.
 */
export const argumentOrder: Readonly<Record<string, Readonly<Record<string, ListOrder>>>> = {
  return_delivered_order_items: { item_ids: 'set' },
  exchange_delivered_order_items: { item_ids: { pairedWith: 'new_item_ids' } },
  modify_pending_order_items: { item_ids: { pairedWith: 'new_item_ids' } },
  book_reservation: { passengers: 'set', payment_methods: 'set' },
  update_reservation_passengers: { passengers: 'set' },
};

/** The same for the fields of stored records, by table. */
export const recordOrder: Readonly<Record<string, Readonly<Record<string, ListOrder>>>> = {
  orders: { payment_history: 'set', return_items: 'set' },
  reservations: { passengers: 'set', payment_history: 'set' },
  users: { orders: 'set', reservations: 'set', saved_passengers: 'set' },
};

/** The value with its dicts' keys sorted and whole floats as ints, as Python compares them. */
function normal(value: PyValue): PyValue {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(normal);
  if (value instanceof Map) return new Map(sortedEntries(value).map(([key, v]) => [key, normal(v)]));
  return value;
}

function sortedList(list: readonly PyValue[]): PyValue[] {
  return list
    .map((value) => [writeJson(value), value] as const)
    .sort((a, b) => compareText(a[0], b[0]))
    .map(([, value]) => value);
}

function orderedFields(fields: PyDict, order: Readonly<Record<string, ListOrder>>): PyDict {
  const result: PyDict = new Map(sortedEntries(fields).map(([key, value]) => [key, normal(value)]));
  for (const [name, rule] of Object.entries(order)) {
    const list = result.get(name);
    if (!Array.isArray(list)) continue;
    if (rule === 'set') {
      result.set(name, sortedList(list));
      continue;
    }
    const partner = result.get(rule.pairedWith);
    if (!Array.isArray(partner) || partner.length !== list.length) continue;
    const pairs = sortedList(list.map((value, i) => [value, partner[i] ?? null]));
    result.set(name, pairs);
    result.delete(rule.pairedWith);
  }
  return result;
}

/** A text that is the same for two calls that mean the same: key order, declared sets and 1 against 1.0 do not count. */
export function canonicalCall(action: TauAction): string {
  return `${action.name}${writeJson(orderedFields(action.kwargs, argumentOrder[action.name] ?? {}))}`;
}

export function sameCall(a: TauAction, b: TauAction): boolean {
  return canonicalCall(a) === canonicalCall(b);
}

/** The same for two states of a record of a table. */
export function canonicalRecord(table: string, record: PyDict): string {
  return writeJson(orderedFields(record, recordOrder[table] ?? {}));
}

/** The names of the top-level fields in which two states of a record differ. */
export function differingFields(table: string, a: PyDict, b: PyDict): string[] {
  const [x, y] = [orderedFields(a, recordOrder[table] ?? {}), orderedFields(b, recordOrder[table] ?? {})];
  const names = new Set([...x.keys(), ...y.keys()]);
  return [...names].filter((name) => {
    const [left, right] = [x.get(name), y.get(name)];
    return left === undefined || right === undefined || writeJson(left) !== writeJson(right);
  });
}
