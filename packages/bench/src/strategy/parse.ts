import {
  type Json,
  type JsonObject,
  type ModelReply,
  type ParsedReply,
  parseJson,
} from '@skillstate/runtime';
import type { Issue, Result, StrategyInput } from '@skillstate/runtime';
import { objectEnd } from './object-end.ts';

type Answer = ModelReply & { readonly ok: true };

/**
 * Reads a reply of A.1 and A.2: the last line `Action: <cmd>` is the action, all else is reasoning. Issues:
 * `syntax.truncated`, `syntax.no_action`, `model.refusal`.
 */
export function parseAction(reply: Answer, input: StrategyInput): Result<ParsedReply> {
  const read = readReply(reply);
  return read.ok ? parsed(read.value.command, read.value.reasoning, {}, input) : read;
}

/**
 * Reads a reply of A.3: as `parseAction`, and every `StateUpdate: {…}`, together a shallow merge: each key it names
 * replaces that top-level value whole. Through ⊕ that is `{"key": {"$set": value}}`; a null removes the key, as Σ has no
 * other use for it. Also `syntax.state_update`.
 */
export function parseStateUpdate(reply: Answer, input: StrategyInput): Result<ParsedReply> {
  const read = readReply(reply);
  const update = readUpdates(reply.text);
  if (!read.ok || !update.ok) {
    return { ok: false, issues: [...(read.ok ? [] : read.issues), ...(update.ok ? [] : update.issues)] };
  }
  return parsed(read.value.command, read.value.reasoning, shallow(update.value), input);
}

/** A shallow merge, as a patch of the deep ⊕. */
export function shallow(update: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(update).map(([key, value]) => [key, value === null ? null : { $set: value }]),
  );
}

const ACTION = /^[ \t>*_`]*Action[*_]*:[*_ \t]*(\S.*)$/gm;

function readReply({ text, finish }: Answer): Result<{ command: string; reasoning: string }> {
  if (finish === 'length')
    return refused('syntax.truncated', 'the output hit its length cap and was cut off; answer shorter');
  if (finish === 'refusal') return refused('model.refusal', 'the model refused to answer');
  const found = [...text.matchAll(ACTION)].at(-1);
  const command =
    found?.[1]
      ?.replace(/[*_`]+\s*$/, '')
      .replace(/^`+/, '')
      .trim() ?? '';
  if (found === undefined || command === '')
    return refused('syntax.no_action', "end the reply with one line 'Action: <cmd>'");
  return { ok: true, value: { command, reasoning: text.slice(0, found.index).trim() } };
}

const UPDATE = /StateUpdate[*_]*:[*_ \t]*(?:\s*```(?:json)?)?\s*/g;

function readUpdates(text: string): Result<JsonObject> {
  const update: Record<string, Json> = {};
  for (const match of text.matchAll(UPDATE)) {
    const start = match.index + match[0].length;
    const end = (text[start] === '{' ? objectEnd(text, start) : null) ?? lineEnd(text, start);
    const json = text.slice(start, end);
    const value = parseJson(json);
    if (!value.ok) return wrongUpdate(value.issues[0]?.hint ?? 'it is no JSON');
    if (typeof value.value !== 'object' || value.value === null || Array.isArray(value.value))
      return wrongUpdate('it is no object');
    Object.assign(update, value.value);
  }
  return { ok: true, value: update };
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

function wrongUpdate(why: string): Result<JsonObject> {
  return refused('syntax.state_update', `StateUpdate must be one JSON object: ${why}`);
}

function parsed(
  command: string,
  reasoning: string,
  patch: JsonObject,
  { skill }: StrategyInput,
): Result<ParsedReply> {
  const action = { tool: skill.actions.command ?? '', args: { command } };
  const transition = { reasoning, patch: { dialect: 'merge' as const, value: patch }, action };
  return { ok: true, value: { transition, remarks: [] } };
}

function refused<T>(code: Issue['code'], hint: string): Result<T> {
  return { ok: false, issues: [{ code, path: '', hint }] };
}
