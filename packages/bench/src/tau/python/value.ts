/**
 * Python's JSON values in JavaScript: `int` is a bigint, `float` a number, `dict` a Map (keys keep the order in which
 * they came, also keys that look like numbers), `list` an array, `None` null. Values are at most `maxDepth` levels
 * deep: the readers enforce it, so that recursive functions over values are bounded.
 */
export type PyValue = null | boolean | string | bigint | number | PyValue[] | PyDict;
export type PyDict = Map<string, PyValue>;

export const maxDepth = 200;

/** The name of the value's Python type, as Python's error texts print it. */
export function typeName(value: PyValue): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'float';
  return Array.isArray(value) ? 'list' : 'dict';
}

/** A deep copy that shares no list and no dict with the original. */
export function copyValue(value: PyValue): PyValue {
  if (Array.isArray(value)) return value.map(copyValue);
  return value instanceof Map ? copyDict(value) : value;
}

export function copyDict(dict: PyDict): PyDict {
  const copy: PyDict = new Map();
  for (const [key, value] of dict) copy.set(key, copyValue(value));
  return copy;
}

/**
 * Turns a plain JavaScript value (as `JSON.parse` gives it) into a Python value. Whole safe numbers become ints, as
 * JavaScript has lost the difference between `5` and `5.0`; read the JSON text with `readJson` where that matters.
 * Throws a TypeError on anything JSON does not have and on more than `maxDepth` levels.
 */
export function fromPlain(value: unknown, depth = 0): PyValue {
  if (depth > maxDepth) throw new TypeError(`value is nested more than ${maxDepth} levels deep`);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((element) => fromPlain(element, depth + 1));
  if (typeof value === 'object') return dictFromPlain(value, depth);
  throw new TypeError(`a ${typeof value} is not a JSON value`);
}

export function dictFromPlain(value: object, depth = 0): PyDict {
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value);
  const dict: PyDict = new Map();
  for (const [key, element] of entries) dict.set(String(key), fromPlain(element, depth + 1));
  return dict;
}

/** The plain JavaScript value; ints beyond 2^53 lose digits, and number-like keys lose their place. */
export function toPlain(value: PyValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, v]) => [key, toPlain(v)]));
  return value;
}
