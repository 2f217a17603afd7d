import type { Database } from '../database.ts';
import { writeJson } from '../python/json.ts';
import { equals, lessThan } from '../python/number.ts';
import { contains, item } from '../python/operations.ts';
import { pyError } from '../python/raise.ts';
import { textRepr } from '../python/text.ts';
import { type PyDict, type PyValue, typeName } from '../python/value.ts';
import type { ToolDefinition } from '../tool.ts';

/** The flight without its days, overlaid with one day's status, seats and prices. */
function onDay(flight: PyDict, day: PyValue): PyDict {
  const result: PyDict = new Map([...flight].filter(([key]) => key !== 'dates'));
  if (day instanceof Map) for (const [key, value] of day) result.set(key, value);
  return result;
}

function searchDirect(db: Database, origin: PyValue, destination: PyValue, date: PyValue): string {
  const results: PyValue[] = [];
  for (const [, flight] of db.rows('flights')) {
    if (!equals(item(flight, 'origin'), origin) || !equals(item(flight, 'destination'), destination))
      continue;
    const dates = item(flight, 'dates');
    if (contains(dates, date) && item(item(dates, date), 'status') === 'available')
      results.push(onDay(flight, item(dates, date)));
  }
  return writeJson(results);
}

/** `date[-2:]`, whatever kind of value the caller gave. */
function lastTwo(date: PyValue): PyValue {
  if (typeof date === 'string') return Array.from(date).slice(-2).join('');
  if (Array.isArray(date)) return date.slice(-2);
  if (date instanceof Map) throw pyError('TypeError', "unhashable type: 'slice'");
  throw pyError('TypeError', `'${typeName(date)}' object is not subscriptable`);
}

/** `int(text)` of at most two characters: white space around, a sign and digits of any script are allowed. */
function toInt(value: PyValue): bigint {
  if (typeof value !== 'string') {
    const wanted = 'int() argument must be a string, a bytes-like object or a real number';
    throw pyError('TypeError', `${wanted}, not '${typeName(value)}'`);
  }
  const trimmed = value.replace(/^(?:(?!\ufeff)\s|\u0085)+|(?:(?!\ufeff)\s|\u0085)+$/gu, '');
  if (!/^[-+]?\p{Nd}+$/u.test(trimmed))
    throw pyError('ValueError', `invalid literal for int() with base 10: ${textRepr(value)}`);
  const digits = Array.from(trimmed.replace(/^[-+]/, ''), digitValue).join('');
  return trimmed.startsWith('-') ? -BigInt(digits) : BigInt(digits);
}

/** The value of a decimal digit: Unicode keeps the ten digits of a script together, zero first. */
function digitValue(digit: string): number {
  const point = digit.codePointAt(0) ?? 0;
  let zero = point;
  while (point - zero < 10 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return (point - zero) % 10;
}

/** The original's day of the second leg: May, no leading zero, when the first leg lands the next day. */
function secondDate(first: PyDict, date: PyValue): PyValue {
  if (!contains(item(first, 'scheduled_arrival_time_est'), '+1')) return date;
  return `2024-05-${toInt(lastTwo(date)) + 1n}`;
}

function connection(first: PyDict, second: PyDict, date: PyValue): PyValue[] | undefined {
  const date2 = secondDate(first, date);
  if (lessThan(item(second, 'scheduled_departure_time_est'), item(first, 'scheduled_arrival_time_est')))
    return undefined;
  const [dates1, dates2] = [item(first, 'dates'), item(second, 'dates')];
  if (!contains(dates1, date) || !contains(dates2, date2)) return undefined;
  const available =
    item(item(dates1, date), 'status') === 'available' && item(item(dates2, date2), 'status') === 'available';
  if (!available) return undefined;
  const legs = [onDay(first, item(dates1, date)), onDay(second, item(dates2, date))];
  legs[0]?.set('date', date);
  legs[1]?.set('date', date2);
  return legs;
}

function searchOneStop(db: Database, origin: PyValue, destination: PyValue, date: PyValue): string {
  const flights = [...db.rows('flights')].map(([, flight]) => flight);
  const results: PyValue[] = [];
  for (const first of flights) {
    if (!equals(item(first, 'origin'), origin)) continue;
    for (const second of flights) {
      if (!equals(item(second, 'destination'), destination)) continue;
      if (!equals(item(first, 'destination'), item(second, 'origin'))) continue;
      const legs = connection(first, second, date);
      if (legs) results.push(legs);
    }
  }
  return writeJson(results);
}

export const airlineSearchTools: readonly ToolDefinition[] = [
  {
    name: 'search_direct_flight',
    className: 'SearchDirectFlight',
    parameters: ['origin', 'destination', 'date'],
    effect: 'read',
    invoke: searchDirect,
  },
  {
    name: 'search_onestop_flight',
    className: 'SearchOnestopFlight',
    parameters: ['origin', 'destination', 'date'],
    effect: 'read',
    invoke: searchOneStop,
  },
];
