import { nearest } from '../json/nearest.ts';
import { formatPointer } from '../json/pointer.ts';
import { ACTION_KEY, PATCH_KEY } from '../state/reply-format.ts';
import type { Action, Json, JsonObject, Patch } from '../types.ts';
import { decode, isObject, kind, type Notes, type ReplyContext } from './notes.ts';
import { readAction } from './shape-action.ts';
import { readPatch } from './shape-patch.ts';

export type Shaped = {
  readonly patch: Patch;
  readonly action: Action;
  /** A `reasoning` text inside the object, which is as good as prose before it. */
  readonly reasoning: string;
};

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
