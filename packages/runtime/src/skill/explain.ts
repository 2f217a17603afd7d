import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import { nearest } from '../json/nearest.ts';
import { formatPointer, getAt, parsePointer } from '../json/pointer.ts';
import { promptJson } from '../json/text.ts';
import type { Issue, Json, JsonObject, Pointer } from '../types.ts';
import { skillIssue } from './issue.ts';
import type { Source } from './source.ts';

/**
 * Checks a document and says everything that is wrong with it. Where text was wanted and an unquoted YAML scalar came
 * (`version: 1.10`), the text as written is put in its place. Changes `document`: that, and the schema's defaults.
 */
export function settle(
  validate: ValidateFunction,
  document: Json,
  source: Source,
  base: Pointer = '',
): Issue[] {
  if (validate(document)) return [];
  const wanted = (validate.errors ?? []).filter((error) => wantsText(error));
  const restored = wanted.filter((error) =>
    restoreText(document, error.instancePath, source.plain(base + error.instancePath)),
  );
  if (restored.length > 0 && validate(document)) return [];
  return distinct(joined(validate.errors ?? []).flatMap((error) => explain(error, document, source, base)));
}

function wantsText(error: ErrorObject): boolean {
  const type: unknown = error.params['type'];
  return error.keyword === 'type' && (type === 'string' || (Array.isArray(type) && type.includes('string')));
}

function restoreText(document: Json, path: Pointer, text: string | null): boolean {
  const segments = parsePointer(path) ?? [];
  const last = segments.pop();
  const parent = getAt(document, segments);
  if (text === null || last === undefined || parent === null || typeof parent !== 'object') return false;
  (parent as Record<string, Json>)[last] = text;
  return true;
}

const CHOICE: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);
const FORM: ReadonlySet<string> = new Set(['type', 'enum', 'const']);

/**
 * The errors of a value for which a schema gives a choice, as few as say it: what is wrong inside it where something is, else
 * all that it may be, in one message.
 */
function joined(errors: readonly ErrorObject[]): ErrorObject[] {
  const choices = new Set(
    errors.filter((error) => CHOICE.has(error.keyword)).map((error) => error.instancePath),
  );
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    const path = error.instancePath;
    const inside = errors.some((other) => other.instancePath.startsWith(`${path}/`));
    if (
      CHOICE.has(error.keyword) &&
      errors.some((other) => other !== error && other.instancePath.startsWith(path))
    ) {
      continue;
    }
    if (!choices.has(path) || !FORM.has(error.keyword)) kept.push(error);
    else if (!inside && !kept.some((other) => other.instancePath === path)) kept.push(oneOfAll(errors, path));
  }
  return kept;
}

function oneOfAll(errors: readonly ErrorObject[], path: Pointer): ErrorObject {
  const forms = errors.filter((error) => error.instancePath === path && FORM.has(error.keyword));
  const message = [...new Set(forms.map(wanted))].join(', or ');
  return { ...(forms[0] as ErrorObject), keyword: 'choice', message };
}

function distinct(issues: readonly Issue[]): Issue[] {
  return [...new Map(issues.map((issue) => [`${issue.code} ${issue.path} ${issue.hint}`, issue])).values()];
}

function explain(error: ErrorObject, document: Json, source: Source, base: Pointer): Issue[] {
  const here = base + error.instancePath;
  if (error.keyword === 'additionalProperties') {
    return [strange(source, here, String(error.params['additionalProperty']), knownKeys(error))];
  }
  if (error.keyword === 'required') return [missing(source, here, String(error.params['missingProperty']))];
  if (error.keyword === 'if') return [];
  const came = getAt(document, error.instancePath);
  const hint = `${source.where(here)}${wanted(error)}; got ${came === undefined ? 'nothing' : short(came)}`;
  return [skillIssue('value', here, hint)];
}

/** A key below `here` that nobody knows. */
export function strange(source: Source, here: Pointer, key: string, known: readonly string[]): Issue {
  const path = here + formatPointer([key]);
  return skillIssue('unknown_key', path, source.where(path) + unknownKey(key, known));
}

/** A key below `here` that must be there. */
export function missing(source: Source, here: Pointer, key: string): Issue {
  const path = here + formatPointer([key]);
  return skillIssue('missing_key', path, `${source.where(path)}${key} is missing`);
}

function wanted(error: ErrorObject): string {
  if (error.keyword === 'enum')
    return `must be one of ${(error.params['allowedValues'] as Json[]).map(short).join(', ')}`;
  if (error.keyword === 'const') return `must be ${short(error.params['allowedValue'] as Json)}`;
  if (error.keyword === 'type') return `must be ${[error.params['type']].flat().map(typeName).join(' or ')}`;
  return error.message ?? error.keyword;
}

function typeName(type: unknown): string {
  const names: Record<string, string> = {
    string: 'text',
    object: 'a map',
    array: 'a list',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
  };
  return names[String(type)] ?? String(type);
}

function knownKeys(error: ErrorObject): string[] {
  const properties: unknown = (error.parentSchema as JsonObject | undefined)?.['properties'];
  return properties !== null && typeof properties === 'object' ? Object.keys(properties) : [];
}

/** `unknown key stesp; did you mean steps?`, or what there is. */
export function unknownKey(key: string, known: readonly string[]): string {
  const close = nearest(key, known);
  const shown = key.length <= 60 ? key : `${key.slice(0, 60)}…`;
  return `unknown key ${shown}; ${close === null ? `known are ${known.join(', ') || 'none'}` : `did you mean ${close}?`}`;
}

function short(value: Json): string {
  const text = promptJson(value);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
