import type { Database } from '../database.ts';
import { writeJson } from '../python/json.ts';
import { str } from '../python/text.ts';
import { dictItem } from '../python/operations.ts';
import type { PyValue } from '../python/value.ts';
import type { ToolDefinition } from '../tool.ts';

const airports: readonly [string, string][] = [
  ['SFO', 'San Francisco'],
  ['JFK', 'New York'],
  ['LAX', 'Los Angeles'],
  ['ORD', 'Chicago'],
  ['DFW', 'Dallas'],
  ['DEN', 'Denver'],
  ['SEA', 'Seattle'],
  ['ATL', 'Atlanta'],
  ['MIA', 'Miami'],
  ['BOS', 'Boston'],
  ['PHX', 'Phoenix'],
  ['IAH', 'Houston'],
  ['LAS', 'Las Vegas'],
  ['MCO', 'Orlando'],
  ['EWR', 'Newark'],
  ['CLT', 'Charlotte'],
  ['MSP', 'Minneapolis'],
  ['DTW', 'Detroit'],
  ['PHL', 'Philadelphia'],
  ['LGA', 'LaGuardia'],
];

/** The error for an unknown reservation names the user, as in the original. */
function details(table: string): (db: Database, id: PyValue) => string {
  return (db, id) => (db.has(table, id) ? writeJson(db.read(table, id)) : 'Error: user not found');
}

const certificateIds = ['certificate_3221322', 'certificate_3221323', 'certificate_3221324'];

/** Adds a certificate under the first free id; a fourth finds none and returns None. */
function sendCertificate(db: Database, userId: PyValue, amount: PyValue): string | null {
  if (!db.has('users', userId)) return 'Error: user not found';
  const taken = dictItem(db.read('users', userId), 'payment_methods');
  const id = certificateIds.find((candidate) => !taken.has(candidate));
  if (id === undefined) return null;
  const certificate = new Map<string, PyValue>([
    ['source', 'certificate'],
    ['amount', amount],
    ['id', id],
  ]);
  dictItem(db.edit('users', userId), 'payment_methods').set(id, certificate);
  return `Certificate ${id} added to user ${str(userId)} with amount ${str(amount)}.`;
}

export const airlineFindTools: readonly ToolDefinition[] = [
  {
    name: 'get_reservation_details',
    className: 'GetReservationDetails',
    parameters: ['reservation_id'],
    effect: 'read',
    invoke: details('reservations'),
  },
  {
    name: 'get_user_details',
    className: 'GetUserDetails',
    parameters: ['user_id'],
    effect: 'read',
    invoke: details('users'),
  },
  {
    name: 'list_all_airports',
    className: 'ListAllAirports',
    parameters: [],
    effect: 'read',
    invoke: () => writeJson(new Map(airports)),
  },
  {
    name: 'send_certificate',
    className: 'SendCertificate',
    parameters: ['user_id', 'amount'],
    effect: 'write',
    invoke: sendCertificate,
  },
];
