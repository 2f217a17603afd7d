import { jsonEqual } from '../json/equal.ts';
import { isObject } from '../state/shape.ts';
import type { CheckSpec, Json } from '../types.ts';

export type BuiltinCheck = Extract<CheckSpec, { is: string }>['is'];

/** `got` only where it says more than the value itself. */
type Fault = { readonly wanted: string; readonly got?: string } | null;

/** Longest text that a pattern is tried on. */
const MATCH_CHARACTERS = 100_000;

/** What is wrong with a value (undefined: there is none), or null. `want` is data of the skill, the value is untrusted. */
export function runBuiltin(is: BuiltinCheck, value: Json | undefined, want: Json): Fault {
  switch (is) {
    case 'exists':
      return exists(value, want);
    case 'status':
      return oneOf(value, Array.isArray(want) ? (want as readonly Json[]) : [want]);
    case 'equals':
      return value !== undefined && jsonEqual(value, want) ? null : { wanted: JSON.stringify(want) };
    case 'count':
      return within(sizeOf(value), want, 'a count');
    case 'length-ratio':
      return within(ratioOf(value), want, 'a ratio');
    case 'no-residual':
      return noResidual(value, Array.isArray(want) ? (want as readonly Json[]) : [want]);
    case 'matches':
      return matches(value, want);
    default:
      return is satisfies never;
  }
}

/** Empty text, an empty list and an empty object are nothing. */
function exists(value: Json | undefined, want: Json): Fault {
  const empty = value === undefined || value === null || value === '' || sizeOfContainer(value) === 0;
  return empty === (want === false) ? null : { wanted: want === false ? 'nothing' : 'something' };
}

function oneOf(value: Json | undefined, wanted: readonly Json[]): Fault {
  if (value !== undefined && wanted.some((one) => jsonEqual(one, value))) return null;
  return { wanted: wanted.map((one) => JSON.stringify(one)).join(' or ') };
}

function sizeOfContainer(value: Json): number | null {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : null;
}

/** Items of a list, members of an object, characters of a text; a number counts as itself. */
function sizeOf(value: Json | undefined): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return Array.from(value).length;
  return value === undefined ? null : sizeOfContainer(value);
}

/** `[part, whole]`, each a number or something with a size; a number is the ratio itself. */
function ratioOf(value: Json | undefined): number | null {
  if (typeof value === 'number') return value;
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [part, whole] = (value as readonly Json[]).map(sizeOf);
  return part == null || whole == null || whole === 0 ? null : part / whole;
}

/** `want` is a number, `[min, max]` or `{min, max}`, bounds included. */
function within(found: number | null, want: Json, what: string): Fault {
  const [min, max] = boundsOf(want);
  if (found !== null && found >= min && found <= max) return null;
  const wanted = min === max ? `${what} of ${min}` : `${what} of ${min} to ${max === Infinity ? 'any' : max}`;
  return {
    wanted,
    got: found === null ? `nothing that has ${what}` : String(Math.round(found * 1000) / 1000),
  };
}

function boundsOf(want: Json): readonly [number, number] {
  const number = (value: Json | undefined, otherwise: number): number =>
    typeof value === 'number' ? value : otherwise;
  if (typeof want === 'number') return [want, want];
  if (Array.isArray(want)) return [number(want[0], -Infinity), number(want[1], Infinity)];
  // Bounds that say nothing must not let everything pass.
  if (!isObject(want) || !('min' in want || 'max' in want)) return [Number.NaN, Number.NaN];
  return [number(want['min'], -Infinity), number(want['max'], Infinity)];
}

/** No text anywhere in the value holds one of the markers. */
function noResidual(value: Json | undefined, markers: readonly Json[]): Fault {
  const wanted = `no ${markers.map((marker) => JSON.stringify(marker)).join(' and no ')}`;
  if (value === undefined || value === null) return { wanted };
  const open: Json[] = [value];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node === 'string') {
      const text = node;
      const left = markers.find(
        (marker) => typeof marker === 'string' && marker !== '' && text.includes(marker),
      );
      if (typeof left === 'string') return { wanted, got: around(text, text.indexOf(left), left.length) };
    } else if (node !== null && typeof node === 'object') open.push(...Object.values(node));
  }
  return null;
}

function around(text: string, index: number, length: number): string {
  return JSON.stringify(
    `…${text.slice(Math.max(0, index - 30), index + Math.min(length, 60) + 30).toWellFormed()}…`,
  );
}

function matches(value: Json | undefined, want: Json): Fault {
  const wanted = `text that matches ${JSON.stringify(want)}`;
  if (typeof value !== 'string' || typeof want !== 'string') return { wanted };
  if (value.length > MATCH_CHARACTERS) return { wanted, got: `${value.length} characters, too long to try` };
  try {
    return new RegExp(want, 'u').test(value) ? null : { wanted };
  } catch (error) {
    return { wanted: 'a regular expression', got: error instanceof Error ? error.message : String(error) };
  }
}
