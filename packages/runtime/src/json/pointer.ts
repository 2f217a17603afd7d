import type { Json, Pointer } from '../types.ts';

/** The segments of a JSON Pointer (RFC 6901), unescaped; null where the text is no pointer. */
export function parsePointer(pointer: string): string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The pointer of the given segments: `['a', 'b/c', 0]` is `/a/b~1c/0`. */
export function formatPointer(segments: readonly (string | number)[]): Pointer {
  return segments
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/**
 * The value at a pointer (text or segments); undefined where nothing is there or the text is no pointer. Only own members
 * count, and array indices only in their plain form (`0`, `12`; not `01`, not `-`).
 */
export function getAt(value: Json, pointer: Pointer | readonly string[]): Json | undefined {
  const segments = typeof pointer === 'string' ? parsePointer(pointer) : pointer;
  if (segments === null) return undefined;
  let here: Json | undefined = value;
  for (const segment of segments) {
    if (here === null || typeof here !== 'object') return undefined;
    if (Array.isArray(here)) here = /^(0|[1-9]\d*)$/.test(segment) ? here[Number(segment)] : undefined;
    else here = Object.hasOwn(here, segment) ? (here as Record<string, Json>)[segment] : undefined;
    if (here === undefined) return undefined;
  }
  return here;
}
