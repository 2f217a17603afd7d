import { decompose, type PyNumber, toFloat } from './number.ts';
import { pyError } from './raise.ts';

/** Longest int that is worked out, in bits; no float comes near, and larger ones would cost unbounded time. */
export const maxBits = 100_000;

function bitLength(value: bigint): number {
  return (value < 0n ? -value : value).toString(16).length * 4;
}

/** An int within the bound, else the OverflowError that turning it into a float would end in. */
export function bounded(value: bigint): bigint {
  if (bitLength(value) > maxBits) throw pyError('OverflowError', 'int too large to convert to float');
  return value;
}

/** `a / b` of ints: the correctly rounded float of the exact quotient. */
export function trueDivide(a: bigint, b: bigint): number {
  if (b === 0n) throw pyError('ZeroDivisionError', 'division by zero');
  const negative = a < 0n !== b < 0n;
  const size = positiveQuotient(a < 0n ? -a : a, b < 0n ? -b : b);
  if (size === Number.POSITIVE_INFINITY)
    throw pyError('OverflowError', 'integer division result too large for a float');
  return negative ? -size : size;
}

function positiveQuotient(a: bigint, b: bigint): number {
  if (a === 0n) return 0;
  const shift = Math.max(bitLength(a) - bitLength(b) - 60, -1076);
  const [top, bottom] = shift < 0 ? [a << BigInt(-shift), b] : [a, b << BigInt(shift)];
  const quotient = top / bottom;
  const sticky = top % bottom === 0n ? 0n : 1n;
  const half = Math.trunc(shift / 2);
  return Number(quotient | sticky) * 2 ** half * 2 ** (shift - half);
}

/** `a // b` of ints. */
export function floorDivideInts(a: bigint, b: bigint): bigint {
  if (b === 0n) throw pyError('ZeroDivisionError', 'integer division or modulo by zero');
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** `a // b` of floats, with CPython's signs of zero. */
export function floorDivideFloats(a: number, b: number): number {
  if (b === 0) throw pyError('ZeroDivisionError', 'float floor division by zero');
  const rest = a % b;
  let quotient = (a - rest) / b;
  if (rest !== 0 && b < 0 !== rest < 0) quotient -= 1;
  if (quotient === 0) return copySign(0, a / b);
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function copySign(size: number, sign: number): number {
  return sign < 0 || Object.is(sign, -0) ? -size : size;
}

/** `a ** b` of numbers; a negative base with a broken exponent gives a complex number. */
export function power(a: PyNumber, b: PyNumber): PyNumber | 'complex' {
  if (typeof a === 'bigint' && typeof b === 'bigint' && b >= 0n) return intPower(a, b);
  return floatPower(toFloat(a), toFloat(b));
}

function intPower(a: bigint, b: bigint): bigint {
  if (a === 0n || a === 1n || b === 0n) return b === 0n ? 1n : a;
  if (a === -1n) return b % 2n === 0n ? 1n : -1n;
  if (b > BigInt(maxBits) || bitLength(a) * Number(b) > maxBits * 4)
    throw pyError('OverflowError', 'int too large to convert to float');
  return bounded(a ** b);
}

function floatPower(a: number, b: number): number | 'complex' {
  if (b === 0 || a === 1) return 1;
  if (a === -1 && (b === Number.POSITIVE_INFINITY || b === Number.NEGATIVE_INFINITY)) return 1;
  if (a === 0 && b < 0) throw pyError('ZeroDivisionError', '0.0 cannot be raised to a negative power');
  const finite = Number.isFinite(a) && Number.isFinite(b);
  if (finite && a < 0 && !Number.isInteger(b)) return 'complex';
  const estimate = b === 0.5 && finite ? Math.sqrt(a) : a ** b;
  if (!finite || a === 0) return estimate;
  if (!Number.isFinite(estimate)) throw pyError('OverflowError', "(34, 'Numerical result out of range')");
  return Number.isInteger(b) && Math.abs(b) <= 1024 && estimate !== 0 ? exactPower(a, b) : estimate;
}

/** The exact power, rounded once: as good as the best `pow` of a C library, which `**` of JavaScript is not. */
function exactPower(a: number, b: number): number {
  const { mantissa, exponent } = decompose(a);
  const times = BigInt(Math.abs(b));
  const scale = BigInt(Math.abs(exponent)) * times;
  const size = mantissa ** times;
  const [top, bottom] = exponent < 0 ? [size, 1n << scale] : [size << scale, 1n];
  return b < 0 ? trueDivide(bottom, top) : trueDivide(top, bottom);
}
