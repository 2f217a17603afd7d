import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json, JsonObject } from '../types.ts';

/** The text that hashes are made over (RFC 8785). Throws on what is no JSON or not well-formed: misuse. */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('canonicalJson: not a JSON value');
  return text;
}

/** SHA-256 in lower-case hex, of bytes or of a text's UTF-8. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/**
 * JSON text as prompts show it: compact, object members in the order that the schema declares (`x-order` where given, else
 * the order of `properties`), undeclared ones after them by code point, integer-like keys too (P51). The same value and
 * schema give the same bytes in every process.
 *
 * The text of each small object and array is remembered as long as the object lives, so a record that a patch did not touch
 * is not printed again: a value must never be changed in place after it was printed. Recurses: the value must be within the
 * depth limit.
 */
export function promptJson(value: Json, schema: JsonObject = NONE): string {
  return print(value, schema, schema);
}

/** A longer text is not remembered: the collector of young objects keeps what a WeakMap points to, however short its life. */
const REMEMBERED = 512;
const PRINTED = new WeakMap<object, { readonly schema: JsonObject; readonly text: string }>();
const ORDERS = new WeakMap<JsonObject, readonly string[]>();
const NONE: JsonObject = {};

function print(value: Json, schema: JsonObject, root: JsonObject): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const known = PRINTED.get(value);
  if (known !== undefined && known.schema === schema) return known.text;
  const shape = shapeOf(schema, root);
  const text = Array.isArray(value)
    ? printArray(value, shape, root)
    : printObject(value as JsonObject, shape, root);
  if (text.length <= REMEMBERED) PRINTED.set(value, { schema, text });
  return text;
}

function printArray(items: readonly Json[], shape: JsonObject, root: JsonObject): string {
  const prefix = Array.isArray(shape['prefixItems']) ? (shape['prefixItems'] as readonly Json[]) : [];
  const rest = asObject(shape['items']);
  return `[${items.map((item, i) => print(item, i < prefix.length ? asObject(prefix[i]) : rest, root)).join(',')}]`;
}

function printObject(object: JsonObject, shape: JsonObject, root: JsonObject): string {
  if (isPlainMap(object, shape)) return JSON.stringify(object);
  const properties = asObject(shape['properties']);
  const extra = asObject(shape['additionalProperties']);
  const parts: string[] = [];
  const member = (key: string, schema: JsonObject): void => {
    parts.push(`${JSON.stringify(key)}:${print(object[key] as Json, schema, root)}`);
  };
  for (const key of declaredOrder(shape)) {
    if (Object.hasOwn(object, key)) member(key, asObject(properties[key]));
  }
  const keys = Object.keys(object);
  if (parts.length < keys.length) {
    const undeclared = keys.filter((key) => !Object.hasOwn(properties, key)).sort(byCodePoint);
    for (const key of undeclared) member(key, extra);
  }
  return `{${parts.join(',')}}`;
}

/** Whether `JSON.stringify` prints the same: scalars only, no declared keys, and the keys are in their order as they are. */
function isPlainMap(object: JsonObject, shape: JsonObject): boolean {
  if (declaredOrder(shape).length > 0) return false;
  let last = '';
  for (const key of Object.keys(object)) {
    const value = object[key];
    if ((typeof value === 'object' && value !== null) || byCodePoint(last, key) > 0) return false;
    last = key;
  }
  return true;
}

function declaredOrder(shape: JsonObject): readonly string[] {
  const known = ORDERS.get(shape);
  if (known !== undefined) return known;
  const declared = Object.keys(asObject(shape['properties']));
  const wanted = Array.isArray(shape['x-order']) ? (shape['x-order'] as readonly string[]) : [];
  const order = [...new Set([...wanted.filter((key) => declared.includes(key)), ...declared])];
  ORDERS.set(shape, order);
  return order;
}

/** Follows references and alternatives to the first schema that says how the members are called. */
function shapeOf(schema: JsonObject, root: JsonObject, hops = 8): JsonObject {
  if (hops === 0 || 'properties' in schema || 'items' in schema || 'prefixItems' in schema) return schema;
  const reference = schema['$ref'];
  if (typeof reference === 'string') return shapeOf(definition(reference, root), root, hops - 1);
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[keyword];
    for (const branch of Array.isArray(branches) ? (branches as readonly Json[]) : []) {
      const shape = shapeOf(asObject(branch), root, hops - 1);
      if ('properties' in shape || 'items' in shape || 'prefixItems' in shape) return shape;
    }
  }
  return schema;
}

function definition(reference: string, root: JsonObject): JsonObject {
  if (reference === '#') return root;
  const segments = reference.startsWith('#/') ? reference.slice(2).split('/') : [];
  let here: Json | undefined = segments.length > 0 ? root : NONE;
  for (const segment of segments) {
    here = asObject(here)[segment.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return asObject(here);
}

function asObject(value: Json | undefined): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : NONE;
}

/** Orders texts by Unicode code point; JavaScript's `<` orders by UTF-16 unit. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [left, right] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all others in the plane. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
