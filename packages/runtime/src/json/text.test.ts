import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../types.ts';
import { jsonEqual } from './equal.ts';
import { formatPointer, getAt, parsePointer } from './pointer.ts';
import { canonicalJson, promptJson, sha256 } from './text.ts';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

test('canonical text follows RFC 8785 and does not depend on the order of members', () => {
  expect(canonicalJson({ b: 1e21, a: [1.0, -0, '\u20ac'], '10': 1, '2': 2 })).toBe(
    '{"10":1,"2":2,"a":[1,0,"€"],"b":1e+21}',
  );
  expect(() => canonicalJson(undefined as unknown as Json)).toThrow();
});

test('sha256 takes text or bytes', () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  expect(sha256('')).toBe(empty);
  expect(sha256(new Uint8Array())).toBe(empty);
  expect(sha256('é')).toBe(sha256(new TextEncoder().encode('é')));
});

test('prompt text follows the declared order, at every level', () => {
  const schema: JsonObject = {
    properties: {
      plan: { $ref: '#/$defs/plan' },
      orders: { additionalProperties: { properties: { z: {}, a: {} } } },
      list: { items: { anyOf: [{ type: 'null' }, { properties: { y: {}, b: {} } }] } },
      '7': {},
    },
    $defs: { plan: { properties: { second: {}, first: {} } } },
    'x-order': ['plan', '7'],
  };
  const value: Json = {
    '7': 1,
    list: [{ b: 1, y: 2 }, null],
    orders: { o2: { a: 1, z: 2 }, o1: { a: 3, z: 4 } },
    plan: { first: 1, second: 2 },
    unknown: true,
  };
  expect(promptJson(value, schema)).toBe(
    '{"plan":{"second":2,"first":1},"7":1,"orders":{"o1":{"z":4,"a":3},"o2":{"z":2,"a":1}},"list":[{"y":2,"b":1},null],"unknown":true}',
  );
});

test('P51: undeclared keys print by code point, integer-like ones too, whatever the order they came in', () => {
  const expected = '{"10":1,"2":1,"a":1,"b":1,"\uffff":1,"😀":1}';
  const keys = ['b', '10', '2', 'a', '😀', '\uffff'];
  for (const order of [keys, keys.toReversed()]) {
    expect(promptJson(Object.fromEntries(order.map((key) => [key, 1])))).toBe(expected);
  }
  expect(promptJson(['b', 'a', 'c'])).toBe('["b","a","c"]');
  expect(promptJson({ a: 1, b: [] })).toBe(promptJson({ b: [], a: 1 }));
  expect(promptJson({ b: 1, a: 2 }, { properties: { b: {}, a: {} } })).toBe('{"b":1,"a":2}');
});

test('P51: another process prints the same bytes', () => {
  const url = new URL('./text.ts', import.meta.url).href;
  const code = `import {promptJson} from ${JSON.stringify(url)}; process.stdout.write(promptJson({"a":1,"2":1,"b":{"10":1,"9":2},"10":3}, {properties:{b:{},a:{}}}))`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  expect(printed).toBe(
    promptJson({ '10': 3, b: { '9': 2, '10': 1 }, '2': 1, a: 1 }, { properties: { b: {}, a: {} } }),
  );
});

test('prompt text parses back to the value, and a second print is the same', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = promptJson(value);
      expect(jsonEqual(JSON.parse(text) as Json, value)).toBe(true);
      expect(promptJson(value)).toBe(text);
    }),
    { numRuns: 200 },
  );
});

test('only what changed is printed again', () => {
  let reads = 0;
  const part = {} as Record<string, Json>;
  Object.defineProperty(part, 'x', { enumerable: true, get: () => reads++ });
  const before: JsonObject = { part, n: 1 };
  promptJson(before);
  const first = reads;
  expect(promptJson({ ...before, n: 2 })).toMatch(/"n":2/);
  expect(reads).toBe(first);
});

test('jsonEqual knows equal values, and only those', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(jsonEqual(a, structuredClone(a))).toBe(true);
      expect(jsonEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
    }),
    { numRuns: 300 },
  );
  expect(jsonEqual({ a: 1 }, { b: 1 })).toBe(false);
  expect(jsonEqual([], {})).toBe(false);
  expect(jsonEqual({ toString: 1 }, {})).toBe(false);
});

test('pointers follow RFC 6901', () => {
  const document: Json = { foo: ['bar', 'baz'], '': 0, 'a/b': 1, 'm~n': 8, ' ': 7 };
  const cases: [string, Json | undefined][] = [
    ['', document],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/m~0n', 8],
    ['/ ', 7],
    ['/foo/-', undefined],
    ['/foo/00', undefined],
    ['/foo/length', undefined],
    ['/toString', undefined],
    ['foo', undefined],
    ['/m~2n', undefined],
  ];
  for (const [pointer, value] of cases) expect(getAt(document, pointer), pointer).toEqual(value);
  expect(parsePointer('foo')).toBeNull();
});

test('formatting and parsing a pointer are inverse', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (segments) => {
      expect(parsePointer(formatPointer(segments))).toEqual(segments);
    }),
    { numRuns: 200 },
  );
});
