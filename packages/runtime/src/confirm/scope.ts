import { compileExpression } from '../json/expression.ts';
import { parseJson } from '../json/parse.ts';
import { isObject } from '../state/shape.ts';
import type { ConfirmationSpec, Issue, Json, JsonObject, Pointer, Result, ToolResult } from '../types.ts';
import { formatPointer, parsePointer } from '../json/pointer.ts';

/** What a confirmation may speak of: the call, what came of it, and Σ. */
export type CallFacts = { readonly args: JsonObject; readonly result: Json; readonly state: JsonObject };

/** Names of a CEL scope and their values. */
export type Scope = Readonly<Record<string, Json>>;

/** Names that a read may not take. */
export const TAKEN: ReadonlySet<string> = new Set(['args', 'result', 'state', 'age']);

/**
 * A tool's result as expressions see it: the structured result, else the text as JSON where it is an object or a list, else
 * the text. A failed one is an object whose `error` says why.
 */
export function resultValue(result: ToolResult): Json {
  const value = result.structured ?? jsonOf(result.text);
  if (result.status === 'ok') return value;
  return {
    ...(isObject(value) ? value : {}),
    error: isObject(value) && value['error'] ? value['error'] : result.text,
  };
}

function jsonOf(text: string): Json {
  if (!/^\s*[[{]/.test(text)) return text;
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : text;
}

/** The value of an expression, or a `confirm.*` issue at `path`. */
export function evaluate(source: string, scope: Scope, path: Pointer): Result<Json> {
  const expression = compileExpression(source);
  const value = expression.ok ? expression.value.evaluate(scope) : expression;
  if (value.ok) return value;
  return { ok: false, issues: value.issues.map(({ hint }) => ({ code: 'confirm.expression', path, hint })) };
}

/** Arguments of a read: members that start with `=` are expressions, the rest stands as it is; the bypass goes over them. */
export function readArguments(
  read: ConfirmationSpec['reads'][number],
  scope: Scope,
  path: Pointer,
): Result<JsonObject> {
  const args: Record<string, Json> = {};
  const issues: Issue[] = [];
  for (const [name, value] of Object.entries(read.args)) {
    const said = orExpression(value, scope, `${path}/args${formatPointer([name])}`);
    if (said.ok) args[name] = said.value;
    else issues.push(...said.issues);
  }
  return issues.length > 0 ? { ok: false, issues } : { ok: true, value: { ...args, ...read.bypass } };
}

/** A literal, or the value of the expression behind a leading `=`. */
export function orExpression(value: Json, scope: Scope, path: Pointer): Result<Json> {
  return typeof value === 'string' && value.startsWith('=')
    ? evaluate(value.slice(1), scope, path)
    : { ok: true, value };
}

/** The pointer that a template such as `/articles/=args.id` means. */
export function fillPath(template: Pointer, scope: Scope): Result<Pointer> {
  const segments: (string | number)[] = [];
  for (const segment of parsePointer(template) ?? []) {
    const said = orExpression(segment, scope, '/set/path');
    if (!said.ok) return said;
    if ((typeof said.value !== 'string' && typeof said.value !== 'number') || said.value === '') {
      const hint = `${segment} must give a name or a number, got ${JSON.stringify(said.value).slice(0, 80)}`;
      return { ok: false, issues: [{ code: 'confirm.path', path: '/set/path', hint }] };
    }
    segments.push(said.value);
  }
  return { ok: true, value: formatPointer(segments) };
}
