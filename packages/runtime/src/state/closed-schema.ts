import type { Json, JsonObject } from '../types.ts';
import { isObject, type Shapes } from './shape.ts';

/** Keywords whose value is one schema of a value, a map of such schemas, or a list of schemas of the same value. */
const VALUES = ['additionalProperties', 'items', 'unevaluatedProperties', 'unevaluatedItems'];
const MAPS = ['properties', 'patternProperties'];
const BRANCHES = ['allOf', 'anyOf', 'oneOf'];
/** With one of these beside it, `additionalProperties: false` would not see the keys that they declare. */
const COMPOSED = ['$ref', ...BRANCHES, 'if', 'then', 'else', 'dependentSchemas'];

/**
 * The schema with every object closed that names properties and is silent about others: a key that the contract does not
 * know is a mistake to report, not data to keep (P16). What stands under `if`, `then`, `else`, `not`, `contains` and
 * `dependentSchemas` only adds conditions and stays as it is.
 */
export function closedSchema(root: JsonObject, shapes: Shapes): JsonObject {
  const value = (node: Json): Json => {
    if (!isObject(node)) return node;
    const copy = inner(node) as JsonObject;
    const { additional, properties } = shapes.of(node);
    if (additional !== null || properties.size === 0) return copy;
    const keyword = COMPOSED.some((word) => word in node) ? 'unevaluatedProperties' : 'additionalProperties';
    return { ...copy, [keyword]: false };
  };
  const inner = (node: Json): Json => {
    if (!isObject(node)) return node;
    const copy: Record<string, Json> = { ...node };
    for (const [word, below] of Object.entries(node)) {
      if (VALUES.includes(word)) copy[word] = value(below);
      else if (MAPS.includes(word)) copy[word] = mapValues(below, value);
      else if (word === '$defs') copy[word] = mapValues(below, inner);
      else if (word === 'prefixItems' && Array.isArray(below)) copy[word] = below.map(value);
      else if (BRANCHES.includes(word) && Array.isArray(below)) copy[word] = below.map(inner);
    }
    return copy;
  };
  return value(root) as JsonObject;
}

function mapValues(map: Json, change: (value: Json) => Json): Json {
  if (!isObject(map)) return map;
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
}
