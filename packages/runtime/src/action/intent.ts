import { compileExpression } from '../json/expression.ts';
import { canonicalJson, sha256 } from '../json/text.ts';
import type { Action, Intent, Json, JsonObject, ToolSpec } from '../types.ts';

/** What an approval and the journal bind to: SHA-256 over the RFC 8785 text of tool and arguments. */
export function actionHash(action: Action): string {
  return sha256(canonicalJson(action as unknown as Json));
}

/**
 * The idempotency key that the tool declares over the arguments, so that a later re-create of the same thing meets the
 * first (R11); null where it declares none.
 */
export function businessKey(action: Action, tool: ToolSpec): string | null {
  const from = tool.declaration.key?.from;
  const key = from === undefined ? undefined : evaluated(from, action.args);
  return key === undefined ? null : sha256(canonicalJson({ tool: action.tool, key })).slice(0, 32);
}

function evaluated(source: string, args: JsonObject): Json | undefined {
  const expression = compileExpression(source);
  if (!expression.ok) return undefined;
  const result = expression.value.evaluate({ args });
  return result.ok && result.value !== null ? result.value : undefined;
}

/**
 * The intent to run `action`, to be committed before the tool starts (R10). Its idempotency key is the business key, or one
 * of run, step, tool and arguments: unchanged on retries, new for a new call.
 */
export function createIntent(
  run: string,
  step: number,
  action: Action,
  tool: ToolSpec,
  pending: JsonObject | null,
  now: number,
): Intent {
  const hash = actionHash(action);
  return {
    call: `c${step}`,
    step,
    action,
    key: businessKey(action, tool) ?? sha256(`${run}\n${step}\n${hash}`).slice(0, 32),
    hash,
    readOnly: tool.readOnly,
    repeatable: tool.readOnly || tool.idempotent || tool.declaration.key !== undefined,
    startedAt: now,
    deadline: now + tool.timeoutMs,
    pending,
    unknown: false,
  };
}
