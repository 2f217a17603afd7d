import { jsonEqual } from '../json/equal.ts';
import { getAt } from '../json/pointer.ts';
import type { Json, JsonObject } from '../types.ts';

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

export const ALL_TYPES: readonly JsonType[] = [
  'null',
  'boolean',
  'integer',
  'number',
  'string',
  'array',
  'object',
];

/** What a schema node says about a value's form, with references and combinators folded into one flat view. */
export type Shape = {
  readonly types: ReadonlySet<JsonType>;
  readonly properties: ReadonlyMap<string, JsonObject>;
  readonly required: ReadonlySet<string>;
  readonly patterns: readonly (readonly [pattern: string, schema: JsonObject])[];
  /** false: no other keys; null: the schema is silent about them. */
  readonly additional: JsonObject | false | null;
  readonly items: JsonObject | null;
  readonly tuple: boolean;
  /** The first value seen of every other keyword. */
  readonly words: Readonly<Record<string, Json>>;
};

export type Shapes = { of(node: JsonObject): Shape; readonly faults: ReadonlySet<string> };

const EMPTY: Shape = {
  types: new Set(ALL_TYPES),
  properties: new Map(),
  required: new Set(),
  patterns: [],
  additional: null,
  items: null,
  tuple: false,
  words: {},
};
/** Keywords that a shape folds; all others are its words. */
const STRUCTURE: ReadonlySet<string> = new Set([
  '$ref',
  '$defs',
  'allOf',
  'anyOf',
  'oneOf',
  'properties',
  'items',
  'required',
]);
const NOTHING: Shape = { ...EMPTY, types: new Set() };

/**
 * Shapes of the nodes of one schema. `$ref` to `#` or `#/…` is followed (a reference to itself says nothing); others, and
 * dangling ones, are collected in `faults`. Each node is folded once, so shared definitions cost nothing extra.
 */
export function schemaShapes(root: JsonObject): Shapes {
  const known = new Map<JsonObject, Shape>();
  const faults = new Set<string>();
  const of = (node: JsonObject): Shape => {
    const found = known.get(node);
    if (found !== undefined) return found;
    known.set(node, EMPTY);
    const shape = fold(node);
    known.set(node, shape);
    return shape;
  };
  const branch = (node: Json): Shape => (node === false ? NOTHING : isObject(node) ? of(node) : EMPTY);
  const reference = (ref: string): Shape => {
    const target = ref.startsWith('#') ? getAt(root, decodePointer(ref)) : undefined;
    if (target === undefined) faults.add(ref);
    return target === undefined ? EMPTY : branch(target);
  };
  const fold = (node: JsonObject): Shape => {
    const parts = [ownShape(node)];
    if (typeof node['$ref'] === 'string') parts.push(reference(node['$ref']));
    parts.push(...list(node['allOf']).map(branch));
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = list(node[keyword]);
      if (branches.length > 0) parts.push(either(branches.map(branch)));
    }
    const soft = [node['then'], node['else'], ...Object.values(object(node['dependentSchemas']))];
    for (const schema of soft) {
      if (isObject(schema)) parts.push({ ...EMPTY, properties: of(schema).properties });
    }
    return parts.reduce(both);
  };
  return { of, faults };
}

function ownShape(node: JsonObject): Shape {
  const additional = node['additionalProperties'] ?? node['unevaluatedProperties'];
  const { properties, items } = node;
  const words = Object.fromEntries(Object.entries(node).filter(([word]) => !STRUCTURE.has(word)));
  return {
    types: ownTypes(node),
    properties: new Map(
      Object.entries(object(properties)).map(([key, schema]) => [key, isObject(schema) ? schema : {}]),
    ),
    required: new Set(list(node['required']).filter((key) => typeof key === 'string')),
    patterns: Object.entries(object(node['patternProperties'])).map(([pattern, schema]) => [
      pattern,
      isObject(schema) ? schema : {},
    ]),
    additional: additional === true ? {} : additional === false || isObject(additional) ? additional : null,
    items: isObject(items) ? items : null,
    tuple: list(node['prefixItems']).length > 0,
    words,
  };
}

function ownTypes(node: JsonObject): ReadonlySet<JsonType> {
  const declared = node['type'];
  if (declared !== undefined) {
    const names = (Array.isArray(declared) ? declared : [declared]) as readonly JsonType[];
    return new Set(names.flatMap((name): JsonType[] => (name === 'number' ? ['number', 'integer'] : [name])));
  }
  const values = 'const' in node ? [node['const'] as Json] : list(node['enum']);
  return values.length > 0 ? new Set(values.map(typeOf)) : EMPTY.types;
}

/** The JSON Schema type of a value; whole numbers are `integer`. */
export function typeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as 'boolean' | 'string' | 'object';
}

function both(a: Shape, b: Shape): Shape {
  return {
    types: new Set([...a.types].filter((type) => b.types.has(type))),
    properties: joined(a.properties, b.properties, 'allOf'),
    required: new Set([...a.required, ...b.required]),
    patterns: [...a.patterns, ...b.patterns],
    additional: a.additional ?? b.additional,
    items: a.items ?? b.items,
    tuple: a.tuple || b.tuple,
    words: { ...b.words, ...a.words },
  };
}

/** One of several: null beside one other is that other, nullable. */
function either(branches: readonly Shape[]): Shape {
  const types = new Set(branches.flatMap((branch) => [...branch.types]));
  const others = branches.filter((branch) => !(branch.types.size === 1 && branch.types.has('null')));
  const first = others[0];
  if (first === undefined) return { ...EMPTY, types };
  if (others.length === 1) return { ...first, types };
  const objects = others.filter((branch) => branch.types.has('object'));
  return {
    types,
    properties: objects.reduce((all, branch) => joined(all, branch.properties, 'anyOf'), EMPTY.properties),
    required: new Set(
      [...first.required].filter((key) => others.every((branch) => branch.required.has(key))),
    ),
    patterns: objects.flatMap((branch) => branch.patterns),
    additional: objects.find((branch) => branch.additional)?.additional ?? null,
    items: others.find((branch) => branch.items !== null)?.items ?? null,
    tuple: others.some((branch) => branch.tuple),
    words: Object.fromEntries(
      Object.entries(first.words).filter(([word]) => word.startsWith('x-') || word === 'description'),
    ),
  };
}

function joined(
  a: ReadonlyMap<string, JsonObject>,
  b: ReadonlyMap<string, JsonObject>,
  how: 'allOf' | 'anyOf',
): ReadonlyMap<string, JsonObject> {
  if (b.size === 0) return a;
  const all = new Map(a);
  for (const [key, schema] of b) {
    const other = all.get(key);
    const same = other === undefined || other === schema || jsonEqual(other, schema);
    all.set(key, same ? (other ?? schema) : { [how]: [other, schema] });
  }
  return all;
}

/** `#/$defs/a%20b` as pointer text. */
function decodePointer(ref: string): string {
  try {
    return decodeURIComponent(ref.slice(1));
  } catch {
    return ref.slice(1);
  }
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
