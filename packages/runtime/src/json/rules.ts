import type { Issue, Pointer } from '../types.ts';

export type JsonLimits = {
  /** Deepest nesting of objects and arrays; a scalar has depth 0. */
  readonly depth: number;
  /** Largest JSON text in UTF-8 bytes. */
  readonly bytes: number;
};

export const JSON_LIMITS: JsonLimits = { depth: 64, bytes: 16 * 1024 * 1024 };

/** Most issues that one value is given. */
export const MOST_ISSUES = 50;

/** Keys that reach JavaScript's prototypes. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Significant decimal digits that every double keeps. */
const EXACT_DIGITS = 15;

/**
 * Why a number may not pass the boundary, or null where it may. A number from 2^53 to 10^21 with more than 15 significant
 * digits is an id or an amount that a double rounds (9007199254740993 becomes …992); as the parsed value no longer tells,
 * those are refused whole. Refused too: not finite; not zero in the text but zero as a double.
 */
export function numberFault(value: number, token: string = String(value)): string | null {
  if (!Number.isFinite(value)) return `${shorten(token)} is not finite as a double; send it as a string`;
  if (value === 0)
    return significantDigits(token) === '' ? null : `${shorten(token)} is too small for a double`;
  if (Math.abs(value) < 2 ** 53) return null;
  const digits = significantDigits(token);
  const exact =
    Math.abs(value) < 1e21 ? digits.length <= EXACT_DIGITS : digits === significantDigits(String(value));
  return exact
    ? null
    : `${shorten(token)} does not fit a double exactly; send ids and large integers as strings`;
}

/** The digits of a decimal without sign, point, exponent and outer zeros. */
function significantDigits(token: string): string {
  const digits = (token.split(/[eE]/)[0] as string).replace(/[-.]/g, '');
  let [from, to] = [0, digits.length];
  while (from < to && digits[from] === '0') from++;
  while (to > from && digits[to - 1] === '0') to--;
  return digits.slice(from, to);
}

function shorten(token: string): string {
  return token.length <= 40 ? token : `${token.slice(0, 30)}… (${token.length} characters)`;
}

export function forbiddenKey(path: Pointer, key: string): Issue {
  return syntaxIssue('forbidden_key', path, `key ${quote(key)} is not allowed anywhere`);
}

export function tooDeep(path: Pointer, depth: number): Issue {
  return syntaxIssue('depth', path, `nested deeper than ${depth} levels`);
}

export function syntaxIssue(name: string, path: Pointer, hint: string): Issue {
  return { code: `syntax.${name}`, path, hint };
}

/** A short quotation for hints. */
export function quote(text: string): string {
  return JSON.stringify(text.length <= 60 ? text : `${text.slice(0, 60)}…`);
}
