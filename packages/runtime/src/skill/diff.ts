import { jsonEqual } from '../json/equal.ts';
import { formatPointer } from '../json/pointer.ts';
import { byteLength } from '../json/wellformed.ts';
import { byCodePoint, promptJson } from '../json/text.ts';
import type { Json, JsonObject, Skill } from '../types.ts';
import { isObject } from './short.ts';

const MOST_LINES = 60;

/**
 * What changed from one skill to another, in words, for the person who decides whether a run may go on: state fields by
 * path, then settings, then texts. Empty where nothing did.
 */
export function diffSkills(before: Skill, after: Skill): string[] {
  if (before.digest === after.digest) return [];
  const { state: oldState, instructions: oldText, digest: _a, ...oldRest } = before;
  const { state: newState, instructions: newText, digest: _b, ...newRest } = after;
  const lines = [
    ...fieldChanges(oldState, newState),
    ...memberChanges(oldRest as unknown as Json, newRest as unknown as Json, []),
  ];
  if (oldText !== newText)
    lines.push(`instructions changed (${byteLength(oldText)} → ${byteLength(newText)} bytes)`);
  if (lines.length <= MOST_LINES) return lines;
  return [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];
}

function fieldChanges(before: JsonObject, after: JsonObject): string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const lines: string[] = [];
  for (const path of [...new Set([...old.keys(), ...now.keys()])].sort(byCodePoint)) {
    const [was, is] = [old.get(path), now.get(path)];
    const name = path === '' ? 'state' : `field ${path}`;
    if (is === undefined) lines.push(`${name} removed`);
    else if (was === undefined) lines.push(`${name} added`);
    else if (!jsonEqual(was, is)) lines.push(`${name} changed: ${keywordChanges(was, is).join(', ')}`);
  }
  return lines;
}

/** Each field of a schema by path (`*` for items and other keys), with its own keywords only. */
function fieldsOf(
  schema: JsonObject,
  path = '',
  found: Map<string, JsonObject> = new Map(),
): Map<string, JsonObject> {
  const { properties, items, additionalProperties, ...own } = schema;
  const closed = typeof additionalProperties === 'boolean' ? { additionalProperties } : {};
  found.set(path, { ...own, ...closed });
  for (const [key, field] of Object.entries(isObject(properties) ? properties : {})) {
    if (isObject(field)) fieldsOf(field, path + formatPointer([key]), found);
  }
  for (const inner of [items, additionalProperties]) {
    if (isObject(inner)) fieldsOf(inner, `${path}/*`, found);
  }
  return found;
}

function keywordChanges(was: JsonObject, is: JsonObject): string[] {
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((key) => !same(was[key], is[key]))
    .map((key) => `${key} ${shown(was[key])} → ${shown(is[key])}`);
}

function memberChanges(was: Json | undefined, is: Json | undefined, path: readonly string[]): string[] {
  if (same(was, is)) return [];
  if (isObject(was) && isObject(is)) {
    return [...new Set([...Object.keys(was), ...Object.keys(is)])]
      .sort(byCodePoint)
      .flatMap((key) => memberChanges(was[key], is[key], [...path, key]));
  }
  const name = path.join('.');
  if (was === undefined) return [`${name} added: ${shown(is)}`];
  return is === undefined ? [`${name} removed`] : [`${name} ${shown(was)} → ${shown(is)}`];
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined ? a === b : jsonEqual(a, b);
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  const text = promptJson(value);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
