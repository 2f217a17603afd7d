import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../types.ts';
import { checkState } from './check-state.ts';
import { checkContract, compileContract } from './contract.ts';
import { accepted, issuesOf, merge, orderSchema, orderState, refused } from './fixture.test.data.ts';
import { FORMATS } from './formats.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

test('equal schemas share one contract', () => {
  const contract = compileContract(orderSchema);
  expect(compileContract(structuredClone(orderSchema))).toBe(contract);
});

test('a schema that is no contract is refused with every fault', () => {
  const codes = (schema: JsonObject): readonly string[] => {
    const result = checkContract(schema);
    return result.ok ? [] : result.issues.map(({ code, path }) => `${code} ${path}`);
  };
  expect(codes({ type: 'array' })).toEqual(['skill.schema ']);
  expect(codes(object({ a: { type: 'strnig' } }))).toEqual(['skill.schema ']);
  expect(codes(object({ a: { tpye: 'string' } }))).toEqual(['skill.schema ']);
  expect(
    codes(
      object({
        a: { type: 'string', 'x-merge': 'append' },
        b: { type: 'array', 'x-merge': 'apend' },
        $c: { type: 'string' },
        d: { 'x-owner': 'modle' },
      }),
    ),
  ).toEqual(['skill.contract /a', 'skill.contract /b', 'skill.contract /$c', 'skill.contract /d']);
  expect(() => compileContract({ type: 'array' })).toThrow('the state is one object');
});

test('P57: local and recursive references resolve; a dangling one is refused by name', () => {
  const tree = object(
    { root: { $ref: '#/$defs/N' } },
    {
      $defs: {
        N: object({
          kids: { type: 'array', items: { $ref: '#/$defs/N' }, 'x-merge': 'append' },
          p: { anyOf: [{ $ref: '#/$defs/N' }, { type: 'null' }] },
          tags: { type: 'array', items: { type: 'string' }, 'x-merge': 'union' },
        }),
      },
    },
  );
  const state: JsonObject = { root: { p: { p: { tags: ['a'] } } } };
  const deep = merge({ root: { p: { p: { tags: ['b'], p: { tags: ['c'] } } } } }, { schema: tree, state });
  expect(accepted(deep).state).toEqual({ root: { p: { p: { tags: ['a', 'b'], p: { tags: ['c'] } } } } });
  expect(refused(merge({ root: { p: { p: { tag: [] } } } }, { schema: tree, state }))).toEqual([
    'schema.unknown_key /root/p/p/tag',
  ]);
  expect(Number.isFinite(compileContract(tree).worstCaseBytes.total)).toBe(true);
  const dangling = checkContract(object({ a: { $ref: '#/$defs/Gone' } }));
  expect(dangling.ok ? '' : dangling.issues[0]?.hint).toContain('#/$defs/Gone');
  const circle = object(
    { a: { $ref: '#/$defs/A' } },
    { $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } },
  );
  expect(checkContract(circle)).toBeDefined();
});

test('definitions that multiply each other cost no more than their text', () => {
  const $defs: Record<string, JsonObject> = { d0: { type: 'string' } };
  for (let i = 1; i <= 30; i++) {
    const $ref = `#/$defs/d${i - 1}`;
    $defs[`d${i}`] = object({ a: { $ref }, b: { $ref } });
  }
  const contract = compileContract(object({ top: { $ref: '#/$defs/d30' } }, { $defs }));
  expect(contract.worstCaseBytes.total).toBeGreaterThan(2 ** 30);
});

test('objects that name properties are closed, also through references, allOf and nullable anyOf', () => {
  const schema = object(
    {
      plain: object({ a: { type: 'string' } }),
      composed: { allOf: [object({ a: { type: 'string' } }), object({ b: { type: 'string' } })] },
      nullable: { anyOf: [object({ a: { type: 'string' } }), { type: 'null' }] },
      referred: { $ref: '#/$defs/R' },
      open: object({ a: { type: 'string' } }, { additionalProperties: true }),
      map: { type: 'object' },
    },
    { $defs: { R: object({ a: { type: 'string' } }) } },
  );
  const unknown = (key: string): readonly string[] =>
    refused(merge({ [key]: { zzz: 'x' } }, { schema, state: {} }));
  for (const key of ['plain', 'composed', 'nullable', 'referred']) {
    expect(unknown(key)).toEqual([`schema.unknown_key /${key}/zzz`]);
    expect(accepted(merge({ [key]: { a: 'x' } }, { schema, state: {} })).delta).toHaveLength(1);
    const listed = checkState(compileContract(schema), { [key]: { zzz: 'x' } });
    expect(listed.map(({ code, path }) => `${code} ${path}`)).toEqual([`schema.unknown_key /${key}/zzz`]);
  }
  expect(
    accepted(merge({ composed: { b: 'x' }, open: { x: 1 }, map: { y: 2 } }, { schema, state: {} })).delta,
  ).toHaveLength(3);
});

test('a wrong member of a nullable object is one issue, not one for each branch', () => {
  const schema = object({
    who: { anyOf: [object({ name: { type: 'string' }, age: { type: 'integer' } }), { type: 'null' }] },
  });
  const result = merge({ who: { name: 'x', age: 'old' } }, { schema, state: {} });
  expect(issuesOf(result)).toEqual([
    { code: 'schema.type', path: '/who/age', hint: 'wanted integer, got string "old"' },
  ]);
  const flat = merge({ who: 7 }, { schema, state: {} });
  expect(issuesOf(flat).map(({ hint }) => hint)).toEqual(['wanted object or null, got integer 7']);
});

test('alternatives told apart by a constant give the issues of the one that was meant', () => {
  const schema = object({
    shape: {
      oneOf: [
        object({ kind: { const: 'circle' }, r: { type: 'number' } }, { required: ['kind', 'r'] }),
        object({ kind: { const: 'box' }, w: { type: 'number' } }, { required: ['kind', 'w'] }),
      ],
    },
  });
  const result = merge({ shape: { kind: 'box', w: 'wide' } }, { schema, state: {} });
  expect(refused(result)).toEqual(['schema.type /shape/w']);
  expect(accepted(merge({ shape: { kind: 'box', w: 1 } }, { schema, state: {} })).delta).toHaveLength(1);
});

test('conditions across fields are checked on the whole candidate', () => {
  const schema = object(
    { status: { enum: ['open', 'closed'] }, reason: { type: 'string' } },
    JSON.parse(
      '{"if":{"properties":{"status":{"const":"closed"}}},"then":{"required":["reason"]}}',
    ) as JsonObject,
  );
  const state: JsonObject = { status: 'open' };
  expect(refused(merge({ status: 'closed' }, { schema, state }))).toEqual(['schema.required /reason']);
  expect(accepted(merge({ status: 'closed', reason: 'done' }, { schema, state })).delta).toHaveLength(2);
});

test('every field has a bound, declared, derived or defaulted, and the largest state is known', () => {
  const { worstCaseBytes } = compileContract(
    object({
      code: { type: 'string', maxLength: 10 },
      note: { type: 'string' },
      list: { type: 'array', items: { type: 'string' } },
      short: { type: 'array', maxItems: 3, items: { enum: ['aa', 'b'] } },
      map: { type: 'object', 'x-max-bytes': 500 },
      flag: { type: 'boolean' },
    }),
  );
  const bytes = Object.fromEntries(
    worstCaseBytes.fields.map(({ path, bytes: size, declared }) => [path, [size, declared]]),
  );
  expect(bytes).toEqual({
    '/code': [7 + 42, true],
    '/note': [7 + 2048, false],
    '/list': [7 + 16_384, false],
    '/short': [8 + 2 + 3 * 5, true],
    '/map': [6 + 500, true],
    '/flag': [7 + 5, true],
  });
});

test('P21: a state file with a foreign type marker is named by path, and nothing is dropped', () => {
  const contract = compileContract(
    object({ task: { type: 'string' }, order: object({ id: { type: 'integer' } }) }, { required: ['task'] }),
  );
  const file = { task: 'refund', order: { $type: 'UnknownV2', v: '...' } };
  const issues = checkState(contract, file);
  expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
    'syntax.reserved_key /order/$type',
    'schema.unknown_key /order/v',
  ]);
  expect(checkState(contract, null)[0]?.code).toBe('schema.type');
  expect(checkState(contract, { task: undefined })[0]?.code).toBe('syntax.json');
  expect(checkState(contract, JSON.parse('{"task":"x","__proto__":{"a":1}}'))[0]?.code).toBe(
    'syntax.forbidden_key',
  );
  expect(checkState(compileContract(orderSchema), orderState)).toEqual([]);
});

test('named formats are checked', () => {
  const samples: readonly (readonly [string, string, string])[] = [
    ['date', '2028-02-29', '2026-02-29'],
    ['time', '09:30:00Z', '25:00:00Z'],
    ['date-time', '2026-09-01T10:00:00+02:00', '2026-09-01 10:00'],
    ['duration', 'P1DT2H', 'P'],
    ['email', 'a.b@example.com', 'a@b@c'],
    ['uuid', '00000000-0000-4000-8000-000000000000', '0000'],
    ['uri', 'https://example.com/a?b=c', 'not a uri'],
    ['ipv4', '192.0.2.255', '192.0.2.256'],
  ];
  for (const [name, good, bad] of samples) {
    expect([name, FORMATS[name]?.(good), FORMATS[name]?.(bad)]).toEqual([name, true, false]);
  }
  const schema = object({
    at: { type: 'string', format: 'date' },
    other: { type: 'string', format: 'made-up' },
  });
  expect(refused(merge({ at: 'today', other: 'x' } as Record<string, Json>, { schema, state: {} }))).toEqual([
    'schema.format /at',
  ]);
});
