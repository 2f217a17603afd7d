import type { ValidateFunction } from 'ajv/dist/2020.js';
import { formatPointer } from '../json/pointer.ts';
import type { Issue, Json, JsonObject, Pointer } from '../types.ts';
import { missing, settle, strange } from './explain.ts';
import { FORMAT_SCHEMA } from './format.ts';
import { compileWithDefaults } from './schema.ts';
import { isObject } from './short.ts';
import type { Source } from './source.ts';

/** Objects below the document whose members are checked one by one, too: theirs are the largest parts of the format. */
const OPENED: ReadonlySet<Pointer> = new Set(['/actions']);
const COMPILED = new Map<Pointer, ValidateFunction>();

/**
 * `settle` for a document in the format of SKILL.state.yaml, member by member, so that only what a document uses is
 * compiled: the whole format takes 20 ms and more. Changes `document` as `settle` does.
 */
export function settleFormat(document: Record<string, Json>, source: Source): Issue[] {
  return settleParts(FORMAT_SCHEMA, document, source, '');
}

/** For an object that knows its keys: `properties` with their defaults, and `required`. */
function settleParts(
  schema: JsonObject,
  document: Record<string, Json>,
  source: Source,
  path: Pointer,
): Issue[] {
  const parts = schema['properties'] as Readonly<Record<string, JsonObject>>;
  const known = Object.keys(parts);
  const issues = (schema['required'] as readonly string[])
    .filter((key) => !Object.hasOwn(document, key))
    .map((key) => missing(source, path, key));
  for (const key of Object.keys(document))
    if (!known.includes(key)) issues.push(strange(source, path, key, known));
  for (const [key, part] of Object.entries(parts)) {
    const value = document[key];
    const at = path + formatPointer([key]);
    if (value === undefined) addDefault(document, key, part);
    else if (OPENED.has(at) && isObject(value)) issues.push(...settleParts(part, value, source, at));
    else issues.push(...settleMember(document, key, part, source, path));
  }
  return issues;
}

/** The member alone in an object, as text that was read as a number is put back there. */
function settleMember(
  document: Record<string, Json>,
  key: string,
  part: JsonObject,
  source: Source,
  path: Pointer,
): Issue[] {
  const at = path + formatPointer([key]);
  const validate = COMPILED.get(at) ?? compileWithDefaults({ type: 'object', properties: { [key]: part } });
  COMPILED.set(at, validate);
  const alone: Record<string, Json> = { [key]: document[key] as Json };
  const issues = settle(validate, alone, source, path);
  document[key] = alone[key] as Json;
  return issues;
}

function addDefault(document: Record<string, Json>, key: string, part: JsonObject): void {
  const value = part['default'];
  if (value === undefined) return;
  const filled = structuredClone(value) as Json;
  document[key] = filled;
  if (!isObject(filled) || !isObject(part['properties'])) return;
  for (const [name, below] of Object.entries(part['properties']))
    if (!Object.hasOwn(filled, name)) addDefault(filled as Record<string, Json>, name, below as JsonObject);
}
