import { isDeepStrictEqual } from 'node:util';
import type { JsonDocument, JsonValue } from '../env/environment.ts';

const isDocument = (value: JsonValue | undefined): value is JsonDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The merge patch (RFC 7396) from one document to another. Arrays are replaced whole. */
export function mergePatch(from: JsonDocument, to: JsonDocument): JsonDocument {
  const patch: Record<string, JsonValue> = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch[key] = null;
  for (const [key, wanted] of Object.entries(to)) {
    const present = from[key];
    if (isDocument(present) && isDocument(wanted)) {
      const inner = mergePatch(present, wanted);
      if (Object.keys(inner).length > 0) patch[key] = inner;
    } else if (JSON.stringify(present) !== JSON.stringify(wanted)) patch[key] = wanted;
  }
  return patch;
}

/** Whole values of the top-level keys that changed, whatever the order of their members, for a shallow merge (A.3); null where a key is gone. */
export function shallowUpdate(from: JsonDocument, to: JsonDocument): JsonDocument {
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changed = keys.filter((key) => !isDeepStrictEqual(from[key] ?? null, to[key] ?? null));
  return Object.fromEntries(changed.map((key) => [key, to[key] ?? null]));
}
