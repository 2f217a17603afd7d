import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { FORMATS } from '../state/formats.ts';
import type { CheckSpec, Issue, Json, JsonObject, Pointer } from '../types.ts';
import { type BuiltinCheck, runBuiltin } from './builtin-check.ts';
import { evaluate, orExpression, type Scope } from './scope.ts';

/** Every check that does not hold, with what was wanted and what was got. Pure; all at once. */
export function failedChecks(checks: readonly CheckSpec[], scope: Scope): readonly Issue[] {
  return checks.flatMap((check, index) => {
    const path = `/checks/${index}`;
    if ('cel' in check) return celIssues(check, scope, path);
    return 'schema' in check ? schemaIssues(check, scope, path) : builtinIssues(check, scope, path);
  });
}

/** All CEL of a check. */
export function sourcesOf(check: CheckSpec): readonly string[] {
  if ('cel' in check) return [check.cel];
  if ('schema' in check) return [check.on];
  return typeof check.want === 'string' && check.want.startsWith('=')
    ? [check.of, check.want.slice(1)]
    : [check.of];
}

function celIssues({ cel, hint }: Extract<CheckSpec, { cel: string }>, scope: Scope, path: Pointer): Issue[] {
  const said = evaluate(cel, scope, path);
  if (said.ok && said.value === true) return [];
  const why = said.ok ? seen(cel, scope) : (said.issues[0]?.hint ?? '');
  return [{ code: 'confirm.check', path, hint: why === '' ? hint : `${hint} (${why})` }];
}

/** The values of the members that an expression names: `read.status is "draft"`. */
function seen(cel: string, scope: Scope): string {
  const names = new Set(
    cel.replaceAll(/"[^"]*"|'[^']*'/g, '""').match(/\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b(?!\()/g) ?? [],
  );
  const known = [...names]
    .filter((name) => Object.hasOwn(scope, name.split('.', 1)[0] as string))
    .slice(0, 4);
  return known
    .map((name) => {
      const value = evaluate(name, scope, '');
      return `${name} is ${value.ok ? show(value.value) : 'missing'}`;
    })
    .join(', ');
}

function schemaIssues(
  check: Extract<CheckSpec, { schema: JsonObject }>,
  scope: Scope,
  path: Pointer,
): Issue[] {
  const value = evaluate(check.on, scope, path);
  if (!value.ok)
    return [{ code: 'confirm.check', path, hint: `${check.hint}: ${value.issues[0]?.hint ?? check.on}` }];
  const validate = validatorOf(check.schema);
  if (typeof validate === 'string')
    return [{ code: 'confirm.check', path, hint: `${check.hint}: ${validate}` }];
  if (validate(value.value)) return [];
  return (validate.errors ?? []).slice(0, 8).map(({ instancePath, message, keyword }) => {
    const got = show(at(value.value, instancePath));
    return {
      code: 'confirm.check',
      path,
      hint: `${check.hint}: ${check.on}${instancePath} ${message ?? keyword}, got ${got}`,
    };
  });
}

function at(value: Json, pointer: string): Json | undefined {
  let here: Json | undefined = value;
  for (const segment of pointer.split('/').slice(1)) {
    if (here === null || typeof here !== 'object') return undefined;
    here = (here as JsonObject)[segment.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return here;
}

function builtinIssues(
  check: Extract<CheckSpec, { is: BuiltinCheck }>,
  scope: Scope,
  path: Pointer,
): Issue[] {
  const want = orExpression(check.want, scope, path);
  if (!want.ok)
    return [{ code: 'confirm.check', path, hint: `${check.hint}: ${want.issues[0]?.hint ?? ''}` }];
  const found = evaluate(check.of, scope, path);
  const fault = runBuiltin(check.is, found.ok ? found.value : undefined, want.value);
  if (fault === null) return [];
  const { wanted, got } = fault;
  return [
    {
      code: 'confirm.check',
      path,
      hint: `${check.hint}: wanted ${wanted}, got ${got ?? show(found.ok ? found.value : undefined)}`,
    },
  ];
}

/** A value in at most about 160 characters. */
export function show(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= 160 ? text : `${text.slice(0, 140).toWellFormed()}… (${text.length} characters)`;
}

const COMPILED = new WeakMap<JsonObject, ValidateFunction | string>();

/** A validator, or why the schema is none. Compiled once for each schema object. */
export function validatorOf(schema: JsonObject): ValidateFunction | string {
  const known = COMPILED.get(schema);
  if (known !== undefined) return known;
  let made: ValidateFunction | string;
  try {
    made = new Ajv2020({ allErrors: true, strict: false, formats: { ...FORMATS }, logger: false }).compile(
      schema,
    );
  } catch (error) {
    made = error instanceof Error ? error.message : String(error);
  }
  COMPILED.set(schema, made);
  return made;
}
