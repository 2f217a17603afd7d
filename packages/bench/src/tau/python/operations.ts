import { equals, lessThan } from './number.ts';
import { pyError } from './raise.ts';
import { repr } from './text.ts';
import { type PyDict, type PyValue, typeName } from './value.ts';

/** Throws Python's TypeError for a value that cannot be a dict key. */
export function checkHashable(value: PyValue): void {
  if (Array.isArray(value) || value instanceof Map)
    throw pyError('TypeError', `unhashable type: '${typeName(value)}'`);
}

/** `container[key]` for a key that is no integer. Throws KeyError and TypeError with Python's texts. */
export function item(container: PyValue, key: PyValue): PyValue {
  if (container instanceof Map) {
    checkHashable(key);
    const found = typeof key === 'string' ? container.get(key) : undefined;
    if (found === undefined) throw pyError('KeyError', repr(key));
    return found;
  }
  if (Array.isArray(container))
    throw pyError('TypeError', `list indices must be integers or slices, not ${typeName(key)}`);
  if (typeof container === 'string')
    throw pyError('TypeError', `string indices must be integers, not '${typeName(key)}'`);
  throw pyError('TypeError', `'${typeName(container)}' object is not subscriptable`);
}

/** The dict at `container[key]`, where the loaded data always has one. Throws if it is something else. */
export function dictItem(container: PyValue, key: string): PyDict {
  const found = item(container, key);
  if (!(found instanceof Map)) throw new TypeError(`${key} is a ${typeName(found)}, not a dict`);
  return found;
}

/** `key in container`. */
export function contains(container: PyValue, key: PyValue): boolean {
  if (container instanceof Map) {
    checkHashable(key);
    return typeof key === 'string' && container.has(key);
  }
  if (Array.isArray(container)) return container.some((element) => equals(element, key));
  if (typeof container !== 'string')
    throw pyError('TypeError', `argument of type '${typeName(container)}' is not iterable`);
  if (typeof key === 'string') return container.includes(key);
  throw pyError('TypeError', `'in <string>' requires string as left operand, not ${typeName(key)}`);
}

/** What a `for` loop over the value meets: elements, characters or keys. */
export function elements(value: PyValue): PyValue[] {
  if (Array.isArray(value)) return [...value];
  if (typeof value === 'string') return Array.from(value);
  if (value instanceof Map) return [...value.keys()];
  throw pyError('TypeError', `'${typeName(value)}' object is not iterable`);
}

/** `len(value)`. */
export function length(value: PyValue): bigint {
  if (Array.isArray(value)) return BigInt(value.length);
  if (typeof value === 'string') return BigInt(Array.from(value).length);
  if (value instanceof Map) return BigInt(value.size);
  throw pyError('TypeError', `object of type '${typeName(value)}' has no len()`);
}

function attributeError(value: PyValue, name: string): Error {
  return pyError('AttributeError', `'${typeName(value)}' object has no attribute '${name}'`);
}

/** `value.lower()`. */
export function lower(value: PyValue): string {
  if (typeof value !== 'string') throw attributeError(value, 'lower');
  return value.toLowerCase();
}

/** `value.count(element)` of a list, or of a text for one of its characters. */
export function countOf(value: PyValue, element: PyValue): number {
  if (typeof value !== 'string' && !Array.isArray(value)) throw attributeError(value, 'count');
  return elements(value).filter((other) => equals(other, element)).length;
}

export function append(list: PyValue, value: PyValue): void {
  if (!Array.isArray(list)) throw attributeError(list, 'append');
  list.push(value);
}

export function extend(list: PyValue, values: readonly PyValue[]): void {
  if (!Array.isArray(list)) throw attributeError(list, 'extend');
  list.push(...values);
}

/** `sorted(value)`. */
export function sorted(value: PyValue): PyValue[] {
  return elements(value).sort((a, b) => (lessThan(a, b) ? -1 : lessThan(b, a) ? 1 : 0));
}

/** The first element, as `[…][0]` gives it. */
export function first(list: readonly PyValue[]): PyValue {
  const found = list[0];
  if (found === undefined) throw pyError('IndexError', 'list index out of range');
  return found;
}
