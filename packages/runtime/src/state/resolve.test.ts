import { expect, test } from 'vitest';
import type { JsonObject } from '../types.ts';
import { compileContract } from './contract.ts';
import { applyDelta } from './delta.ts';
import { accepted, issuesOf, merge, operate, orderSchema, orderState, refused } from './fixture.test.data.ts';
import { resolvePending } from './resolve.ts';

test('an object merges deeply: what is left out stays', () => {
  const { state, delta } = accepted(merge({ customer: { age: 31 }, shelves: { s3: 'z' } }));
  expect(state['customer']).toEqual({ name: 'Ana', age: 31 });
  expect(state['shelves']).toEqual({ s1: 'x', s2: 'y', s3: 'z' });
  expect(delta).toEqual([
    { set: '/shelves/s3', value: 'z' },
    { set: '/customer/age', value: 31 },
  ]);
});

test('what does not change is shared, and the old state is untouched', () => {
  const before = JSON.stringify(orderState);
  const { state } = accepted(merge({ customer: { age: 31 } }));
  expect(state['orders']).toBe(orderState['orders']);
  expect(JSON.stringify(orderState)).toBe(before);
});

test('an echo of the whole state is a no-op, runtime-owned fields included', () => {
  const { state, delta } = accepted(merge(structuredClone(orderState)));
  expect(delta).toEqual([]);
  expect(state).toBe(orderState);
});

test('an empty patch is a no-op', () => {
  expect(accepted(merge({})).state).toBe(orderState);
});

test('append: new items go to the end', () => {
  expect(accepted(merge({ log: ['read'] })).state['log']).toEqual(['start', 'read']);
});

test('append: the whole list with a tail adds only the tail', () => {
  const { state, delta } = accepted(merge({ log: ['start', 'read'] }));
  expect(state['log']).toEqual(['start', 'read']);
  expect(delta).toEqual([{ set: '/log/1', value: 'read' }]);
});

test('append: $append always adds, also what is there', () => {
  expect(accepted(merge({ log: { $append: ['start'] } })).state['log']).toEqual(['start', 'start']);
});

test('append: a part of the list with new items is refused, as both readings lose something', () => {
  const state = { ...orderState, log: ['a', 'b', 'c'] };
  expect(refused(merge({ log: ['b', 'c', 'd'] }, { state }))).toEqual(['overwrite.partly_restated /log']);
});

test('union: adds what is missing, $remove removes, order stays', () => {
  expect(accepted(merge({ tags: ['b', 'a', 'b'] })).state['tags']).toEqual(['a', 'b']);
  expect(accepted(merge({ tags: { $remove: ['a'], $append: ['c'] } })).state['tags']).toEqual(['c']);
});

test('union: an empty list changes nothing', () => {
  expect(accepted(merge({ tags: [] })).delta).toEqual([]);
});

test('keyed: records merge by key, new ones are added, others stay', () => {
  const { state } = accepted(merge({ orders: [{ id: 'o2', status: 'paid' }, { id: 'o3' }] }));
  expect(state['orders']).toEqual([
    { id: 'o1', status: 'new', confirmed: true },
    { id: 'o2', note: 'call', status: 'paid' },
    { id: 'o3' },
  ]);
});

test('keyed: a null in a record deletes its optional member', () => {
  const { state } = accepted(merge({ orders: [{ id: 'o2', note: null }] }));
  expect((state['orders'] as JsonObject[])[1]).toEqual({ id: 'o2' });
});

test('keyed: $remove takes keys or records', () => {
  expect(accepted(merge({ orders: { $remove: ['o2'] } })).state['orders']).toHaveLength(1);
  expect(accepted(merge({ orders: { $remove: [{ id: 'o2' }] } })).state['orders']).toHaveLength(1);
});

test('keyed: a record without its key is refused', () => {
  const result = merge({ orders: [{ status: 'paid' }] });
  expect(refused(result)).toEqual(['schema.required /orders/0']);
  expect(issuesOf(result)[0]?.hint).toContain('needs id');
});

test('keyed: two different records with one key are a conflict', () => {
  const result = merge({
    orders: [
      { id: 'o3', note: 'a' },
      { id: 'o3', note: 'b' },
    ],
  });
  expect(refused(result)).toEqual(['overwrite.conflict /orders']);
});

test('sum takes $add only; max keeps the larger', () => {
  expect(accepted(merge({ spent: { $add: 2.5 } })).state['spent']).toBe(7.5);
  expect(refused(merge({ spent: 7 }))).toEqual(['overwrite.sum_replaced /spent']);
  expect(refused(merge({ spent: { $set: 7 } }))).toEqual(['overwrite.sum_replaced /spent']);
  expect(accepted(merge({ spent: 5 })).delta).toEqual([]);
  expect(accepted(merge({ best: 12 })).state['best']).toBe(12);
  const kept = accepted(merge({ best: 9 }));
  expect(kept.state['best']).toBe(10);
  expect(kept.remarks).toEqual(['/best: kept 10, 9 is not larger']);
});

test('a declared replace is not guarded', () => {
  const state = { ...orderState, plan: ['a', 'b'] };
  expect(accepted(merge({ plan: ['c'] }, { state })).state['plan']).toEqual(['c']);
});

test('a list without a policy may grow and be reordered, but loses items only by $remove or $set', () => {
  const grown = accepted(merge({ facts: ['keep JSON API', 'UTC', 'admin only'] }));
  expect(grown.state['facts']).toEqual(['keep JSON API', 'UTC', 'admin only']);
  expect(accepted(merge({ facts: { $remove: ['admin only'] } })).state['facts']).toEqual(['keep JSON API']);
  expect(accepted(merge({ facts: { $set: [] } })).state['facts']).toEqual([]);
  expect(refused(merge({ facts: [] }))).toEqual(['overwrite.dropped_items /facts']);
});

test('removing what is not there is a no-op that the log mentions', () => {
  const { delta, remarks } = accepted(merge({ facts: { $remove: ['nothing'] } }));
  expect(delta).toEqual([]);
  expect(remarks[0]).toContain('"nothing"');
});

test('forms are checked: alone, known, and only where they fit', () => {
  expect(refused(merge({ facts: { $apend: ['x'] } }))).toEqual(['syntax.form /facts']);
  expect(issuesOf(merge({ facts: { $apend: ['x'] } }))[0]?.hint).toContain('did you mean $append?');
  expect(refused(merge({ facts: { $set: [], $append: ['x'] } }))).toEqual(['syntax.form /facts']);
  expect(refused(merge({ task: { $append: ['x'] } }))).toEqual(['syntax.form /task']);
  expect(refused(merge({ best: { $add: 1 } }))).toEqual(['syntax.form /best']);
  expect(refused(merge({ $set: { task: 'x' } }))).toEqual(['syntax.patch ']);
});

test('no key of the state may begin with $, at any depth', () => {
  const schema: JsonObject = { type: 'object', properties: { any: {}, list: { type: 'array' } } };
  const trial = { schema, state: {} };
  expect(refused(merge({ list: [{ a: { $type: 'V2' } }] }, trial))).toEqual([
    'syntax.reserved_key /list/0/a/$type',
  ]);
  expect(refused(merge({ any: { $set: { b: { $append: [1] } } } }, trial))).toEqual([
    'syntax.reserved_key /any/b/$append',
  ]);
});

test('every problem comes back at once', () => {
  const result = merge({
    tsk: 'x',
    facts: ['new'],
    customer: { age: 200 },
    done: 'no',
    verified_ids: ['o1'],
    task: null,
  });
  expect(refused(result).toSorted()).toEqual([
    'overwrite.dropped_items /facts',
    'overwrite.null_required /task',
    'owner.runtime /verified_ids',
    'schema.range /customer/age',
    'schema.type /done',
    'schema.unknown_key /tsk',
  ]);
});

test('hints say what was wanted and what came', () => {
  const hints = Object.fromEntries(
    issuesOf(merge({ customer: { age: 200 }, done: 'no', orders: [{ id: 'o1', status: 'payd' }] })).map(
      ({ path, hint }) => [path, hint],
    ),
  );
  expect(hints).toEqual({
    '/customer/age': 'wanted <= 150, got integer 200',
    '/done': 'wanted boolean, got string "no"',
    '/orders/0/status': 'wanted one of "new", "paid", got string "payd"; did you mean "paid"?',
  });
});

test('a patch wrapped in another key is told to drop the wrapper', () => {
  expect(issuesOf(merge({ state: { task: 'x' } }))[0]?.hint).toContain('leave out the wrapper state');
});

test('x-overflow: drop-oldest makes room and says what it dropped', () => {
  const state = { ...orderState, recent: ['a', 'b', 'c'] };
  const { state: next, remarks, delta } = accepted(merge({ recent: ['d'] }, { state }));
  expect(next['recent']).toEqual(['b', 'c', 'd']);
  expect(remarks).toEqual(['/recent: full, dropped the oldest 1: "a"']);
  expect(applyDelta(state, delta)).toEqual(next);
});

test('a commit that would break a bound is refused; a field near its bound is announced', () => {
  const facts = ['1', '2', '3', '4', '5', '6', '7'];
  const { full } = accepted(merge({ facts: { $set: facts } }));
  expect(full).toEqual([{ path: '/facts', used: 7, limit: 8, unit: 'items' }]);
  expect(refused(merge({ facts: { $set: [...facts, '8', '9'] } }))).toEqual(['bound.field /facts']);
  expect(refused(merge({ task: 'x'.repeat(201) }))).toEqual(['bound.field /task']);
  expect(refused(merge({ log: ['x'.repeat(20_000)] }))).toEqual(['bound.field /log']);
});

test('the root may have a bound of its own', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    'x-max-bytes': 60,
  };
  expect(refused(merge({ b: 'y'.repeat(30) }, { schema, state: { a: 'x'.repeat(30) } }))).toEqual([
    'bound.state ',
  ]);
});

test('runtime fields inside records are kept from removal too', () => {
  expect(refused(merge({ orders: { $remove: ['o1'] } }))).toEqual(['owner.runtime /orders/0/confirmed']);
  expect(refused(merge({ orders: { $set: [{ id: 'o1' }] } }))).toEqual(['owner.runtime /orders/0/confirmed']);
  expect(refused(merge({ orders: null }))).toEqual(['owner.runtime /orders/0/confirmed']);
  expect(refused(merge({ orders: [{ id: 'o9', confirmed: true }] }))).toEqual([
    'owner.runtime /orders/2/confirmed',
  ]);
});

test('each owner writes its own fields, and nobody another owner’s', () => {
  expect(accepted(merge({ verified_ids: ['o1'] }, { actor: 'runtime' })).delta).toHaveLength(1);
  expect(accepted(merge({ constraints: { $append: ['x'] } }, { actor: 'user' })).delta).toHaveLength(1);
  expect(refused(merge({ constraints: { $append: ['x'] } }))).toEqual(['owner.user /constraints']);
  expect(refused(merge({ constraints: { $append: ['x'] } }, { actor: 'runtime' }))).toEqual([
    'owner.user /constraints',
  ]);
  expect(refused(merge({ verified_ids: ['o1'] }, { actor: 'user' }))).toEqual([
    'owner.runtime /verified_ids',
  ]);
});

test('a guard never hides that the field is not the model’s', () => {
  expect(refused(merge({ constraints: [] }))).toEqual(['owner.user /constraints']);
  expect(refused(merge({ constraints: { $apend: ['x'] } }))).toEqual(['owner.user /constraints']);
  expect(refused(operate([{ op: 'set', path: '/constraints', value: [] }]))).toEqual([
    'owner.user /constraints',
  ]);
});

test('x-commit: success fields wait, checked at once, and are applied to the state of later', () => {
  const { state, pending, delta } = accepted(merge({ task: 'send', sent: ['m1'] }));
  expect(delta).toEqual([{ set: '/task', value: 'send' }]);
  expect(pending).toEqual({ sent: ['m1'] });
  const later = resolvePending(
    compileContract(orderSchema),
    { ...state, sent: ['m0'] },
    pending as JsonObject,
  );
  expect(accepted(later).state['sent']).toEqual(['m0', 'm1']);
  expect(refused(merge({ sent: [7] }, { coerce: false }))).toEqual(['schema.type /sent/0']);
  expect(accepted(merge({ sent: ['m1'] }, { state: { ...state, sent: ['m1'] } })).pending).toBeNull();
});

test('a waiting member of a keyed record leaves the rest of the record free', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      orders: {
        type: 'array',
        'x-merge': 'keyed',
        items: {
          type: 'object',
          required: ['id'],
          properties: {
            id: { type: 'string' },
            note: { type: 'string' },
            shipped: { type: 'boolean', 'x-commit': 'success' },
          },
        },
      },
    },
  };
  const trial = { schema, state: { orders: [{ id: 'a' }] } };
  const { state, pending } = accepted(merge({ orders: [{ id: 'a', note: 'n', shipped: true }] }, trial));
  expect(state).toEqual({ orders: [{ id: 'a', note: 'n' }] });
  expect(pending).toEqual({ orders: [{ id: 'a', shipped: true }] });
});

test('P05: a JSON text is decoded only where the schema wants a list or object, as a whole', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { facts: { type: 'array', items: { type: 'string' } }, note: { type: 'string' } },
  };
  const note = '[label]: {"k":1}\nsecond line';
  const { state, remarks } = accepted(
    merge({ facts: '["admin only","UTC times"]', note }, { schema, state: {} }),
  );
  expect(state).toEqual({ facts: ['admin only', 'UTC times'], note });
  expect(remarks).toEqual(['/facts: decoded the JSON text']);
  const broken = merge({ facts: '["admin only"] and more' }, { schema, state: {} });
  expect(refused(broken)).toEqual(['schema.type /facts']);
  expect(refused(merge({ facts: '["a"]' }, { schema, state: {}, coerce: false }))).toEqual([
    'schema.type /facts',
  ]);
});

test('P09: a patch nested 20,000 deep is refused with the limit named, and the process lives', () => {
  let deep: JsonObject = {};
  for (let i = 0; i < 20_000; i++) deep = { a: deep };
  const result = merge({ any: deep }, { schema: { type: 'object', properties: { any: {} } }, state: {} });
  expect(refused(result)[0]).toMatch(/^syntax\.depth /);
  expect(issuesOf(result)[0]?.hint).toContain('64');
});

test('P10: keys that reach prototypes are refused at any depth and pollute nothing', () => {
  const patch = JSON.parse(
    '{"__proto__":{"admin":true},"a":{"constructor":{"prototype":{"x":1}}}}',
  ) as JsonObject;
  const schema: JsonObject = { type: 'object', properties: { a: {} } };
  expect(refused(merge(patch, { schema, state: {} }))).toEqual([
    'syntax.forbidden_key /__proto__',
    'syntax.forbidden_key /a/constructor',
  ]);
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
});

test('P11: lossless coercion only, in the remarks; the range is judged after it', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { count: { type: 'integer', maximum: 9 }, active: { type: 'boolean' } },
  };
  const trial = { schema, state: {} };
  const six = accepted(merge({ count: '6' }, trial));
  expect(six.state).toEqual({ count: 6 });
  expect(six.remarks).toEqual(['/count: read "6" as 6']);
  expect(accepted(merge({ active: 'false' }, trial)).state).toEqual({ active: false });
  for (const count of ['6.5', '', '06', '6 items']) {
    const result = merge({ count }, trial);
    expect(refused(result)).toEqual(['schema.type /count']);
    expect(issuesOf(result)[0]?.hint).toBe(`wanted integer, got string ${JSON.stringify(count)}`);
  }
  expect(refused(merge({ active: 'no' }, trial))).toEqual(['schema.type /active']);
  expect(refused(merge({ count: '60' }, trial))).toEqual(['schema.range /count']);
  expect(refused(merge({ count: '6' }, { ...trial, coerce: false }))).toEqual(['schema.type /count']);
});

test('P13: null is refused on a required field, deletes an optional one, sets a required nullable one, and is data in lists', () => {
  const schema: JsonObject = {
    type: 'object',
    required: ['task', 'done', 'owner'],
    properties: {
      task: { type: 'string' },
      done: { type: 'boolean' },
      tmp: { type: 'string' },
      owner: { type: ['string', 'null'] },
      facts: { type: 'array', items: { type: ['string', 'null'] } },
      names: { type: 'array', items: { type: 'string' } },
    },
  };
  const trial = { schema, state: { task: 'refund', done: false, tmp: 'x', owner: 'ana' } };
  const required = merge({ task: null, tmp: null }, trial);
  expect(refused(required)).toEqual(['overwrite.null_required /task']);
  expect(issuesOf(required)[0]?.hint).toContain('/task');
  expect(accepted(merge({ tmp: null }, trial)).delta).toEqual([{ delete: '/tmp' }]);
  expect(accepted(merge({ owner: null }, trial)).state['owner']).toBeNull();
  expect(accepted(merge({ facts: [null, 'a'] }, trial)).state['facts']).toEqual([null, 'a']);
  expect(refused(merge({ names: [null, 'a'] }, trial))).toEqual(['schema.type /names/0']);
});

test('P14: a list sent with only the new item is refused with the lost items named; the whole list adds one', () => {
  const result = merge({ facts: ['times in UTC'] });
  expect(refused(result)).toEqual(['overwrite.dropped_items /facts']);
  expect(issuesOf(result)[0]?.hint).toContain('"admin only", "keep JSON API"');
  expect(issuesOf(result)[0]?.hint).toContain('{"$set": […]}');
  const full = ['admin only', 'keep JSON API', 'times in UTC'];
  expect(accepted(merge({ facts: full })).state['facts']).toEqual(full);
  expect(accepted(merge({ facts: ['admin only', 'keep JSON API'] })).delta).toEqual([]);
});

test('P15: {} is a no-op; a container and a scalar do not replace each other unless the schema takes both', () => {
  const typed: JsonObject = {
    type: 'object',
    properties: {
      order: { type: 'object', properties: { id: { type: 'integer' }, items: { type: 'array' } } },
      ref: { type: 'string' },
      either: { type: ['string', 'object'] },
    },
  };
  const trial = { schema: typed, state: { order: { id: 1, items: [1] }, ref: 'A1', either: { a: 1 } } };
  expect(accepted(merge({ order: {} }, trial)).delta).toEqual([]);
  expect(refused(merge({ order: 'done' }, trial))).toEqual(['overwrite.type_replaced /order']);
  expect(refused(merge({ order: ['done'] }, trial))).toEqual(['overwrite.type_replaced /order']);
  expect(refused(merge({ ref: { status: 'paid' } }, trial))).toEqual(['schema.type /ref']);
  expect(accepted(merge({ either: 'done' }, trial)).state['either']).toBe('done');
});

test('P16: an unknown key is refused with the near one named, also with null and in records', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { result: { type: 'object', properties: { id: { type: 'integer' } } } },
  };
  const result = merge({ task_result: { id: 7 } }, { schema, state: {} });
  expect(refused(result)).toEqual(['schema.unknown_key /task_result']);
  expect(issuesOf(result)[0]?.hint).toContain('unknown key task_result, did you mean result?');
  expect(refused(merge({ task_result: null }, { schema, state: {} }))).toEqual([
    'schema.unknown_key /task_result',
  ]);
  expect(refused(merge({ result: { idd: 7 } }, { schema, state: {} }))).toEqual([
    'schema.unknown_key /result/idd',
  ]);
  expect(refused(merge({ orders: [{ id: 'o1', stat: 'paid' }] }))).toEqual([
    'schema.unknown_key /orders/0/stat',
  ]);
});

test('P36: of two writers of one list, the second, resolved on the fresh state, keeps the first’s item', () => {
  const first = accepted(merge({ log: ['runA'] }));
  const second = accepted(merge({ log: ['runB'] }, { state: first.state }));
  expect(second.state['log']).toEqual(['start', 'runA', 'runB']);
});

test('P43: a patch that writes a verified field is refused whole', () => {
  const result = merge({ task: 'd1', verified_ids: ['d1'] });
  expect(refused(result)).toEqual(['owner.runtime /verified_ids']);
});

test('P48: constraints survive 200 noisy patches that omit or null their fields', () => {
  const schema: JsonObject = {
    type: 'object',
    required: ['constraints', 'facts', 'failed', 'noise'],
    properties: {
      constraints: { type: 'array', items: { type: 'string' }, 'x-owner': 'user' },
      facts: { type: 'array', items: { type: 'string' }, 'x-merge': 'append' },
      failed: { type: 'array', items: { type: 'string' }, 'x-merge': 'union' },
      noise: { type: 'string' },
    },
  };
  let state: JsonObject = {
    constraints: ['admin only; never touch /auth'],
    facts: ['column is cust_ref, not customer_id'],
    failed: ['approach A fails'],
    noise: '',
  };
  const noisy = [
    { constraints: null },
    { facts: null },
    { failed: [] },
    { facts: [] },
    { constraints: [] },
    {},
  ];
  for (let i = 0; i < 200; i++) {
    const result = merge({ noise: `line ${i}`, ...noisy[i % noisy.length] }, { schema, state });
    if (result.ok) ({ state } = result.value);
  }
  expect(state).toMatchObject({
    constraints: ['admin only; never touch /auth'],
    facts: ['column is cust_ref, not customer_id'],
    failed: ['approach A fails'],
  });
  const removed = accepted(merge({ failed: { $remove: ['approach A fails'] } }, { schema, state }));
  expect(removed.delta).toEqual([{ set: '/failed', value: [] }]);
});
