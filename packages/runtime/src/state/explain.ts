import type { ErrorObject } from 'ajv/dist/2020.js';
import { nearest } from '../json/nearest.ts';
import { getAt, parsePointer } from '../json/pointer.ts';
import type { Issue, Json, JsonObject, Pointer } from '../types.ts';
import type { Contract } from './contract.ts';
import { ANY, type Field, itemField, memberField } from './field.ts';
import { isObject } from './shape.ts';
import { got, join, show, wanted } from './show.ts';

/** Most issues that one patch is given; the rest would be noise to a model. */
const MOST_ISSUES = 20;

/** Validates a whole candidate state: every problem once, as `schema.*` or `bound.field`, with what was wanted and what came. */
export function schemaIssues(contract: Contract, candidate: JsonObject): readonly Issue[] {
  if (contract.validate(candidate)) return [];
  const errors = withoutBranchNoise(contract.validate.errors ?? []);
  const unique = new Map<string, Issue>();
  for (const error of errors) {
    const issue = explain(contract, candidate, error);
    if (issue !== null) unique.set(`${issue.code} ${issue.path}`, issue);
  }
  const issues = [...unique.values()];
  return issues.length > MOST_ISSUES ? issues.slice(0, MOST_ISSUES) : issues;
}

/** The field at a place of a value; ANY where the contract says nothing. */
export function fieldAt(contract: Contract, path: Pointer, candidate: Json): Field {
  let field = contract.root;
  let here: Json | undefined = candidate;
  for (const segment of parsePointer(path) ?? []) {
    const list = Array.isArray(here);
    field = list ? itemField(field) : (memberField(field, segment) ?? ANY);
    here = here === undefined ? undefined : getAt(here, [segment]);
  }
  return field;
}

/**
 * ajv reports the failure of every branch of `anyOf`, then the `anyOf` itself. Where a branch fails below the place (or by
 * more than its type), its errors say what to do; else the union of wanted types does.
 */
function withoutBranchNoise(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  let kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') {
      kept.push(error);
      continue;
    }
    const place = error.instancePath;
    const inside = (one: ErrorObject): boolean =>
      one.instancePath === place || one.instancePath.startsWith(`${place}/`);
    const branches = kept.filter(inside);
    const telling = branches.filter((one) => one.instancePath !== place || !isTypeError(one));
    kept = kept.filter((one) => !inside(one));
    kept.push(...(telling.length > 0 ? bestBranch(telling, place) : [{ ...error, keyword: 'type' }]));
  }
  return kept;
}

function isTypeError(error: ErrorObject): boolean {
  return error.keyword === 'type' || error.keyword === 'const' || error.keyword === 'enum';
}

/** Of alternatives told apart by a constant, those whose constant fits; a branch is known by the schema it stands in. */
function bestBranch(errors: readonly ErrorObject[], place: Pointer): readonly ErrorObject[] {
  const branchOf = (error: ErrorObject): string =>
    /^.*?(?:anyOf|oneOf)\/\d+|^#\/\$defs\/[^/]+/.exec(error.schemaPath)?.[0] ?? '';
  const depth = place.split('/').length;
  const wrong = new Set(
    errors
      .filter((error) => error.keyword === 'const' && error.instancePath.split('/').length === depth + 1)
      .map(branchOf),
  );
  const rest = errors.filter((error) => !wrong.has(branchOf(error)));
  return rest.length > 0 ? rest : errors;
}

function explain(contract: Contract, candidate: JsonObject, error: ErrorObject): Issue | null {
  const path = error.instancePath;
  const value = getAt(candidate, path);
  const params = error.params as Readonly<Record<string, Json>>;
  const field = fieldAt(contract, path, candidate);
  switch (error.keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return extraKey(field, path, keyOf(params, 'additionalProperty', 'unevaluatedProperty'), value);
    case 'required':
      return missing(field, path, keyOf(params, 'missingProperty'));
    case 'type':
      return issue('type', path, `wanted ${wanted(field)}, got ${got(value)}${typeAdvice(field, value)}`);
    case 'enum':
    case 'const':
      return issue('enum', path, enumHint(params, value));
    case 'maxItems':
    case 'maxLength':
    case 'maxProperties':
      return full(error.keyword, path, Number(params['limit']), value);
    case 'if':
    case 'propertyNames':
    case 'dependentSchemas':
      return error.keyword === 'propertyNames'
        ? issue(
            'key_name',
            join(path, keyOf(params, 'propertyName')),
            'the key does not fit the pattern of keys here',
          )
        : null;
    default:
      return issue(
        codes[error.keyword] ?? 'other',
        path,
        `${(error.message ?? error.keyword).replace(/^must be /, 'wanted ')}, got ${got(value)}`,
      );
  }
}

const codes: Readonly<Record<string, string>> = {
  pattern: 'pattern',
  format: 'format',
  uniqueItems: 'unique',
  minimum: 'range',
  maximum: 'range',
  exclusiveMinimum: 'range',
  exclusiveMaximum: 'range',
  multipleOf: 'range',
  minLength: 'range',
  minItems: 'range',
  minProperties: 'range',
};

function issue(name: string, path: Pointer, hint: string): Issue {
  return { code: `schema.${name}`, path, hint };
}

/** An undeclared key; one that the contract knows is an echo of a failed branch and already reported. */
function extraKey(field: Field, path: Pointer, key: string, holder: Json | undefined): Issue | null {
  if (memberField(field, key) !== null && field.properties.has(key)) return null;
  return unknownKey(field, path, key, isObject(holder) ? holder[key] : undefined);
}

/** `unknown key task_result, did you mean result?` (P16), and what to do where the patch was wrapped once more. */
export function unknownKey(field: Field, path: Pointer, key: string, value: Json | undefined): Issue {
  const known = [...field.properties.keys()];
  const close = nearest(key, known);
  const hints = [close === null ? `unknown key ${key}` : `unknown key ${key}, did you mean ${close}?`];
  const inner = isObject(value) ? Object.keys(value) : [];
  if (inner.length > 0 && inner.every((one) => memberField(field, one) !== null)) {
    hints.push(`its members belong here: leave out the wrapper ${key}`);
  } else if (close === null) {
    hints.push(
      known.length === 0 ? 'no keys are allowed here' : `known keys: ${known.slice(0, 20).join(', ')}`,
    );
  }
  return issue('unknown_key', join(path, key), hints.join('; '));
}

function missing(field: Field, path: Pointer, key: string): Issue {
  const below = memberField(field, key) ?? ANY;
  return issue('required', join(path, key), `wanted ${wanted(below)}, got nothing: ${key} is required`);
}

function typeAdvice(field: Field, value: Json | undefined): string {
  if (value === undefined) return '';
  if (field.types.has('array') && !Array.isArray(value) && value !== null)
    return '; send a list, also for one item';
  if (field.types.has('string') && typeof value === 'number') return `; send it as text: "${value}"`;
  return '';
}

function enumHint(params: Readonly<Record<string, Json>>, value: Json | undefined): string {
  const allowed = (params['allowedValues'] ?? [params['allowedValue'] ?? null]) as readonly Json[];
  const text =
    typeof value === 'string'
      ? nearest(
          value,
          allowed.filter((one) => typeof one === 'string'),
        )
      : null;
  const shown = allowed.slice(0, 20).map((one) => show(one));
  const advice = text === null ? '' : `; did you mean ${show(text)}?`;
  return `wanted ${shown.length > 1 ? 'one of ' : ''}${shown.join(', ')}, got ${got(value)}${advice}`;
}

function full(keyword: string, path: Pointer, limit: number, value: Json | undefined): Issue {
  const size = Array.isArray(value)
    ? value.length
    : isObject(value)
      ? Object.keys(value).length
      : typeof value === 'string'
        ? codePoints(value)
        : 0;
  const unit = { maxItems: 'items', maxLength: 'characters', maxProperties: 'keys' }[keyword];
  const advice = keyword === 'maxLength' ? 'shorten it' : 'remove some in the same patch, or write fewer';
  return { code: 'bound.field', path, hint: `at most ${limit} ${unit}, this would be ${size}: ${advice}` };
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function keyOf(params: Readonly<Record<string, Json>>, ...names: readonly string[]): string {
  const found = names.map((name) => params[name]).find((key) => typeof key === 'string');
  return typeof found === 'string' ? found : '';
}
