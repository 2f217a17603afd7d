import type { Json, JsonObject } from '../types.ts';

/**
 * Whether two JSON values are the same: member order does not count, `1` equals `1.0`, array order counts. Shared subtrees
 * compare at once. Recurses, so both must have passed the depth limit of `parseJson` or `checkJson`.
 */
export function jsonEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i] as Json));
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonObject;
  const right = b as JsonObject;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEqual(left[key] as Json, right[key] as Json))
  );
}
