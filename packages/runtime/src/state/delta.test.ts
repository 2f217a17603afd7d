import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../types.ts';
import { applyDelta, replay, stateDiff } from './delta.ts';

test('a delta is applied in order and shares what it does not touch', () => {
  const state: JsonObject = { a: { b: [1, 2] }, c: { d: 1 } };
  const next = applyDelta(state, [
    { set: '/a/b/2', value: 3 },
    { delete: '/a/b/0' },
    { set: '/a/e', value: { f: 1 } },
    { set: '/a/e/f', value: 2 },
  ]);
  expect(next).toEqual({ a: { b: [2, 3], e: { f: 2 } }, c: { d: 1 } });
  expect(next['c']).toBe(state['c']);
  expect(state).toEqual({ a: { b: [1, 2] }, c: { d: 1 } });
});

test('a value that the delta carries is not changed by a later entry', () => {
  const value = { f: 1 };
  applyDelta({}, [
    { set: '/e', value },
    { set: '/e/f', value: 2 },
  ]);
  expect(value).toEqual({ f: 1 });
});

test('a delta that was made for another state throws', () => {
  const bad = [
    { delete: '/x' },
    { set: '/x/y', value: 1 },
    { set: '/list/2', value: 1 },
    { delete: '/list/1' },
    { set: '/list/-', value: 1 },
    { set: '/list/__proto__', value: 1 },
    { set: '/__proto__', value: {} },
    { set: '/__proto__/x', value: 1 },
    { set: 'x', value: 1 },
    { delete: '' },
    { set: '', value: 1 },
  ];
  for (const change of bad) expect(() => applyDelta({ list: [1] }, [change])).toThrow('delta');
});

test('one new item, one gone, one changed: small deltas', () => {
  const list = Array.from({ length: 50 }, (_, i) => ({ id: i, text: `item ${i}` }));
  const from = { list };
  expect(stateDiff(from, { list: [...list, { id: 50, text: 'new' }] })).toHaveLength(1);
  expect(stateDiff(from, { list: list.filter(({ id }) => id !== 7 && id !== 20) })).toEqual([
    { delete: '/list/20' },
    { delete: '/list/7' },
  ]);
  expect(stateDiff(from, { list: list.with(3, { id: 3, text: 'x' }) })).toEqual([
    { set: '/list/3/text', value: 'x' },
  ]);
  expect(stateDiff(from, { list: [...list.slice(1), { id: 50, text: 'new' }] })).toHaveLength(2);
  expect(stateDiff(from, { list: [] })).toEqual([{ set: '/list', value: [] }]);
});

const key = fc.constantFrom('a', 'b', 'c/d', 'e~f', '', '0', '1');
const { object } = fc.letrec<{ object: JsonObject; value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(0, 1, 'x', 'y', true, null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('value') as fc.Arbitrary<never>, { maxKeys: 4, noNullPrototype: true }),
}));

test('applying the difference of two states to the first gives the second', () => {
  fc.assert(
    fc.property(object, object, (a, b) => {
      const before = structuredClone(a);
      expect(applyDelta(a, stateDiff(a, b))).toEqual(b);
      expect(a).toEqual(before);
      expect(stateDiff(a, structuredClone(a))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('replaying the deltas of a chain of states gives its last', () => {
  fc.assert(
    fc.property(fc.array(object, { minLength: 1, maxLength: 6 }), (states) => {
      const first = states[0] as JsonObject;
      const deltas = states.slice(1).map((state, i) => stateDiff(states[i] as JsonObject, state));
      expect(replay(first, deltas)).toEqual(states.at(-1));
    }),
    { numRuns: 100 },
  );
});
