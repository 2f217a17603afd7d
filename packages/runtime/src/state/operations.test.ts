import { expect, test } from 'vitest';
import type { JsonObject, Operation } from '../types.ts';
import { accepted, issuesOf, merge, operate, orderState, refused } from './fixture.test.data.ts';

test('set, delete, add and remove do what they say, and nothing unnamed changes', () => {
  const { state, delta } = accepted(
    operate([
      { op: 'set', path: '/customer/age', value: 31 },
      { op: 'delete', path: '/shelves/s1' },
      { op: 'add', path: '/facts', value: 'UTC' },
      { op: 'remove', path: '/tags', value: 'a' },
      { op: 'add', path: '/spent', value: 2 },
    ]),
  );
  expect(state).toEqual({
    ...orderState,
    customer: { name: 'Ana', age: 31 },
    shelves: { s2: 'y' },
    facts: ['admin only', 'keep JSON API', 'UTC'],
    tags: [],
    spent: 7,
  });
  expect(delta).toHaveLength(5);
});

test('a record of a keyed list is addressed by its key', () => {
  const { state } = accepted(
    operate([
      { op: 'set', path: '/orders/o1/status', value: 'paid' },
      { op: 'delete', path: '/orders/o2' },
      { op: 'add', path: '/orders', value: { id: 'o3', note: 'n' } },
    ]),
  );
  expect(state['orders']).toEqual([
    { id: 'o1', status: 'paid', confirmed: true },
    { id: 'o3', note: 'n' },
  ]);
});

test('set on an object changes the members that it gives', () => {
  expect(accepted(operate([{ op: 'set', path: '/customer', value: { age: 31 } }])).state['customer']).toEqual(
    {
      name: 'Ana',
      age: 31,
    },
  );
});

test('set on a list is under the same guard as a plain array', () => {
  expect(refused(operate([{ op: 'set', path: '/facts', value: ['UTC'] }]))).toEqual([
    'overwrite.dropped_items /facts',
  ]);
  const all = { op: 'set', path: '/facts', value: { $set: ['UTC'] } } as const;
  expect(accepted(operate([all])).state['facts']).toEqual(['UTC']);
});

test('lists and objects may come as JSON text, also where the skill does not coerce', () => {
  const operations: readonly Operation[] = [
    { op: 'set', path: '/facts', value: '{"$set": ["UTC"]}' },
    { op: 'set', path: '/customer', value: '{"age": 31}' },
    { op: 'add', path: '/orders', value: '{"id": "o3"}' },
    { op: 'set', path: '/orders/o2', value: '{"note": "n"}' },
    { op: 'set', path: '/task', value: '{"not": "decoded"}' },
  ];
  const { state } = accepted(operate(operations, { coerce: false }));
  expect(state).toMatchObject({
    facts: ['UTC'],
    customer: { name: 'Ana', age: 31 },
    task: '{"not": "decoded"}',
  });
  expect(state['orders']).toHaveLength(3);
  expect(refused(operate([{ op: 'set', path: '/limit', value: '7' }], { coerce: false }))).toEqual([
    'schema.type /limit',
  ]);
});

test('operations that cannot be read say how to write them, and the rest is checked all the same', () => {
  const result = operate([
    { op: 'replace', path: '/task', value: 'x' } as unknown as Operation,
    { op: 'set', path: 'task', value: 'x' },
    { op: 'remove', path: '/facts' },
    { op: 'set', path: '/facts/0', value: 'x' },
    { op: 'add', path: '/task', value: 'x' },
    { op: 'set', path: '/tsk', value: 'x' },
    { op: 'set', path: '/limit', value: 'x' },
  ]);
  expect(refused(result)).toEqual([
    'syntax.op /task',
    'syntax.path task',
    'syntax.op /facts',
    'syntax.path /facts/0',
    'schema.unknown_key /tsk',
    'schema.type /limit',
  ]);
  expect(issuesOf(result).map(({ hint }) => hint)).toEqual([
    'unknown op replace: use set',
    'wanted a JSON Pointer: /task',
    'remove needs a value: the item to remove. To delete the whole field use delete',
    'items of /facts have no path: add and remove them by value at /facts',
    'unknown key tsk, did you mean task?',
    'wanted integer or null, got string "x"',
  ]);
});

test('hostile operations are refused', () => {
  expect(refused(operate('set' as unknown as Operation[]))).toEqual(['syntax.op ']);
  expect(refused(operate([null as unknown as Operation]))).toEqual(['syntax.op ']);
  expect(refused(operate([{ op: 'set', path: '', value: {} }]))).toEqual(['syntax.path ']);
  expect(refused(operate([{ op: 'set', path: '/shelves/__proto__', value: 'x' }]))).toEqual([
    'syntax.forbidden_key /shelves/__proto__',
  ]);
  expect(refused(operate([{ op: 'set', path: '/shelves/$set', value: { s1: 'z' } }]))).toEqual([
    'syntax.reserved_key /shelves/$set',
  ]);
});

test('P12: a field that strict output had to name keeps its value; only delete and remove take away', () => {
  const state: JsonObject = { task: 'export', people: ['ana', 'bo'], limit: 10 };
  const schema: JsonObject = {
    type: 'object',
    properties: {
      task: { type: 'string' },
      people: { type: 'array', items: { type: 'string' } },
      limit: { type: 'integer' },
    },
  };
  const trial = { state, schema };
  expect(accepted(operate([{ op: 'set', path: '/task', value: 'export' }], trial)).delta).toEqual([]);
  expect(refused(operate([{ op: 'set', path: '/people', value: [] }], trial))).toEqual([
    'overwrite.dropped_items /people',
  ]);
  expect(refused(operate([{ op: 'set', path: '/limit', value: null }], trial))).toEqual([
    'schema.type /limit',
  ]);
  expect(accepted(operate([{ op: 'delete', path: '/limit', value: null }], trial)).delta).toEqual([
    { delete: '/limit' },
  ]);
  expect(refused(merge({ task: 'export', people: [], limit: null }, trial))).toEqual([
    'overwrite.dropped_items /people',
  ]);
});

test('P20: disjoint writes land in any order; a true conflict is one refusal that names the path', () => {
  const a: Operation = { op: 'set', path: '/shelves/~1a.txt', value: '1' };
  const b: Operation = { op: 'set', path: '/shelves/~1b.txt', value: '1' };
  const both = accepted(operate([a, b])).state;
  expect(accepted(operate([b, a])).state).toEqual(both);
  expect(both['shelves']).toMatchObject({ '/a.txt': '1', '/b.txt': '1' });
  for (const operations of [
    [a, { ...a, value: '2' }],
    [{ ...a, value: '2' }, a],
    [a, { op: 'delete', path: a.path } as const],
  ]) {
    expect(refused(operate(operations))).toEqual(['overwrite.conflict /shelves/~1a.txt']);
  }
  expect(accepted(operate([a, a])).delta).toHaveLength(1);
  const whole: Operation = { op: 'set', path: '/customer', value: { age: 1 } };
  expect(refused(operate([whole, { op: 'set', path: '/customer/age', value: 2 }]))).toEqual([
    'overwrite.conflict /customer',
  ]);
});
