import type { Dialect, Issue, Json, JsonObject, Operation, Owner } from '../types.ts';
import { compileContract } from './contract.ts';
import { type Resolved, resolvePatch } from './resolve.ts';

/** A state with every merge policy, owner and kind of field. */
export const orderSchema: JsonObject = {
  type: 'object',
  required: ['task', 'facts', 'done'],
  properties: {
    task: { type: 'string', maxLength: 200 },
    done: { type: 'boolean' },
    facts: { type: 'array', items: { type: 'string' }, maxItems: 8 },
    log: { type: 'array', items: { type: 'string' }, 'x-merge': 'append' },
    recent: {
      type: 'array',
      items: { type: 'string' },
      maxItems: 3,
      'x-merge': 'append',
      'x-overflow': 'drop-oldest',
    },
    plan: { type: 'array', items: { type: 'string' }, 'x-merge': 'replace' },
    tags: { type: 'array', items: { type: 'string' }, 'x-merge': 'union' },
    orders: {
      type: 'array',
      'x-merge': 'keyed',
      'x-key': 'id',
      items: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          status: { enum: ['new', 'paid'] },
          note: { type: 'string' },
          confirmed: { type: 'boolean', 'x-owner': 'runtime' },
        },
      },
    },
    shelves: { type: 'object', additionalProperties: { type: 'string' } },
    customer: {
      type: 'object',
      properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0, maximum: 150 } },
    },
    spent: { type: 'number', 'x-merge': 'sum' },
    best: { type: 'number', 'x-merge': 'max' },
    limit: { type: ['integer', 'null'] },
    constraints: { type: 'array', items: { type: 'string' }, 'x-owner': 'user' },
    verified_ids: { type: 'array', items: { type: 'string' }, 'x-owner': 'runtime' },
    sent: { type: 'array', items: { type: 'string' }, 'x-merge': 'append', 'x-commit': 'success' },
  },
};

export const orderState: JsonObject = {
  task: 'export',
  done: false,
  facts: ['admin only', 'keep JSON API'],
  log: ['start'],
  tags: ['a'],
  orders: [
    { id: 'o1', status: 'new', confirmed: true },
    { id: 'o2', note: 'call' },
  ],
  shelves: { s1: 'x', s2: 'y' },
  customer: { name: 'Ana', age: 30 },
  spent: 5,
  best: 10,
  limit: 10,
  constraints: ['never touch /auth'],
  verified_ids: [],
};

export type Trial = {
  readonly state?: JsonObject;
  readonly schema?: JsonObject;
  readonly actor?: Owner;
  readonly coerce?: boolean;
};

export function merge(patch: JsonObject, trial: Trial = {}) {
  return resolve('merge', patch, trial);
}

export function operate(operations: readonly Operation[], trial: Trial = {}) {
  return resolve('operations', operations as unknown as Json, trial);
}

function resolve(dialect: Dialect, value: Json, trial: Trial) {
  const { state = orderState, schema = orderSchema, actor = 'model', coerce = true } = trial;
  const patch = { dialect, value } as Parameters<typeof resolvePatch>[2];
  return resolvePatch(compileContract(schema), state, patch, { actor, coerce });
}

/** The value of an accepted patch; throws with its issues where it was refused. */
export function accepted(result: ReturnType<typeof merge>): Resolved {
  if (result.ok) return result.value;
  throw new Error(`refused: ${JSON.stringify(result.issues)}`);
}

/** `code path` of each issue of a refused patch. */
export function refused(result: ReturnType<typeof merge>): readonly string[] {
  if (!result.ok) return result.issues.map(({ code, path }) => `${code} ${path}`);
  throw new Error(`accepted: ${JSON.stringify(result.value.delta)}`);
}

export function issuesOf(result: ReturnType<typeof merge>): readonly Issue[] {
  return result.ok ? [] : result.issues;
}
