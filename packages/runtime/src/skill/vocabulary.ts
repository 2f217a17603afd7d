import type { Json } from '../types.ts';
import { STATE_KEYWORDS } from './schema.ts';
import { isObject } from './short.ts';

/** Keywords whose value is a schema, a list of schemas, or a map of schemas. */
export const ONE = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];
export const LIST = ['prefixItems', 'allOf', 'anyOf', 'oneOf'];
export const MAP = ['properties', 'patternProperties', '$defs', 'dependentSchemas'];

type Values = { readonly keywords: readonly string[]; readonly wanted: string; fits(value: Json): boolean };

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

/** The meta-schema of draft 2020-12 as a table: to compile the schema itself takes 30 ms at every start. */
const VALUES: readonly Values[] = [
  { keywords: [...ONE, 'contentSchema'], wanted: 'a schema (a map, true or false)', fits: isSchema },
  {
    keywords: LIST,
    wanted: 'a list of schemas, not empty',
    fits: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  },
  {
    keywords: MAP,
    wanted: 'a map of schemas',
    fits: (value) => isObject(value) && Object.values(value).every(isSchema),
  },
  {
    keywords: words('$schema $id $ref $comment title description format contentEncoding contentMediaType'),
    wanted: 'text',
    fits: (value) => typeof value === 'string',
  },
  { keywords: ['pattern'], wanted: 'a regular expression', fits: isPattern },
  {
    keywords: words(
      'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties',
    ),
    wanted: 'a whole number, 0 or more',
    fits: (value) => Number.isInteger(value) && Number(value) >= 0,
  },
  {
    keywords: words('minimum maximum exclusiveMinimum exclusiveMaximum'),
    wanted: 'a number',
    fits: (value) => typeof value === 'number',
  },
  {
    keywords: ['multipleOf'],
    wanted: 'a number above 0',
    fits: (value) => typeof value === 'number' && value > 0,
  },
  {
    keywords: words('uniqueItems deprecated readOnly writeOnly'),
    wanted: 'true or false',
    fits: (value) => typeof value === 'boolean',
  },
  { keywords: ['required'], wanted: 'a list of different names (text)', fits: areNames },
  {
    keywords: ['dependentRequired'],
    wanted: 'a map of lists of different names (text)',
    fits: (value) => isObject(value) && Object.values(value).every(areNames),
  },
  { keywords: ['enum', 'examples'], wanted: 'a list', fits: (value) => Array.isArray(value) },
  {
    keywords: ['type'],
    wanted: `one of ${TYPES.join(', ')}, or a list of them`,
    fits: (value) => TYPES.includes(value as string) || (areNames(value) && isListOfTypes(value)),
  },
];

/** Every keyword that a state schema may use. */
export const KEYWORDS: readonly string[] = [
  ...VALUES.flatMap(({ keywords }) => keywords),
  'const',
  'default',
  ...STATE_KEYWORDS,
];

/** What is wrong with the value of a keyword of JSON Schema, without looking into schemas inside it; null: nothing. */
export function valueFault(keyword: string, value: Json): string | null {
  const kind = VALUES.find(({ keywords }) => keywords.includes(keyword));
  return kind === undefined || kind.fits(value) ? null : `${keyword} must be ${kind.wanted}`;
}

function words(text: string): readonly string[] {
  return text.split(' ');
}

function isSchema(value: Json): boolean {
  return typeof value === 'boolean' || isObject(value);
}

function areNames(value: Json): boolean {
  return (
    Array.isArray(value) &&
    value.every((name) => typeof name === 'string') &&
    new Set(value).size === value.length
  );
}

function isListOfTypes(value: Json): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((type) => TYPES.includes(type as string));
}

function isPattern(value: Json): boolean {
  if (typeof value !== 'string') return false;
  try {
    return new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
