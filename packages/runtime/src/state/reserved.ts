import { formatPointer, parsePointer } from '../json/pointer.ts';
import type { Issue, Json, Pointer } from '../types.ts';

/** Keys of a value that begin with `$`, at any depth: they are the patch's forms, never data. Does not recurse. */
export function reservedKeys(value: Json, path: Pointer): readonly Issue[] {
  const issues: Issue[] = [];
  const open: (readonly [value: Json, segments: readonly (string | number)[]])[] = [];
  const last = (parsePointer(path) ?? []).at(-1);
  if (last?.startsWith('$')) issues.push(reserved(path, last));
  if (value !== null && typeof value === 'object') open.push([value, []]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [holder, segments] = next;
    for (const [key, member] of Object.entries(holder as Readonly<Record<string, Json>>)) {
      if (key.startsWith('$') && !Array.isArray(holder)) {
        issues.push(reserved(`${path}${formatPointer([...segments, key])}`, key));
      } else if (member !== null && typeof member === 'object') open.push([member, [...segments, key]]);
    }
  }
  return issues;
}

function reserved(path: Pointer, key: string): Issue {
  return { code: 'syntax.reserved_key', path, hint: `${key}: state keys may not begin with $` };
}
