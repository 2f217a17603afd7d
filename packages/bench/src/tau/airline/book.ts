import type { Database } from '../database.ts';
import { writeJson } from '../python/json.ts';
import { add, equals, lessThan, multiply, type PyNumber, subtract, sum } from '../python/number.ts';
import { append, contains, dictItem, elements, item, length } from '../python/operations.ts';
import { pyError } from '../python/raise.ts';
import { str } from '../python/text.ts';
import { copyValue, type PyDict, type PyValue, typeName } from '../python/value.ts';
import type { ToolDefinition } from '../tool.ts';
import { partyPrice, priceFlight } from './seat.ts';

const parameters = [
  'user_id',
  'origin',
  'destination',
  'flight_type',
  'cabin',
  'flights',
  'passengers',
  'payment_methods',
  'total_baggages',
  'nonfree_baggages',
  'insurance',
] as const;
type Booking = Record<(typeof parameters)[number], PyValue>;

/** The three ids that bookings get; from the third on the last one is written over. */
function freeId(db: Database): string {
  return ['HATHAT', 'HATHAU'].find((id) => !db.has('reservations', id)) ?? 'HATHAV';
}

function draft(booking: Booking, id: string): PyDict {
  return new Map<string, PyValue>([
    ['reservation_id', id],
    ['user_id', booking.user_id],
    ['origin', booking.origin],
    ['destination', booking.destination],
    ['flight_type', booking.flight_type],
    ['cabin', booking.cabin],
    ['flights', copyValue(booking.flights)],
    ['passengers', booking.passengers],
    ['payment_history', booking.payment_methods],
    ['created_at', '2024-05-15T15:00:00'],
    ['total_baggages', booking.total_baggages],
    ['nonfree_baggages', booking.nonfree_baggages],
    ['insurance', booking.insurance],
  ]);
}

/** `total += 50 * bags`. Python repeats a text or list first, and then cannot add it. */
function addBagPrice(total: PyNumber, bags: PyValue): PyNumber {
  if (typeof bags === 'string' || Array.isArray(bags)) {
    const types = `'${typeName(total)}' and '${typeName(bags)}'`;
    throw pyError('TypeError', `unsupported operand type(s) for +=: ${types}`);
  }
  return add(total, multiply(50n, bags), '+=');
}

/** Prices the draft's flights, insurance and bags, or gives the tool's error text. */
function totalPrice(db: Database, booking: Booking, reservation: PyDict): PyNumber | string {
  let total: PyNumber = 0n;
  for (const flight of elements(item(reservation, 'flights'))) {
    const refusal = priceFlight(db, flight, booking.cabin, booking.passengers);
    if (refusal !== undefined) return refusal;
    total = add(total, partyPrice(flight, booking.passengers));
  }
  if (booking.insurance === 'yes') total = add(total, multiply(30n, length(booking.passengers)));
  return addBagPrice(total, booking.nonfree_baggages);
}

function refusePayment(user: PyDict, payments: PyValue, total: PyNumber): string | undefined {
  const methods = dictItem(user, 'payment_methods');
  for (const payment of elements(payments)) {
    const [id, amount] = [item(payment, 'payment_id'), item(payment, 'amount')];
    if (!contains(methods, id)) return `Error: payment method ${str(id)} not found`;
    const method = item(methods, id);
    if (
      contains(['gift_card', 'certificate'], item(method, 'source')) &&
      lessThan(item(method, 'amount'), amount)
    )
      return `Error: not enough balance in payment method ${str(id)}`;
  }
  const paid = sum(elements(payments).map((payment) => item(payment, 'amount')));
  if (equals(paid, total)) return undefined;
  return `Error: payment amount does not add up, total price is ${str(total)}, but paid ${str(paid)}`;
}

function deduct(user: PyDict, payment: PyValue): void {
  const methods = dictItem(user, 'payment_methods');
  const id = item(payment, 'payment_id');
  const method = item(methods, id);
  const source = item(method, 'source');
  if (source === 'gift_card' && method instanceof Map)
    method.set('amount', subtract(item(method, 'amount'), item(payment, 'amount'), '-='));
  else if (source === 'certificate') methods.delete(str(id));
}

function bookReservation(db: Database, ...values: PyValue[]): string {
  const booking = Object.fromEntries(parameters.map((name, i) => [name, values[i] ?? null])) as Booking;
  if (!db.has('users', booking.user_id)) return 'Error: user not found';
  const id = freeId(db);
  const reservation = draft(booking, id);
  const total = totalPrice(db, booking, reservation);
  if (typeof total === 'string') return total;
  const refusal = refusePayment(db.read('users', booking.user_id), booking.payment_methods, total);
  if (refusal !== undefined) return refusal;
  const user = db.edit('users', booking.user_id);
  for (const payment of elements(booking.payment_methods)) deduct(user, payment);
  db.put('reservations', id, reservation);
  append(item(user, 'reservations'), id);
  return writeJson(reservation);
}

export const airlineBookingTools: readonly ToolDefinition[] = [
  {
    name: 'book_reservation',
    className: 'BookReservation',
    parameters,
    effect: 'write',
    invoke: bookReservation,
  },
];
