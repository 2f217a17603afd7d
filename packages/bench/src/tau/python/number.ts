import { pyError } from './raise.ts';
import { compareText } from './text.ts';
import { type PyValue, typeName } from './value.ts';

export type PyNumber = bigint | number;

/** The value as int or float (`True` counts as 1), or undefined where Python has no number. */
export function asNumber(value: PyValue): PyNumber | undefined {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
}

/** Python's `float(int)`: correctly rounded; an OverflowError where it does not fit. */
export function toFloat(value: PyNumber): number {
  const float = Number(value);
  if (typeof value === 'bigint' && !Number.isFinite(float))
    throw pyError('OverflowError', 'int too large to convert to float');
  return float;
}

function operandError(operator: string, a: PyValue, b: PyValue): Error {
  const types = `'${typeName(a)}' and '${typeName(b)}'`;
  return pyError('TypeError', `unsupported operand type(s) for ${operator}: ${types}`);
}

function arithmetic(
  operator: string,
  a: PyValue,
  b: PyValue,
  ints: (x: bigint, y: bigint) => bigint,
  floats: (x: number, y: number) => number,
): PyNumber {
  const [x, y] = [asNumber(a), asNumber(b)];
  if (x === undefined || y === undefined) throw operandError(operator, a, b);
  return typeof x === 'bigint' && typeof y === 'bigint' ? ints(x, y) : floats(toFloat(x), toFloat(y));
}

/** `a + b` of numbers; `operator` is what the error text names (`+` or `+=`). */
export function add(a: PyNumber, b: PyValue, operator = '+'): PyNumber {
  return arithmetic(
    operator,
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
  );
}

export function subtract(a: PyValue, b: PyValue, operator = '-'): PyNumber {
  return arithmetic(
    operator,
    a,
    b,
    (x, y) => x - y,
    (x, y) => x - y,
  );
}

/** `a * b` of numbers. Repeating a text or list is not here: callers say what follows from it. */
export function multiply(a: PyNumber, b: PyValue): PyNumber {
  return arithmetic(
    '*',
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
  );
}

export function negate(value: PyValue): PyNumber {
  const number = asNumber(value);
  if (number === undefined) throw pyError('TypeError', `bad operand type for unary -: '${typeName(value)}'`);
  return -number;
}

/** `sum(values)`: from the int 0 on, in order. */
export function sum(values: readonly PyValue[]): PyNumber {
  let total: PyNumber = 0n;
  for (const value of values) total = add(total, value);
  return total;
}

export function absolute(value: PyNumber): PyNumber {
  if (typeof value === 'number') return Math.abs(value);
  return value < 0n ? -value : value;
}

/** `a == b`: numbers compare by exact value across int, float and bool; dicts without order. */
export function equals(a: PyValue, b: PyValue): boolean {
  const [x, y] = [asNumber(a), asNumber(b)];
  if (x !== undefined && y !== undefined) return x <= y && !(x < y);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element, i) => equals(element, b[i] ?? null));
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, v]) => b.has(key) && equals(v, b.get(key) ?? null));
  return a === b;
}

/** `a < b`; a TypeError where Python has no order. */
export function lessThan(a: PyValue, b: PyValue): boolean {
  const [x, y] = [asNumber(a), asNumber(b)];
  if (x !== undefined && y !== undefined) return x < y;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b) < 0;
  if (Array.isArray(a) && Array.isArray(b)) return listLess(a, b);
  const types = `'${typeName(a)}' and '${typeName(b)}'`;
  throw pyError('TypeError', `'<' not supported between instances of ${types}`);
}

function listLess(a: PyValue[], b: PyValue[]): boolean {
  for (const [i, element] of a.entries()) {
    const other = b[i];
    if (other === undefined) return false;
    if (!equals(element, other)) return lessThan(element, other);
  }
  return a.length < b.length;
}

/** The finite float as `mantissa * 2 ** exponent`, exactly. */
export function decompose(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const size = biased === 0 ? fraction : fraction | 0x10000000000000n;
  return { mantissa: bits >> 63n ? -size : size, exponent: Math.max(biased, 1) - 1075 };
}

/**
 * `round(value, 2)`: an int stays as it is; a float is rounded on its exact binary value, ties to the even digit, and
 * may come out as -0.0.
 */
export function round2(value: PyNumber): PyNumber {
  if (typeof value === 'bigint' || !Number.isFinite(value)) return value;
  const { mantissa, exponent } = decompose(value);
  if (exponent >= 0) return value;
  const divisor = 1n << BigInt(-exponent);
  const scaled = (mantissa < 0n ? -mantissa : mantissa) * 100n;
  const [whole, rest] = [scaled / divisor, (scaled % divisor) * 2n];
  const up = rest > divisor || (rest === divisor && whole % 2n === 1n);
  const size = Number(`${up ? whole + 1n : whole}e-2`);
  return value < 0 || Object.is(value, -0) ? -size : size;
}
