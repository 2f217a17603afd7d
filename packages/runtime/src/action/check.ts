import { Ajv } from 'ajv';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { compileExpression } from '../json/expression.ts';
import { nearest } from '../json/nearest.ts';
import type { Action, Issue, Json, JsonObject, Result, ToolSpec } from '../types.ts';

const compiled = new WeakMap<JsonObject, ValidateFunction | Error>();

/** Drafts 4 to 7 share the older meaning of `items` and `definitions`; everything else is read as 2020-12. */
const OLDER = /^https?:\/\/json-schema\.org\/draft-0[4-7]\//;

/**
 * Compiles a JSON Schema once per schema object. Local and recursive `$ref`s resolve; nothing is inlined. What cannot be
 * compiled is refused; sloppy keywords of a server are let through, for the server checks its arguments itself, and the
 * meta-schema takes 30 ms to compile.
 */
function validatorOf(schema: JsonObject): ValidateFunction | Error {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  let result: ValidateFunction | Error;
  try {
    const { $schema: draft, ...rest } = schema;
    const options = {
      allErrors: true,
      strict: false,
      validateFormats: false,
      logger: false,
      meta: JSON.stringify(rest).includes('json-schema.org'),
      validateSchema: false,
    } as const;
    const ajv = typeof draft === 'string' && OLDER.test(draft) ? new Ajv(options) : new Ajv2020(options);
    result = ajv.compile(rest);
  } catch (error) {
    result = error instanceof Error ? error : new Error(String(error));
  }
  compiled.set(schema, result);
  return result;
}

/** Whether a tool's schemas can be used at all; the issue disables this one tool (P57). */
export function checkInputSchema(tool: ToolSpec, path: string): Issue | null {
  for (const schema of [tool.inputSchema, tool.outputSchema]) {
    const validator = schema === null ? null : validatorOf(schema);
    if (validator instanceof Error)
      return { code: 'action.tool_schema', path, hint: `${tool.name} is disabled: ${validator.message}` };
  }
  return null;
}

/**
 * Checks an action before anything runs: the tool is offered, the arguments fit its schema, no argument is invented,
 * and the declared preconditions hold over the candidate state. Integers and booleans sent as strings are converted
 * where that loses nothing. All problems at once, each under `/action/…`.
 */
export function checkAction(
  action: Action,
  tools: readonly ToolSpec[],
  state: JsonObject,
): Result<{ readonly action: Action; readonly remarks: readonly string[] }> {
  const tool = tools.find((spec) => spec.name === action.tool);
  if (tool === undefined) return { ok: false, issues: [unknownTool(action.tool, tools)] };
  const { args, remarks } = coerceArguments(action.args, tool.inputSchema);
  const issues = [...invented(args, tool), ...schemaIssues(args, tool)];
  if (issues.length > 0) return { ok: false, issues };
  const unmet = unmetPreconditions(tool, args, state);
  if (unmet.length > 0) return { ok: false, issues: unmet };
  return {
    ok: true,
    value: { action: args === action.args ? action : { tool: action.tool, args }, remarks },
  };
}

function unknownTool(name: string, tools: readonly ToolSpec[]): Issue {
  const names = tools.map((spec) => spec.name);
  const guess = nearest(name, names);
  const meant = guess === null ? '' : `, did you mean ${guess}?`;
  return {
    code: 'action.unknown_tool',
    path: '/action/tool',
    hint: `no tool ${JSON.stringify(name.slice(0, 80))}${meant} (tools: ${names.slice(0, 40).join(', ')})`,
  };
}

/** Arguments that the schema does not name, unless it says outright that others are welcome. */
function invented(args: JsonObject, tool: ToolSpec): Issue[] {
  const { properties, additionalProperties, patternProperties } = tool.inputSchema;
  if (
    patternProperties !== undefined ||
    (additionalProperties !== undefined && additionalProperties !== false)
  )
    return [];
  const names = properties !== null && typeof properties === 'object' ? Object.keys(properties) : [];
  if (properties === undefined && additionalProperties === undefined) return [];
  return Object.keys(args)
    .filter((key) => !names.includes(key))
    .map((key) => {
      const guess = nearest(key, names);
      const meant = guess === null ? '' : `, did you mean ${guess}?`;
      return {
        code: 'action.unknown_argument',
        path: `/action/args/${escapeSegment(key)}`,
        hint: `${tool.name} has no argument ${key}${meant} (arguments: ${names.join(', ') || 'none'})`,
      } as const;
    });
}

function schemaIssues(args: JsonObject, tool: ToolSpec): Issue[] {
  const validate = validatorOf(tool.inputSchema);
  if (validate instanceof Error)
    return [
      {
        code: 'action.tool_schema',
        path: '/action/tool',
        hint: `${tool.name} cannot be called: ${validate.message}`,
      },
    ];
  if (validate(args)) return [];
  const errors = (validate.errors ?? []).filter((error) => error.keyword !== 'additionalProperties');
  return errors.slice(0, 12).map((error) => argumentIssue(error, args));
}

function argumentIssue(error: ErrorObject, args: JsonObject): Issue {
  if (error.keyword === 'required') {
    const name = String((error.params as { missingProperty?: unknown }).missingProperty);
    const path = `/action/args${error.instancePath}/${escapeSegment(name)}`;
    return { code: 'action.missing_argument', path, hint: `argument ${name} is required` };
  }
  const got = valueAt(args, error.instancePath);
  const wanted =
    error.keyword === 'enum' ? `one of ${JSON.stringify(error.params['allowedValues'])}` : error.message;
  return {
    code: 'action.argument',
    path: `/action/args${error.instancePath}`,
    hint: `${wanted ?? error.keyword}; got ${JSON.stringify(got)?.slice(0, 120) ?? 'nothing'}`,
  };
}

function valueAt(value: Json, path: string): Json | undefined {
  let at: Json | undefined = value;
  for (const segment of path.split('/').slice(1)) {
    if (at === null || typeof at !== 'object') return undefined;
    at = (at as JsonObject)[segment.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return at;
}

function escapeSegment(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Top-level arguments only: `"6"` where an integer or number is wanted, `"true"` where a boolean is. */
function coerceArguments(args: JsonObject, schema: JsonObject): { args: JsonObject; remarks: string[] } {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonObject | undefined>>;
  const remarks: string[] = [];
  const changed: Record<string, Json> = {};
  for (const [key, value] of Object.entries(args)) {
    if (typeof value !== 'string') continue;
    const converted = lossless(value, properties[key]?.['type']);
    if (converted === undefined) continue;
    changed[key] = converted;
    remarks.push(`argument ${key}: ${JSON.stringify(value)} read as ${JSON.stringify(converted)}`);
  }
  return remarks.length === 0 ? { args, remarks } : { args: { ...args, ...changed }, remarks };
}

function lossless(text: string, type: Json | undefined): Json | undefined {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  if (type !== 'integer' && type !== 'number') return undefined;
  const value = Number(text);
  if (String(value) !== text || !Number.isFinite(value)) return undefined;
  return type === 'integer' && !Number.isSafeInteger(value) ? undefined : value;
}

function unmetPreconditions(tool: ToolSpec, args: JsonObject, state: JsonObject): Issue[] {
  return (tool.declaration.preconditions ?? []).flatMap(({ cel, hint }) => {
    const expression = compileExpression(cel);
    if (!expression.ok) return expression.issues;
    if (expression.value.holds({ state, args })) return [];
    return [{ code: 'action.precondition', path: '/action', hint } as const];
  });
}

/** Issues of a result that should fit the tool's declared output schema; empty where none is declared. */
export function checkOutput(tool: ToolSpec, structured: Json | undefined): readonly Issue[] {
  if (tool.outputSchema === null) return [];
  const path = '/result';
  if (structured === undefined)
    return [
      {
        code: 'action.output',
        path,
        hint: `${tool.name} declares an output schema and returned no structured result`,
      },
    ];
  const validate = validatorOf(tool.outputSchema);
  if (validate instanceof Error || validate(structured)) return [];
  return (validate.errors ?? []).slice(0, 5).map((error) => ({
    code: 'action.output',
    path: `${path}${error.instancePath}`,
    hint: `${tool.name} returned what its output schema does not allow: ${error.message ?? error.keyword}`,
  }));
}
