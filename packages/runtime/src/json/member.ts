import type { JsonObject } from '../types.ts';

/** The text of a member; '' where it is missing or no text. */
export function textMember(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === 'string' ? value : '';
}
