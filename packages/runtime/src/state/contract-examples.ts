import { jsonEqual } from '../json/equal.ts';
import type { Dialect, Json, JsonObject, Operation, Patch, Pointer } from '../types.ts';
import type { Contract } from './contract.ts';
import { type Field, itemField } from './field.ts';
import { resolvePatch } from './resolve.ts';
import { sampleObject, sampleValue } from './sample.ts';

/** What a patch can do. A contract shows only the forms that one of its fields has. */
export type FormName =
  | 'set'
  | 'delete'
  | 'object'
  | 'map'
  | 'list'
  | 'replace'
  | 'append'
  | 'union'
  | 'keyed'
  | 'sum'
  | 'max';

export type ContractExample = {
  readonly form: FormName;
  /** The field that it is about. */
  readonly path: Pointer;
  readonly before: JsonObject;
  readonly patch: Patch;
  readonly after: JsonObject;
};

/** A field of the contract that is not inside a map or list, with the keys that lead to it. */
export type Spot = { readonly keys: readonly string[]; readonly field: Field; readonly required: boolean };

const DEEPEST = 4;

/** Named fields, parents first, in schema order; not inside maps and lists, and not endlessly. */
export function spots(root: Field): readonly Spot[] {
  const found: Spot[] = [];
  const visit = (holder: Field, keys: readonly string[], above: readonly Field[]): void => {
    if (keys.length >= DEEPEST || above.includes(holder)) return;
    for (const [key, field] of holder.properties) {
      found.push({ keys: [...keys, key], field, required: holder.required.has(key) });
      visit(field, [...keys, key], [...above, holder]);
    }
  };
  visit(root, [], []);
  return found;
}

/** The form of a field's changes. */
export function formOf(field: Field): FormName {
  const { types, merge } = field;
  if (types.has('array') && !types.has('object')) return merge === null ? 'list' : (merge as FormName);
  if (types.has('object') && merge !== 'replace') {
    return field.properties.size > 0 && field.additional === null ? 'object' : 'map';
  }
  return merge === 'sum' || merge === 'max' ? merge : 'set';
}

/**
 * One or two proven examples for every form that the model can use in this contract: each was run through `resolvePatch`.
 * A form whose samples cannot be made to fit the schema has none.
 */
export function contractExamples(contract: Contract, dialect: Dialect): readonly ContractExample[] {
  const examples = new Map<string, ContractExample>();
  for (const spot of spots(contract.root)) {
    if (spot.field.owner !== 'model' || spot.field.commit !== 'accept') continue;
    const plain = formOf(spot.field) === 'set';
    const forms: readonly FormName[] =
      spot.required || !plain ? [formOf(spot.field)] : [formOf(spot.field), 'delete'];
    for (const form of forms) {
      for (const [index, change] of changesOf(form, spot, dialect).entries()) {
        const name = `${form} ${index}`;
        const example = examples.has(name) ? null : prove(contract, form, spot, change);
        if (example !== null) examples.set(name, example);
      }
    }
  }
  return [...examples.values()];
}

type Change = { readonly before: Json | undefined; readonly patch: Patch };

function prove(contract: Contract, form: FormName, spot: Spot, change: Change): ContractExample | null {
  const base = sampleObject(contract.root, 1);
  if (base === undefined || (change.before === undefined && form !== 'sum')) return null;
  const before = change.before === undefined ? base : place(contract.root, base, spot.keys, change.before);
  if (before === null || !contract.validate(before)) return null;
  const resolved = resolvePatch(contract, before, change.patch, { actor: 'model', coerce: false });
  if (!resolved.ok || jsonEqual(resolved.value.state, before)) return null;
  const path = spot.keys.map((key) => `/${key}`).join('');
  return { form, path, before, patch: change.patch, after: resolved.value.state };
}

/** `base` with a value at a place; objects on the way get their required members. */
function place(field: Field, base: JsonObject, keys: readonly string[], value: Json): JsonObject | null {
  const [key, ...rest] = keys;
  if (key === undefined) return null;
  if (rest.length === 0) return { ...base, [key]: value };
  const below = field.properties.get(key);
  const here = (base[key] ?? (below === undefined ? undefined : sampleObject(below, 1))) as
    | JsonObject
    | undefined;
  const inner =
    below === undefined || here === undefined || here === null ? null : place(below, here, rest, value);
  return inner === null ? null : { ...base, [key]: inner };
}

/** Before and patch of a form's examples at a place. */
function changesOf(form: FormName, spot: Spot, dialect: Dialect): readonly Change[] {
  const { field, keys } = spot;
  const change = (before: Json | undefined, merge: Json, ...operations: readonly Operation[]): Change => ({
    before,
    patch:
      dialect === 'merge'
        ? { dialect, value: keys.reduceRight<Json>((inner, key) => ({ [key]: inner }), merge) as JsonObject }
        : { dialect, value: operations },
  });
  const path = keys.map((key) => `/${key}`).join('');
  const of = (n: number): Json | undefined => sampleValue(field, n);
  const item = (n: number): Json | undefined => sampleValue(itemField(field), n);
  switch (form) {
    case 'set':
    case 'max':
      return whole([of(1), of(2)], ([a, b]) => [change(a, b, { op: 'set', path, value: b })]);
    case 'delete':
      return whole([of(1)], ([a]) => [change(a, null, { op: 'delete', path })]);
    case 'sum':
      return [change(5, { $add: 3 }, { op: 'add', path, value: 3 })];
    case 'map':
      return mapChanges(field, path, change);
    case 'object':
      return [];
    case 'keyed':
      return keyedChanges(field, path, change);
    case 'replace':
      return whole([item(1), item(2)], ([a, b]) => [change([a], [b], { op: 'set', path, value: [b] })]);
    case 'append':
      return whole([item(1), item(2)], ([a, b]) => [change([a], [b], { op: 'add', path, value: b })]);
    case 'union':
    case 'list':
      return whole([item(1), item(2)], ([a, b]) => [
        change([a], form === 'list' ? [a, b] : [b], { op: 'add', path, value: b }),
        change([a, b], { $remove: [a] }, { op: 'remove', path, value: a }),
        ...(form === 'list' ? [change([a], { $set: [b] }, { op: 'set', path, value: { $set: [b] } })] : []),
      ]);
  }
}

function whole(
  values: readonly (Json | undefined)[],
  make: (values: readonly Json[] & { 0: Json; 1: Json }) => readonly Change[],
): readonly Change[] {
  return values.includes(undefined) ? [] : make(values as readonly Json[] & { 0: Json; 1: Json });
}

type Make = (before: Json | undefined, merge: Json, ...operations: readonly Operation[]) => Change;

function mapChanges(field: Field, path: Pointer, change: Make): readonly Change[] {
  const below = field.additional ?? field.patterns[0]?.field;
  if (below === undefined || below === null) return [];
  const [key, other] = field.patterns.length > 0 ? sampleKeys(field) : ['a', 'b'];
  return whole([sampleValue(below, 1), sampleValue(below, 2)], ([a, b]) => {
    if (key === undefined || other === undefined) return [];
    return [
      change({ [key]: a }, { [other]: b }, { op: 'set', path: `${path}/${other}`, value: b }),
      change({ [key]: a }, { [key]: null }, { op: 'delete', path: `${path}/${key}` }),
    ];
  });
}

/** Two keys that a pattern of the map takes. */
function sampleKeys(field: Field): readonly (string | undefined)[] {
  const tried = ['a', 'b', 'A', 'B', '1', '2', 'a1', 'b1', 'a-1', 'a_1', 'shelf_1', 'item_1'];
  const taken = tried.filter((key) => field.patterns.some(({ test }) => test.test(key)));
  return [taken[0], taken[1]];
}

function keyedChanges(field: Field, path: Pointer, change: Make): readonly Change[] {
  const record = sampleObject(itemField(field), 1);
  const key = field.key ?? 'id';
  const id = record?.[key];
  const member = [...itemField(field).properties].find(
    ([name, below]) => name !== key && below.owner === 'model' && below.commit === 'accept' && isPlain(below),
  );
  if (record === undefined || id === undefined || member === undefined) return [];
  const [name, below] = member;
  const [old, value] = [sampleValue(below, 1), sampleValue(below, 2)];
  if (old === undefined || value === undefined) return [];
  const before = [{ ...record, [name]: old }];
  const at = `${path}/${String(id as string | number)}`;
  return [
    change(before, [{ [key]: id, [name]: value }], { op: 'set', path: `${at}/${name}`, value }),
    change(before, { $remove: [id] }, { op: 'delete', path: at }),
  ];
}

function isPlain(field: Field): boolean {
  return formOf(field) === 'set' && !field.types.has('object');
}
