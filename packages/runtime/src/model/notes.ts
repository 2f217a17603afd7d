import { parseJson } from '../json/parse.ts';
import type { Issue, Json, JsonObject, Result, StrategyInput } from '../types.ts';

/** What decides how a reply is read. */
export type ReplyContext = Pick<StrategyInput, 'skill' | 'tools' | 'mode' | 'dialect'>;

/** Where the reader of a part leaves what it finds: issues refuse the reply, remarks go to the log. */
export type Notes = { readonly issues: Issue[]; readonly remarks: string[] };

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
