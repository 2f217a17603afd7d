import type { Database } from '../database.ts';
import { writeJson } from '../python/json.ts';
import { add, equals, lessThan, multiply, negate, type PyNumber, subtract, sum } from '../python/number.ts';
import { append, contains, dictItem, elements, extend, item, length } from '../python/operations.ts';
import { str } from '../python/text.ts';
import { copyValue, type PyDict, type PyValue } from '../python/value.ts';
import type { ToolDefinition } from '../tool.ts';
import { partyPrice, priceFlight, storeLeg } from './seat.ts';

const notFound = 'Error: reservation not found';

function payment(id: PyValue, amount: PyValue): PyDict {
  return new Map<string, PyValue>([
    ['payment_id', id],
    ['amount', amount],
  ]);
}

/** Cancels without any check, as often as it is called; a second call refunds the refunds. */
function cancelReservation(db: Database, id: PyValue): string {
  if (!db.has('reservations', id)) return notFound;
  const reservation = db.edit('reservations', id);
  const history = item(reservation, 'payment_history');
  const refunds = elements(history).map((entry) =>
    payment(item(entry, 'payment_id'), negate(item(entry, 'amount'))),
  );
  extend(history, refunds);
  reservation.set('status', 'cancelled');
  return writeJson(reservation);
}

function updatePassengers(db: Database, id: PyValue, passengers: PyValue): string {
  if (!db.has('reservations', id)) return notFound;
  if (length(passengers) !== length(item(db.read('reservations', id), 'passengers')))
    return 'Error: number of passengers does not match';
  const reservation = db.edit('reservations', id);
  reservation.set('passengers', passengers);
  return writeJson(reservation);
}

function methodsOf(user: PyDict): PyDict {
  return dictItem(user, 'payment_methods');
}

function refuseMethod(
  db: Database,
  reservation: PyDict,
  methodId: PyValue,
  total: PyNumber,
): string | undefined {
  const methods = methodsOf(db.read('users', item(reservation, 'user_id')));
  if (!contains(methods, methodId)) return 'Error: payment method not found';
  const method = item(methods, methodId);
  const source = item(method, 'source');
  if (source === 'certificate') return 'Error: certificate cannot be used to update reservation';
  if (source === 'gift_card' && lessThan(item(method, 'amount'), total))
    return 'Error: gift card balance is not enough';
  return undefined;
}

/** Takes the amount from the method if it is a gift card (its balance is not rounded). */
function charge(db: Database, reservation: PyDict, methodId: PyValue, total: PyNumber): void {
  const userId = item(reservation, 'user_id');
  if (item(item(methodsOf(db.read('users', userId)), methodId), 'source') !== 'gift_card') return;
  const method = dictItem(methodsOf(db.edit('users', userId)), str(methodId));
  method.set('amount', subtract(item(method, 'amount'), total, '-='));
}

function recordPayment(reservation: PyDict, methodId: PyValue, total: PyNumber): void {
  if (!equals(total, 0n)) append(item(reservation, 'payment_history'), payment(methodId, total));
}

function updateBaggages(
  db: Database,
  id: PyValue,
  bags: PyValue,
  paidBags: PyValue,
  methodId: PyValue,
): string {
  if (!db.has('reservations', id)) return notFound;
  const found = db.read('reservations', id);
  const more = subtract(paidBags, item(found, 'nonfree_baggages'));
  const total = multiply(50n, lessThan(0n, more) ? more : 0n);
  const refusal = refuseMethod(db, found, methodId, total);
  if (refusal !== undefined) return refusal;
  const reservation = db.edit('reservations', id);
  reservation.set('total_baggages', bags);
  reservation.set('nonfree_baggages', paidBags);
  charge(db, reservation, methodId, total);
  recordPayment(reservation, methodId, total);
  return writeJson(reservation);
}

/** The stored flight that the request keeps: same number and day, and the cabin that the reservation has stored. */
function keptFlight(reservation: PyDict, flight: PyValue, cabin: PyValue): PyValue | undefined {
  return elements(item(reservation, 'flights')).filter(
    (stored) =>
      equals(item(stored, 'flight_number'), item(flight, 'flight_number')) &&
      equals(item(stored, 'date'), item(flight, 'date')) &&
      equals(cabin, item(reservation, 'cabin')),
  )[0];
}

/** Completes the requested flights; gives the price that is new minus the price so far, or the tool's error text. */
function repriceFlights(
  db: Database,
  reservation: PyDict,
  cabin: PyValue,
  flights: PyValue,
): PyNumber | string {
  const party = () => item(reservation, 'passengers');
  let total: PyNumber = 0n;
  for (const flight of elements(flights)) {
    const kept = keptFlight(reservation, flight, cabin);
    if (kept !== undefined) {
      total = add(total, partyPrice(kept, party()));
      storeLeg(flight, item(kept, 'price'), kept);
      continue;
    }
    const refusal = priceFlight(db, flight, cabin, party());
    if (refusal !== undefined) return refusal;
    total = add(total, partyPrice(flight, party()));
  }
  const before = sum(elements(item(reservation, 'flights')).map((flight) => item(flight, 'price')));
  return subtract(total, multiply(before, length(party())), '-=');
}

/** Never stores the new cabin and takes no seats, as in the original. */
function updateFlights(
  db: Database,
  id: PyValue,
  cabin: PyValue,
  wanted: PyValue,
  methodId: PyValue,
): string {
  if (!db.has('reservations', id)) return notFound;
  const found = db.read('reservations', id);
  const flights = copyValue(wanted);
  const total = repriceFlights(db, found, cabin, flights);
  if (typeof total === 'string') return total;
  const refusal = refuseMethod(db, found, methodId, total);
  if (refusal !== undefined) return refusal;
  const reservation = db.edit('reservations', id);
  charge(db, reservation, methodId, total);
  reservation.set('flights', flights);
  recordPayment(reservation, methodId, total);
  return writeJson(reservation);
}

export const airlineReservationTools: readonly ToolDefinition[] = [
  {
    name: 'cancel_reservation',
    className: 'CancelReservation',
    parameters: ['reservation_id'],
    effect: 'write',
    invoke: cancelReservation,
  },
  {
    name: 'update_reservation_baggages',
    className: 'UpdateReservationBaggages',
    parameters: ['reservation_id', 'total_baggages', 'nonfree_baggages', 'payment_id'],
    effect: 'write',
    invoke: updateBaggages,
  },
  {
    name: 'update_reservation_flights',
    className: 'UpdateReservationFlights',
    parameters: ['reservation_id', 'cabin', 'flights', 'payment_id'],
    effect: 'write',
    invoke: updateFlights,
  },
  {
    name: 'update_reservation_passengers',
    className: 'UpdateReservationPassengers',
    parameters: ['reservation_id', 'passengers'],
    effect: 'write',
    invoke: updatePassengers,
  },
];
