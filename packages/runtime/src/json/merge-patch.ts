import type { Json, JsonObject } from '../types.ts';

/** JSON Merge Patch as RFC 7396 has it, without schema: for declared migrations. Does not change `target`. */
export function mergePatch(target: Json, patch: Json): Json {
  if (!isRecord(patch)) return patch;
  const result = new Map(Object.entries(isRecord(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, mergePatch(result.get(key) ?? null, value));
  }
  return Object.fromEntries(result);
}

function isRecord(value: Json): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
