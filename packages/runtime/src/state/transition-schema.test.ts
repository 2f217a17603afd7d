import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { Json, JsonObject, Skill, ToolSpec } from '../types.ts';
import { compileContract } from './contract.ts';
import { contractExamples } from './contract-examples.ts';
import { orderSchema } from './fixture.test.data.ts';
import { transitionSchema } from './transition-schema.ts';

const skillWith = (state: JsonObject, command: string | null = null): Skill =>
  ({ state, actions: { command } }) as unknown as Skill;

const tool = (name: string, inputSchema: JsonObject): ToolSpec =>
  ({ name, inputSchema }) as unknown as ToolSpec;

const tools = [
  tool('finish', { type: 'object', properties: {}, additionalProperties: false }),
  tool('tree', {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { root: { $ref: '#/$defs/N' } },
    $defs: {
      N: {
        type: 'object',
        properties: { kids: { type: 'array', items: { $ref: '#/$defs/N' } } },
        additionalProperties: false,
      },
    },
  }),
];

function check(schema: JsonObject, value: unknown): readonly string[] {
  const validate = new Ajv2020({ allErrors: true, strictTypes: false }).compile(schema);
  return validate(value) ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath);
}

const finish: JsonObject = { tool: 'finish', args: {} };

test.each(['merge', 'operations'] as const)('every example of the %s contract fits the schema', (dialect) => {
  const schema = transitionSchema(skillWith(orderSchema), tools, dialect, { strict: false });
  const examples = contractExamples(compileContract(orderSchema), dialect);
  expect(examples.length).toBeGreaterThan(10);
  for (const { patch } of examples) {
    expect(check(schema, { state_patch: patch.value, action: finish })).toEqual([]);
  }
});

test('the merge schema leaves out what the model does not write, and refuses what is no patch', () => {
  const schema = transitionSchema(skillWith(orderSchema), tools, 'merge', { strict: false });
  const fits = (state_patch: JsonObject): boolean =>
    check(schema, { state_patch, action: finish }).length === 0;
  expect(fits({})).toBe(true);
  expect(fits({ orders: [{ id: 'o1', note: null }], limit: null, sent: ['x'] })).toBe(true);
  expect(fits({ verified_ids: ['x'] })).toBe(false);
  expect(fits({ orders: [{ id: 'o1', confirmed: true }] })).toBe(false);
  expect(fits({ orders: [{ note: 'x' }] })).toBe(false);
  expect(fits({ spent: 7 })).toBe(false);
  expect(fits({ tsk: 'x' })).toBe(false);
  expect(fits({ facts: { $apend: [] } })).toBe(false);
});

test('P57: a tool whose arguments are recursive keeps its own definitions', () => {
  const schema = transitionSchema(skillWith(orderSchema), tools, 'merge', { strict: false });
  const act = (args: JsonObject): readonly string[] =>
    check(schema, { state_patch: {}, action: { tool: 'tree', args } });
  expect(act({ root: { kids: [{ kids: [] }] } })).toEqual([]);
  expect(act({ root: { kids: [{ kid: [] }] } })).not.toEqual([]);
});

test('a recursive state gives a finite schema', () => {
  const state: JsonObject = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/N' } },
    $defs: {
      N: {
        type: 'object',
        properties: { next: { $ref: '#/$defs/N' }, kids: { type: 'array', items: { $ref: '#/$defs/N' } } },
      },
    },
  };
  const schema = transitionSchema(skillWith(state), tools, 'merge', { strict: false });
  const patch = { root: { next: { next: { kids: { $append: [{ kids: [] }] } } } } };
  expect(check(schema, { state_patch: patch, action: finish })).toEqual([]);
  expect(check(schema, { state_patch: { root: { next: { nxt: {} } } }, action: finish })).not.toEqual([]);
});

test('a command skill takes a command string, and the other tools as calls', () => {
  const shell = tool('shell', { type: 'object', properties: { command: { type: 'string' } } });
  const schema = transitionSchema(skillWith(orderSchema, 'shell'), [shell, ...tools], 'merge', {
    strict: false,
  });
  expect(check(schema, { state_patch: {}, action: 'ls -l' })).toEqual([]);
  expect(check(schema, { state_patch: {}, action: finish })).toEqual([]);
  expect(check(schema, { state_patch: {}, action: { tool: 'shell', args: {} } })).not.toEqual([]);
});

test('the strict schema keeps to what strict structured output takes', () => {
  const schema = transitionSchema(skillWith(orderSchema, 'shell'), tools, 'operations', { strict: true });
  const open: Json[] = [schema];
  let objects = 0;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === null || typeof node !== 'object') continue;
    open.push(...(Object.values(node) as Json[]));
    const { type, properties, required, additionalProperties } = node as JsonObject;
    if (type !== 'object') continue;
    objects++;
    expect(additionalProperties).toBe(false);
    expect(required).toEqual(Object.keys(properties as JsonObject));
  }
  expect(objects).toBe(3);
  const operation = { op: 'add', path: '/orders', value: '{"id":"o3"}' };
  const reply = { reasoning: '', state_patch: [operation], action: { tool: 'finish', args: '{}' } };
  expect(check(schema, reply)).toEqual([]);
  expect(check(schema, { ...reply, state_patch: [{ ...operation, value: { id: 'o3' } }] })).not.toEqual([]);
});
