import type { ValidateFunction } from 'ajv/dist/2020.js';
import { formatPointer } from '../json/pointer.ts';
import { byCodePoint } from '../json/text.ts';
import type { Issue, Json, JsonObject, Pointer } from '../types.ts';
import { settle } from './explain.ts';
import { fault, isNames, nodeIssues } from './keywords.ts';
import { compileSchema } from './schema.ts';
import { isObject } from './short.ts';
import type { Source } from './source.ts';
import { LIST, MAP, ONE } from './vocabulary.ts';

const DRAFT = 'https://json-schema.org/draft/2020-12/schema';
const ROOT: Pointer = '/state';

/** A schema and where it stands; `open`: under a combinator, where closing an object would change what it accepts. */
type Visit = (schema: JsonObject, path: Pointer, open: boolean) => JsonObject;

/**
 * The normal form of a state schema: objects that name properties are closed unless they say otherwise, the declared order
 * of properties is data (`x-order`, left out where it is the order of code points), bounds that every integer has anyway
 * and `$schema` are left out. A fixed point.
 */
export function normaliseState(schema: JsonObject): JsonObject {
  const combined = usesAllOf(schema);
  const { $schema: _, ...rest } = schema;
  const root: JsonObject = 'type' in rest ? rest : { type: 'object', ...rest };
  return rewrite(root, '', false, (node, path, open) => {
    const keep = open || (combined && path.startsWith('/$defs/'));
    return ordered(withoutIntegerBounds(keep ? node : closed(typed(node))));
  });
}

/** What is wrong with a state schema, by path below `/state`, as far as it shows without compiling it. */
export function stateIssues(schema: JsonObject, source: Source): Issue[] {
  const issues: Issue[] = [];
  const draft = schema['$schema'];
  if (draft !== undefined && draft !== DRAFT)
    issues.push(fault(source, `${ROOT}/$schema`, `only ${DRAFT} is supported`));
  if ((schema['type'] ?? 'object') !== 'object')
    issues.push(fault(source, `${ROOT}/type`, 'the state must be an object'));
  rewrite(schema, ROOT, false, (node, path) => {
    issues.push(...nodeIssues(node, path, source));
    return node;
  });
  return issues;
}

/**
 * What of `initial` does not fit the schema in normal form, or why that cannot be compiled. May restore text in `initial`
 * (see `settle`).
 */
export function initialIssues(schema: JsonObject, initial: JsonObject, source: Source): Issue[] {
  const compiled = compiledState(schema);
  if (typeof compiled === 'string') return [fault(source, ROOT, compiled)];
  return settle(compiled, initial, source, '/initial').map((issue) => ({
    ...issue,
    code: 'skill.initial' as const,
  }));
}

function compiledState(schema: JsonObject): ValidateFunction | string {
  try {
    return compileSchema(schema);
  } catch (error) {
    if (error instanceof RangeError) return CIRCLE;
    return error instanceof Error ? error.message : String(error);
  }
}

/** A schema's depth is limited, so the compiler runs out of stack on references alone. */
const CIRCLE =
  'a $ref leads back to itself with nothing between: it must end at a schema that says something';

/** Rebuilds a schema from the inside out. The schema is within the depth limit. */
function rewrite(schema: JsonObject, path: Pointer, open: boolean, visit: Visit): JsonObject {
  const next: Record<string, Json> = { ...schema };
  const step = (value: Json, segments: (string | number)[], inner: boolean): Json =>
    isObject(value) ? rewrite(value, path + formatPointer(segments), inner, visit) : value;
  for (const [keyword, value] of Object.entries(schema)) {
    const inner = open || LOGIC.has(keyword) || (ALTERNATIVES.has(keyword) && 'properties' in schema);
    if (ONE.includes(keyword)) next[keyword] = step(value, [keyword], inner);
    else if (LIST.includes(keyword) && Array.isArray(value)) {
      next[keyword] = (value as readonly Json[]).map((item, i) => step(item, [keyword, i], inner));
    } else if (MAP.includes(keyword) && isObject(value)) {
      const members = Object.entries(value).map(
        ([key, item]) => [key, step(item, [keyword, key], inner)] as const,
      );
      next[keyword] = Object.fromEntries(members);
    }
  }
  return visit(next, path, open);
}

const LOGIC: ReadonlySet<string> = new Set([
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'contains',
]);
const ALTERNATIVES: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);

function usesAllOf(schema: JsonObject): boolean {
  let found = false;
  rewrite(schema, '', false, (node) => {
    found ||= 'allOf' in node;
    return node;
  });
  return found;
}

/** What has members is an object, what has items is a list: without a `type` the schema would also allow any text. */
function typed(node: JsonObject): JsonObject {
  if (
    ['type', 'enum', 'const', '$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'].some(
      (keyword) => keyword in node,
    )
  )
    return node;
  if ('properties' in node || 'additionalProperties' in node) return { ...node, type: 'object' };
  return 'items' in node || 'prefixItems' in node ? { ...node, type: 'array' } : node;
}

function closed(node: JsonObject): JsonObject {
  const says = [
    'additionalProperties',
    'unevaluatedProperties',
    'patternProperties',
    'allOf',
    'anyOf',
    'oneOf',
    '$ref',
  ];
  return isObject(node['properties']) && !says.some((keyword) => keyword in node)
    ? { ...node, additionalProperties: false }
    : node;
}

function ordered(node: JsonObject): JsonObject {
  const { 'x-order': wanted, ...rest } = node;
  if (!isObject(node['properties']) || (wanted !== undefined && !isNames(wanted))) return node;
  const declared = Object.keys(node['properties']);
  const order = [...new Set([...(wanted ?? []), ...declared])];
  const sorted = order.every((key, i) => i === 0 || byCodePoint(order[i - 1] as string, key) < 0);
  return sorted ? rest : { ...rest, 'x-order': order };
}

function withoutIntegerBounds(node: JsonObject): JsonObject {
  const next: Record<string, Json> = { ...node };
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete next['minimum'];
  if (node['maximum'] === Number.MAX_SAFE_INTEGER) delete next['maximum'];
  return next;
}
