import { nearest } from '../json/nearest.ts';
import { parseJson } from '../json/parse.ts';
import { formatPointer } from '../json/pointer.ts';
import { ACTION_KEY, PATCH_KEY } from '../state/reply-format.ts';
import type { Action, Issue, Json, JsonObject, Patch, Result, StrategyInput } from '../types.ts';
import { readAction } from './shape-action.ts';
import { readPatch } from './shape-patch.ts';

/** What decides how a reply is read. */
export type ReplyContext = Pick<StrategyInput, 'skill' | 'tools' | 'mode' | 'dialect'>;

export type Shaped = {
  readonly patch: Patch;
  readonly action: Action;
  /** A `reasoning` text inside the object, which is as good as prose before it. */
  readonly reasoning: string;
};

/** Where the reader of a part leaves what it finds: issues refuse the reply, remarks go to the log. */
export type Notes = { readonly issues: Issue[]; readonly remarks: string[] };

const REASONING_KEY = 'reasoning';

/** Reads a JSON value as a transition: exactly `state_patch` and `action`, each in its form. All problems at once. */
export function readTransition(value: Json, context: ReplyContext, notes: Notes): Shaped | null {
  const object = topObject(value, notes);
  if (object === null) return null;
  checkKeys(object, notes);
  const patch = PATCH_KEY in object ? readPatch(object[PATCH_KEY] as Json, context.dialect, notes) : null;
  const action = ACTION_KEY in object ? readAction(object[ACTION_KEY] as Json, context, notes) : null;
  if (patch === null || action === null || notes.issues.length > 0) return null;
  const said = object[REASONING_KEY];
  return { patch, action, reasoning: typeof said === 'string' ? said : '' };
}

function topObject(value: Json, notes: Notes): JsonObject | null {
  const decoded = typeof value === 'string' ? decode(value, notes, 'the whole reply') : value;
  if (isObject(decoded)) return unwrapped(decoded, notes) ? decoded : null;
  const hint = Array.isArray(decoded)
    ? `write one object, not a list: take the list brackets away and keep one transition`
    : `write one object with exactly the keys ${PATCH_KEY} and ${ACTION_KEY}; got ${kind(decoded)}`;
  notes.issues.push({ code: 'syntax.not_object', path: '', hint });
  return null;
}

/** Names the wrapper where a transition stands inside another key: unwrapping it in silence would be a guess. */
function unwrapped(object: JsonObject, notes: Notes): boolean {
  if (PATCH_KEY in object || ACTION_KEY in object) return true;
  for (const [key, inner] of Object.entries(object)) {
    if (!isObject(inner) || !(PATCH_KEY in inner)) continue;
    const path = formatPointer([key]);
    const hint = `found under ${path}: put ${PATCH_KEY} and ${ACTION_KEY} at the top, without the key ${key}`;
    notes.issues.push({ code: 'syntax.wrapped', path, hint });
    return false;
  }
  return true;
}

function checkKeys(object: JsonObject, notes: Notes): void {
  const missing = [PATCH_KEY, ACTION_KEY].filter((key) => !(key in object));
  const extra = Object.keys(object).filter(
    (key) => key !== PATCH_KEY && key !== ACTION_KEY && !isReasoning(key, object),
  );
  const renamed = new Set<string>();
  for (const key of extra) {
    const meant = nearest(
      key,
      missing.filter((name) => !renamed.has(name)),
    );
    if (meant !== null) renamed.add(meant);
    notes.issues.push({ code: 'syntax.extra_key', path: formatPointer([key]), hint: extraHint(key, meant) });
  }
  for (const key of missing) {
    if (renamed.has(key)) continue;
    const what = key === PATCH_KEY ? 'what changes, {} or [] if nothing does' : 'the one action to run now';
    notes.issues.push({ code: 'syntax.missing_key', path: `/${key}`, hint: `add ${key}: ${what}` });
  }
}

function isReasoning(key: string, object: JsonObject): boolean {
  return key === REASONING_KEY && typeof object[key] === 'string';
}

function extraHint(key: string, meant: string | null): string {
  if (meant !== null) return `rename ${key} to ${meant}`;
  if (key === 'tool' || key === 'args') return `move ${key} into /${ACTION_KEY}`;
  return `remove ${key}: only ${PATCH_KEY} and ${ACTION_KEY} stand at the top; state fields go into ${PATCH_KEY}, reasoning before the JSON`;
}

/** A JSON text that came as a string, decoded once; the string itself where it holds no object or list. */
export function decode(text: string, notes: Notes, what: string): Json {
  if (!/^\s*[{[]/.test(text)) return text;
  const parsed: Result<Json> = parseJson(text);
  if (!parsed.ok) return text;
  notes.remarks.push(`decoded string: ${what} was JSON inside a string`);
  return parsed.value;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** A JSON type in words, for hints. */
export function kind(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
