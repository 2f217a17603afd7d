import { checkJson } from '../json/parse.ts';
import { wellFormed } from '../json/wellformed.ts';
import { compileExpression } from '../json/expression.ts';
import type { Intent, Json, JsonObject, Tool, ToolResult } from '../types.ts';
import { checkOutput } from './check.ts';

/** Longest text that a tool's result keeps; beyond it the text ends with a note. */
const RESULT_BYTES = 64 * 1024 * 1024;
/** A longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Runs a journalled intent. Always resolves: a thrown error or a missed deadline is `unknown` for an effect (it may
 * have happened) and `error` for a read. The signal is aborted at the deadline, so that the tool can cancel. Where `outer`
 * was aborted before, the tool is not started; only a call that may have run earlier (a repeat) is `unknown` then.
 */
export async function perform(
  tool: Tool,
  intent: Intent,
  run: string,
  outer: AbortSignal,
  now: () => number,
): Promise<ToolResult> {
  const failed = intent.readOnly ? 'error' : 'unknown';
  if (outer.aborted)
    return {
      status: intent.repeatable ? failed : 'error',
      text: 'not run: the runtime was stopped before it began',
    };
  const patience = Math.min(Math.max(1, intent.deadline - now()), LONGEST_TIMER);
  const stop = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const end = (why: unknown): void => {
    stopped.reject(why instanceof Error ? why : new Error('cancelled'));
    stop.abort(why);
  };
  const cancel = (): void => end(outer.reason);
  // One listener, taken away again: `AbortSignal.any` would leave something of every call with `outer`.
  outer.addEventListener('abort', cancel, { once: true });
  const timeout = setTimeout(() => end(new Error(`no answer after ${patience} ms`)), patience);
  try {
    const { action, key, step, deadline } = intent;
    const args = withKeyArgument(tool, action.args, key);
    const work = tool.run({ args, key, run, step, signal: stop.signal, deadline });
    return accepted(tool, await Promise.race([work, stopped.promise]));
  } catch (error) {
    stopped.promise.catch(() => undefined);
    const text = error instanceof Error ? error.message : String(error);
    return { status: failed, text: wellFormed(text.slice(0, RESULT_BYTES)) };
  } finally {
    clearTimeout(timeout);
    outer.removeEventListener('abort', cancel);
  }
}

function withKeyArgument(tool: Tool, args: JsonObject, key: string): JsonObject {
  const declared = tool.declaration.key;
  return declared?.in === 'argument' ? { ...args, [declared.name]: key } : args;
}

/** The boundary of tool results: well-formed text, checked JSON, the declared failure rule and output schema. */
function accepted(tool: Tool, result: ToolResult): ToolResult {
  const text = wellFormed(
    result.text.length > RESULT_BYTES ? `${result.text.slice(0, RESULT_BYTES)}\n[cut]` : result.text,
  );
  if (result.structured === undefined) return judged(tool, { ...result, text }, undefined);
  const checked = checkJson(result.structured);
  if (checked.ok) return judged(tool, { ...result, text, structured: checked.value }, checked.value);
  const { structured: _, ...rest } = result;
  const why = checked.issues.map((issue) => `${issue.path}: ${issue.hint}`).join('; ');
  return {
    ...rest,
    status: tool.readOnly ? 'error' : 'unknown',
    text: `${text}\n[structured result refused: ${why}]`,
  };
}

function judged(tool: Tool, result: ToolResult, structured: Json | undefined): ToolResult {
  if (result.status !== 'ok') return result;
  if (declaredFailure(tool, result, structured)) return { ...result, status: 'error' };
  const issues = checkOutput(tool, structured);
  if (issues.length === 0) return result;
  const why = issues.map((issue) => issue.hint).join('; ');
  return {
    ...result,
    status: tool.readOnly ? 'error' : 'unknown',
    text: `${result.text}\n[result not usable: ${why}]`,
  };
}

function declaredFailure(tool: Tool, result: ToolResult, structured: Json | undefined): boolean {
  const rule = tool.declaration.failure;
  if (rule === undefined) return false;
  const expression = compileExpression(rule);
  return expression.ok && expression.value.holds({ text: result.text, result: structured ?? null });
}
