import type { Json, Pointer } from '../types.ts';
import { type Field } from './field.ts';
import { isObject, typeOf } from './shape.ts';

/** A short quotation of a value for hints and remarks. */
export function show(value: Json, most = 60): string {
  if (Array.isArray(value) && value.length > 8) return `a list of ${value.length}`;
  if (isObject(value) && Object.keys(value).length > 12)
    return `an object of ${Object.keys(value).length} keys`;
  const text = JSON.stringify(value);
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** `string "6.5"`, `array []`: type and value. */
export function got(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  return value === null ? 'null' : `${typeOf(value)} ${show(value)}`;
}

/** The wanted types in words: `integer or null`. */
export function wanted(field: Field): string {
  const { types } = field;
  const named = [...types].filter((type) => type !== 'null' && !(type === 'integer' && types.has('number')));
  const names = types.has('null') ? [...named, 'null'] : named;
  return names.length === 0 || types.size >= 7 ? 'any value' : names.join(' or ');
}

/** Up to a few items, quoted, and how many more. */
export function showItems(items: readonly Json[], most = 5): string {
  const shown = items.slice(0, most).map((item) => show(item, 80));
  return items.length > most ? `${shown.join(', ')} and ${items.length - most} more` : shown.join(', ');
}

/** A member's pointer. */
export function join(path: Pointer, segment: string | number): Pointer {
  if (typeof segment === 'number') return `${path}/${segment}`;
  return `${path}/${/[~/]/.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment}`;
}
