import type { Database } from '../database.ts';
import { type PyNumber, asNumber, lessThan, multiply } from '../python/number.ts';
import { contains, item, length } from '../python/operations.ts';
import { str } from '../python/text.ts';
import type { PyDict, PyValue } from '../python/value.ts';

/** A requested flight that is a dict; anything else has failed Python's subscription before it is asked for. */
export function flightDict(flight: PyValue): PyDict {
  if (flight instanceof Map) return flight;
  throw new TypeError('a flight that is no object was accepted');
}

export function storeLeg(flight: PyValue, price: PyValue, route: PyValue): void {
  const dict = flightDict(flight);
  dict.set('price', price);
  dict.set('origin', item(route, 'origin'));
  dict.set('destination', item(route, 'destination'));
}

/** Checks that a flight can carry the party, and completes it with price and route; returns the tool's error text. */
export function priceFlight(
  db: Database,
  flight: PyValue,
  cabin: PyValue,
  party: PyValue,
): string | undefined {
  const number = item(flight, 'flight_number');
  if (!db.has('flights', number)) return `Error: flight ${str(number)} not found`;
  const data = db.read('flights', number);
  const [date, dates] = [item(flight, 'date'), item(data, 'dates')];
  if (!contains(dates, date)) return `Error: flight ${str(number)} not found on date ${str(date)}`;
  const day = item(dates, date);
  if (item(day, 'status') !== 'available')
    return `Error: flight ${str(number)} not available on date ${str(date)}`;
  if (lessThan(item(item(day, 'available_seats'), cabin), length(party)))
    return `Error: not enough seats on flight ${str(number)}`;
  storeLeg(flight, item(item(day, 'prices'), cabin), data);
  return undefined;
}

/** The price of a completed flight for the whole party. */
export function partyPrice(flight: PyValue, party: PyValue): PyNumber {
  return multiply(asNumber(item(flight, 'price')) ?? 0n, length(party));
}
