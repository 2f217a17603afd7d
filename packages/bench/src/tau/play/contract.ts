import type { JsonObject } from '@skillstate/runtime';
import type { DomainName } from '../tool.ts';

/**
 * The state contracts of τ-bench, one per domain, written once and the same for all of its tasks. They name what later
 * steps of a service conversation need: who the user is, what they want, the records looked up, what was asked and
 * answered, and what the agent says it has done. Slow fields come first.
 */
export const contracts: Readonly<Record<DomainName, { state: JsonObject; initial: JsonObject }>> = {
  retail: contractOf({
    orders: records(
      'order_id',
      24,
      'Orders looked up: what of them still matters (items, options, prices, payment).',
      8,
    ),
    products: records(
      'product_id',
      24,
      'Products looked up: item ids, options and prices that still matter.',
      6,
    ),
  }),
  airline: contractOf({
    reservations: records(
      'reservation_id',
      24,
      'Reservations looked up: flights, cabin, passengers, bags, payment.',
      8,
    ),
    flights: records(
      'flight',
      40,
      'Flights found, by number and date: times, seats and prices that still matter.',
      10,
    ),
  }),
};

function contractOf(facts: JsonObject): { state: JsonObject; initial: JsonObject } {
  const properties: JsonObject = {
    user_id: { type: ['string', 'null'], maxLength: 60, description: 'Null until the user is found.' },
    authenticated: { type: 'boolean', description: 'True once the policy is met.' },
    profile: {
      type: 'string',
      maxLength: 1200,
      description: "The user's address, payment methods, membership and ids of records, as far as needed.",
    },
    intent: {
      type: 'string',
      maxLength: 1200,
      description: 'All that the user asked for, and what is still open.',
    },
    ...facts,
    confirmations: {
      type: 'array',
      maxItems: 8,
      'x-merge': 'keyed',
      'x-key': 'change',
      items: {
        type: 'object',
        properties: {
          change: { type: 'string', maxLength: 300, description: 'A change of data, with its details.' },
          answer: { enum: ['asked', 'yes', 'no'] },
        },
        required: ['change', 'answer'],
      },
      description: 'Changes that were put to the user, and the answers.',
    },
    claims: {
      type: 'array',
      maxItems: 20,
      'x-merge': 'append',
      'x-max-bytes': 10_000,
      items: {
        type: 'object',
        properties: {
          tool: { type: 'string', maxLength: 60 },
          args: { type: 'object', additionalProperties: true },
        },
        required: ['tool', 'args'],
      },
      description: 'Calls that changed data and succeeded, exactly as made; you answer for each.',
    },
    calls: { type: 'integer', minimum: 0, maximum: 10_000, description: 'Actions taken so far.' },
    notes: { type: 'string', maxLength: 1200, description: 'Anything else that later steps need.' },
  };
  const lists = Object.keys(facts).map((name) => [name, []]);
  return {
    state: { type: 'object', properties, required: Object.keys(properties) },
    initial: {
      user_id: null,
      authenticated: false,
      profile: '',
      intent: '',
      ...Object.fromEntries(lists),
      confirmations: [],
      claims: [],
      calls: 0,
      notes: '',
    },
  };
}

/** Records that were looked up, by id: what of each is worth keeping, in the agent's words. */
function records(key: string, keyLength: number, description: string, maxItems: number): JsonObject {
  return {
    type: 'array',
    maxItems,
    'x-merge': 'keyed',
    'x-key': key,
    'x-overflow': 'drop-oldest',
    items: {
      type: 'object',
      properties: {
        [key]: { type: 'string', maxLength: keyLength },
        facts: { type: 'string', maxLength: 900 },
      },
      required: [key, 'facts'],
    },
    description,
  };
}
