import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonEqual } from '../json/equal.ts';
import { canonicalJson } from '../json/text.ts';
import type { Json, JsonObject, Operation } from '../types.ts';
import { checkState } from './check-state.ts';
import { compileContract } from './contract.ts';
import { applyDelta, replay } from './delta.ts';
import { accepted, merge, operate, orderSchema, orderState } from './fixture.test.data.ts';
import { jsonBytes } from './size.ts';

const contract = compileContract(orderSchema);
const word = fc.constantFrom('a', 'b', 'c', 'd');
const words = fc.array(word, { maxLength: 4 });
const record = fc.record(
  {
    id: fc.constantFrom('o1', 'o2', 'o3'),
    status: fc.constantFrom('new', 'paid', null),
    note: fc.constantFrom('x', 'y', null),
    confirmed: fc.boolean(),
  },
  { requiredKeys: ['id'] },
);
const listForm = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.record(
      { $append: fc.array(item, { maxLength: 2 }), $remove: fc.array(item, { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
    fc.record({ $set: fc.array(item, { maxLength: 3 }) }),
  );
const list = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(fc.array(item, { maxLength: 3 }), listForm(item), fc.constant(null));
const hostile = fc.constantFrom<unknown>(
  { $set: 1 },
  [{}],
  { a: { b: [] } },
  '{"a":1}',
  '[1]',
  '6',
  1e308,
  { $x: 1 },
  '',
);

/** Patches of every form, of few fields each: valid ones, refused ones, and shapes that fit nowhere. */
const fields = fc.record(
  {
    task: fc.oneof(word, fc.constant(null), hostile),
    done: fc.oneof(fc.boolean(), fc.constant('true')),
    facts: fc.oneof(list(word), fc.constant(['admin only', 'keep JSON API', 'c']), hostile),
    log: list(word),
    recent: list(word),
    plan: list(word),
    tags: list(word),
    orders: fc.oneof(list(record), fc.record({ $remove: fc.array(fc.constantFrom('o1', 'o2')) })),
    shelves: fc.oneof(
      fc.dictionary(word, fc.oneof(word, fc.constant(null)), { noNullPrototype: true }),
      hostile,
    ),
    customer: fc.oneof(
      fc.record({ name: word, age: fc.constantFrom(1, 200, '7', null) }, { requiredKeys: [] }),
      hostile,
    ),
    spent: fc.oneof(fc.record({ $add: fc.integer({ min: -3, max: 3 }) }), fc.constant(5), fc.constant(6)),
    best: fc.integer({ min: 0, max: 20 }),
    limit: fc.constantFrom(null, 3, '4'),
    constraints: fc.constantFrom(['never touch /auth'], []),
    sent: list(word),
    unknown: word,
  },
  { requiredKeys: [] },
) as unknown as fc.Arbitrary<JsonObject>;
const patch = fc
  .tuple(fields, fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 3 }))
  .map(([all, from, count]) =>
    Object.fromEntries(
      [...Object.entries(all), ...Object.entries(all)]
        .slice(from % (Object.keys(all).length + 1))
        .slice(0, count),
    ),
  );

/** States reached from the fixture by a few patches. */
const state = fc.array(patch, { maxLength: 5 }).map((patches) => {
  let here = orderState;
  for (const one of patches) {
    const result = merge(one, { state: here });
    if (result.ok) here = result.value.state;
  }
  return here;
});

test('deterministic: the same patch on the same state gives the same result', () => {
  fc.assert(
    fc.property(state, patch, (here, one) => {
      expect(merge(structuredClone(one), { state: structuredClone(here) })).toEqual(
        merge(one, { state: here }),
      );
    }),
    { numRuns: 150 },
  );
});

test('an empty patch and an echo of the state are identity', () => {
  fc.assert(
    fc.property(state, (here) => {
      expect(accepted(merge({}, { state: here })).state).toBe(here);
      const echo = accepted(merge(structuredClone(here), { state: here }));
      expect([echo.delta, echo.pending]).toEqual([[], null]);
    }),
    { numRuns: 150 },
  );
});

test('a refused patch changes nothing; an accepted one leaves a valid state, as its delta says', () => {
  let refusals = 0;
  let changes = 0;
  fc.assert(
    fc.property(state, patch, (here, one) => {
      const text = canonicalJson(here);
      const result = merge(one, { state: here });
      expect(canonicalJson(here)).toBe(text);
      if (!result.ok) {
        refusals++;
        expect(result.issues.length).toBeGreaterThan(0);
        return;
      }
      if (result.value.delta.length > 0) changes++;
      expect(applyDelta(here, result.value.delta)).toEqual(result.value.state);
      expect(checkState(contract, result.value.state)).toEqual([]);
      expect(jsonBytes(result.value.state)).toBe(Buffer.byteLength(JSON.stringify(result.value.state)));
      expect(jsonBytes(result.value.state)).toBeLessThanOrEqual(contract.worstCaseBytes.total);
    }),
    { numRuns: 400 },
  );
  expect(Math.min(refusals, changes)).toBeGreaterThan(30);
});

test('replaying the deltas of a run gives its state, without schema or merge', () => {
  fc.assert(
    fc.property(fc.array(patch, { maxLength: 12 }), (patches) => {
      let here = orderState;
      const deltas = patches.flatMap((one) => {
        const result = merge(one, { state: here });
        if (!result.ok) return [];
        here = result.value.state;
        return [result.value.delta];
      });
      const stored = JSON.parse(JSON.stringify(deltas)) as typeof deltas;
      expect(replay(orderState, stored)).toEqual(here);
    }),
    { numRuns: 100 },
  );
});

const sorted = (value: Json | undefined): readonly string[] =>
  ((value ?? []) as Json[]).map(canonicalJson).toSorted();

test('union is idempotent, and its order does not matter', () => {
  fc.assert(
    fc.property(state, words, words, (here, a, b) => {
      const add = (from: JsonObject, tags: readonly string[]) =>
        accepted(merge({ tags }, { state: from })).state;
      const once = add(here, a);
      expect(add(once, a)).toBe(once);
      expect(sorted(add(once, b)['tags'])).toEqual(sorted(add(add(here, b), a)['tags']));
    }),
    { numRuns: 150 },
  );
});

const change = fc.array(fc.record({ id: fc.constantFrom('o1', 'o2', 'o3', 'o4'), note: word }), {
  maxLength: 2,
});

test('keyed is idempotent, and the order of patches for different records or members does not matter', () => {
  fc.assert(
    fc.property(state, change, fc.constantFrom('o1', 'o5'), (here, records, id) => {
      const notes = [...new Map(records.map((one) => [one.id, one])).values()];
      const put = (from: JsonObject, orders: readonly JsonObject[]) =>
        accepted(merge({ orders }, { state: from })).state;
      const once = put(here, notes);
      expect(put(once, notes)).toBe(once);
      const other = [{ id, status: 'paid' }];
      expect(sorted(put(once, other)['orders'])).toEqual(sorted(put(put(here, other), notes)['orders']));
    }),
    { numRuns: 150 },
  );
});

/** The same edits in both dialects. */
type Edit = { readonly merge: JsonObject; readonly operations: readonly Operation[] };
const edit: fc.Arbitrary<Edit> = fc.oneof(
  word.map((value) => ({
    merge: { task: value },
    operations: [{ op: 'set', path: '/task', value }] as const,
  })),
  fc.constant<Edit>({ merge: { limit: null }, operations: [{ op: 'delete', path: '/limit' }] }),
  word.map((value) => ({
    merge: { facts: { $append: [value] } },
    operations: [{ op: 'add', path: '/facts', value }] as const,
  })),
  words.map((value) => ({
    merge: { facts: value },
    operations: [{ op: 'set', path: '/facts', value }] as const,
  })),
  word.map((value) => ({
    merge: { tags: [value] },
    operations: [{ op: 'add', path: '/tags', value }] as const,
  })),
  word.map((value) => ({
    merge: { tags: { $remove: [value] } },
    operations: [{ op: 'remove', path: '/tags', value }] as const,
  })),
  fc.integer({ min: 1, max: 9 }).map((value) => ({
    merge: { spent: { $add: value } },
    operations: [{ op: 'add', path: '/spent', value }] as const,
  })),
  fc.tuple(word, word).map(([key, value]) => ({
    merge: { shelves: { [key]: value } },
    operations: [{ op: 'set', path: `/shelves/${key}`, value }] as const,
  })),
  fc.tuple(fc.constantFrom('o1', 'o7'), word).map(([id, note]) => ({
    merge: { orders: [{ id, note }] },
    operations: [{ op: 'set', path: `/orders/${id}/note`, value: note }] as const,
  })),
  fc.constantFrom('o1', 'o2').map((id) => ({
    merge: { orders: { $remove: [id] } },
    operations: [{ op: 'delete', path: `/orders/${id}` }] as const,
  })),
  word.map((value) => ({
    merge: { sent: [value] },
    operations: [{ op: 'set', path: '/sent', value: [value] }] as const,
  })),
);

test('the same edit in either dialect has the same effect', () => {
  fc.assert(
    fc.property(state, fc.array(edit, { maxLength: 3 }), (here, edits) => {
      const fields = new Map(edits.map((one) => [Object.keys(one.merge)[0], one]));
      const distinct = [...fields.values()];
      const asMerge = merge(Object.assign({}, ...distinct.map((one) => one.merge)) as JsonObject, {
        state: here,
      });
      const asOperations = operate(
        distinct.flatMap((one) => one.operations),
        { state: here },
      );
      expect(asOperations.ok).toBe(asMerge.ok);
      if (asMerge.ok && asOperations.ok) {
        expect(asOperations.value.delta).toEqual(asMerge.value.delta);
        expect(asOperations.value.pending !== null).toBe(asMerge.value.pending !== null);
      } else if (!asMerge.ok && !asOperations.ok) {
        expect(asOperations.issues.map(({ code }) => code)).toEqual(asMerge.issues.map(({ code }) => code));
      }
    }),
    { numRuns: 300 },
  );
});

test('no patch of any JSON pollutes a prototype, throws, or gets an invalid state accepted', () => {
  const keys = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    '$set',
    '$append',
    'task',
    'facts',
    'orders',
    'x',
  );
  const wild = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>(null, 'a', 1, true, '[1]'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(keys, tie('value')), { maxLength: 3 }).map(ownEntries),
    ),
  })).value;
  fc.assert(
    fc.property(wild, wild, (one, other) => {
      for (const result of [
        merge(one as JsonObject),
        operate(one as Operation[]),
        operate([
          { op: 'set', path: '/orders', value: other as Json },
          { op: 'add', path: '/shelves/constructor', value: one as Json },
        ]),
      ]) {
        if (result.ok) expect(checkState(contract, result.value.state)).toEqual([]);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(jsonEqual(Object.getOwnPropertyNames({}), [])).toBe(true);
    }),
    { numRuns: 400 },
  );
});

/** An object with own members of any name, as JSON.parse makes them. */
function ownEntries(entries: readonly (readonly [string, unknown])[]): unknown {
  return JSON.parse(
    `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
  );
}
