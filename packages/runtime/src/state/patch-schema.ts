import type { Json, JsonObject } from '../types.ts';
import { formOf } from './contract-examples.ts';
import { type Field, itemField } from './field.ts';

/** JSON Schemas of values and of merge patches, made from the same fields that the merge code walks. */
export type FieldSchemas = {
  /** What a field may hold. Conditions across members are left to the validation of the candidate. */
  value(field: Field): JsonObject;
  /** What a merge patch may say about a field: partial objects, and the forms of its merge policy. */
  patch(field: Field, optional: boolean): JsonObject;
  /** Definitions that the others refer to as `#/$defs/…`: recursive fields. */
  readonly definitions: Readonly<Record<string, Json>>;
};

export function fieldSchemas(): FieldSchemas {
  const definitions: Record<string, Json> = {};
  const value = recursive('value', definitions, (field) => valueSchema(field, value));
  const content = recursive('patch', definitions, (field) => contentSchema(field, value, patch));
  const patch = (field: Field, optional: boolean): JsonObject =>
    optional ? orNull(content(field)) : content(field);
  return { value, patch, definitions };
}

type Make = (field: Field) => JsonObject;

/** Builds each field's schema once; one that contains itself becomes a definition. */
function recursive(prefix: string, definitions: Record<string, Json>, make: Make): Make {
  const known = new Map<Field, JsonObject>();
  const open = new Map<Field, string | null>();
  let count = 0;
  return (field) => {
    const made = known.get(field);
    if (made !== undefined) return made;
    if (open.has(field)) {
      const name = open.get(field) ?? `${prefix}${++count}`;
      open.set(field, name);
      return { $ref: `#/$defs/${name}` };
    }
    open.set(field, null);
    const schema = make(field);
    const name = open.get(field) ?? null;
    open.delete(field);
    if (name !== null) definitions[name] = schema;
    const result = name === null ? schema : { $ref: `#/$defs/${name}` };
    known.set(field, result);
    return result;
  };
}

/** Keywords that a single value can be checked by, and its description. */
const PLAIN: readonly string[] = [
  'description',
  'enum',
  'const',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
];

function plainWords(field: Field, words: readonly string[] = PLAIN): Record<string, Json> {
  return Object.fromEntries(
    words.flatMap((word) => (word in field.words ? [[word, field.words[word] as Json]] : [])),
  );
}

function valueSchema(field: Field, value: Make): JsonObject {
  const { types } = field;
  const schema: Record<string, Json> = plainWords(field);
  if ('enum' in schema || 'const' in schema) return schema;
  const names = [...types].filter((type) => !(type === 'integer' && types.has('number')));
  if (types.size < 7) schema['type'] = names.length === 1 ? (names[0] as string) : names;
  if (types.has('array') && field.items !== null) schema['items'] = value(field.items);
  if (types.has('object') && types.size < 7) {
    Object.assign(
      schema,
      objectSchema(field, (below) => value(below)),
      { required: [...field.required] },
    );
  }
  return schema;
}

function objectSchema(
  field: Field,
  member: (below: Field, optional: boolean) => JsonObject,
): Record<string, Json> {
  const properties = [...field.properties].map(([key, below]) => [
    key,
    member(below, !field.required.has(key)),
  ]);
  const patterns = field.patterns.map(({ test, field: below }) => [test.source, member(below, true)]);
  return {
    properties: Object.fromEntries(properties),
    ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
    additionalProperties: field.additional === null ? false : member(field.additional, true),
  };
}

type Patch = (field: Field, optional: boolean) => JsonObject;

function contentSchema(field: Field, value: Make, patch: Patch): JsonObject {
  switch (formOf(field)) {
    case 'object':
    case 'map':
      return mixed(field, value, { type: 'object', ...ownMembers(field, patch) });
    case 'keyed':
      return listPatch(field, keyedItem(field, patch), ['$append', '$remove']);
    case 'list':
      return listPatch(field, value(itemField(field)), ['$append', '$remove', '$set']);
    case 'append':
    case 'union':
      return listPatch(field, value(itemField(field)), ['$append', '$remove']);
    case 'sum':
      return form({ $add: { type: 'number' } }, ['$add']);
    case 'set':
    case 'max':
    case 'replace':
    case 'delete':
      return value(field);
  }
}

/** The members that the model writes; others may only be repeated, so they are left out. */
function ownMembers(field: Field, patch: Patch): Record<string, Json> {
  const properties = new Map([...field.properties].filter(([, below]) => writable(below)));
  return objectSchema({ ...field, properties }, patch);
}

function writable(field: Field): boolean {
  return field.owner === 'model' || [...field.properties.values()].some((below) => below.owner === 'model');
}

/** An object that may also be something else, such as null. */
function mixed(field: Field, value: Make, object: JsonObject): JsonObject {
  const others = new Set([...field.types].filter((type) => type !== 'object'));
  if (others.size === 0) return object;
  if (field.types.size >= 7) return {};
  return { anyOf: [object, value({ ...field, types: others })] };
}

function keyedItem(field: Field, patch: Patch): JsonObject {
  const key = field.key ?? 'id';
  const record = ownMembers(itemField(field), patch);
  return { type: 'object', ...record, required: [key] };
}

function listPatch(field: Field, items: JsonObject, forms: readonly string[]): JsonObject {
  const list: JsonObject = { type: 'array', items };
  const removed: JsonObject = field.key === null ? list : { type: 'array' };
  const description = plainWords(field, ['description']);
  const changes = forms.filter((name) => name !== '$set');
  const branches: JsonObject[] = [
    list,
    form(Object.fromEntries(changes.map((name) => [name, name === '$remove' ? removed : list])), [], 1),
  ];
  if (forms.includes('$set')) branches.push(form({ $set: list }, ['$set']));
  if (field.types.has('null')) branches.push({ type: 'null' });
  return { ...description, anyOf: branches };
}

function form(properties: JsonObject, required: readonly string[], least = 0): JsonObject {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(least > 0 && { minProperties: least }),
    additionalProperties: false,
  };
}

function orNull(schema: JsonObject): JsonObject {
  if (Object.keys(schema).length === 0) return schema;
  const branches = schema['anyOf'];
  if (Array.isArray(branches)) {
    const has = (branches as readonly JsonObject[]).some((one) => one['type'] === 'null');
    return has ? schema : { ...schema, anyOf: [...(branches as readonly Json[]), { type: 'null' }] };
  }
  return { anyOf: [schema, { type: 'null' }] };
}
