import { compileExpression } from '../json/expression.ts';
import { canonicalJson, sha256 } from '../json/text.ts';
import type { Action, Intent, Json, JsonObject, ToolSpec } from '../types.ts';

/** What an approval and the journal bind to: SHA-256 over the RFC 8785 text of tool and arguments. */
export function actionHash(action: Action): string {
  return sha256(canonicalJson(action as unknown as Json));
}

/**
 * The idempotency key of a call: from run, step and arguments, or from the business key that the tool declares, so
 * that a later re-create of the same thing meets the first (R11). Unchanged on retries.
 */
export function idempotencyKey(run: string, step: number, action: Action, tool: ToolSpec): string {
  const from = tool.declaration.key?.from;
  const business = from === undefined ? undefined : evaluated(from, action.args);
  const subject: Json =
    business === undefined ? { run, step, ...action } : { tool: action.tool, key: business };
  return sha256(canonicalJson(subject)).slice(0, 32);
}

function evaluated(source: string, args: JsonObject): Json | undefined {
  const expression = compileExpression(source);
  if (!expression.ok) return undefined;
  const result = expression.value.evaluate({ args });
  return result.ok && result.value !== null ? result.value : undefined;
}

/** The intent to run `action`, to be committed before the tool starts (R10). */
export function createIntent(
  run: string,
  step: number,
  action: Action,
  tool: ToolSpec,
  pending: JsonObject | null,
  now: number,
): Intent {
  return {
    call: `c${step}`,
    step,
    action,
    key: idempotencyKey(run, step, action, tool),
    hash: actionHash(action),
    readOnly: tool.readOnly,
    repeatable: tool.readOnly || tool.idempotent || tool.declaration.key !== undefined,
    startedAt: now,
    deadline: now + tool.timeoutMs,
    pending,
    unknown: false,
  };
}
