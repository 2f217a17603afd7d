import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { canonicalJson, promptJson } from '../json/text.ts';
import type { Json, JsonObject } from '../types.ts';
import { defineSkill, SkillError, type SkillInput } from './define.ts';
import { diffSkills } from './diff.ts';
import { loadSkill } from './load.ts';
import { parseSkillDocument, skillDigest } from './skill.ts';

const schema = z.object({
  title: z.string().meta({ 'x-owner': 'user' }),
  orders: z
    .array(z.object({ status: z.enum(['open', 'done']), id: z.string(), n: z.number().int().optional() }))
    .meta({ 'x-merge': 'keyed', 'x-key': 'id' }),
  last: z.union([z.object({ id: z.string() }), z.null()]).optional(),
});

const base: SkillInput = {
  name: 'orders',
  description: 'Handles orders',
  instructions: '# Orders\n\nDo it.\n',
  state: schema,
  initial: { title: 't', orders: [] },
  limits: { steps: 50 },
};

const yaml = `version: 1
state:
  type: object
  properties:
    title: {type: string, x-owner: user}
    orders:
      type: array
      x-key: id
      x-merge: keyed
      items:
        type: object
        required: [status, id]
        properties: {status: {type: string, enum: [open, done]}, id: {type: string}, n: {type: integer}}
    last:
      anyOf: [{type: object, properties: {id: {type: string}}, required: [id]}, {type: "null"}]
  required: [title, orders]
initial: {title: t, orders: []}
limits: {steps: 50, rejections: 4}
`;

function issuesOf(input: object): string[] {
  try {
    defineSkill(input as SkillInput);
    return [];
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return error.issues.map(({ code, path }) => `${code} ${path}`);
  }
}

test('a reference may lead back to its own schema through a property, and not in a bare circle', () => {
  const $ref = '#/$defs/node';
  const state = (node: JsonObject) => ({
    type: 'object',
    properties: { tree: { $ref } },
    $defs: { node, same: { $ref } },
  });
  const tree = { ...base, initial: {}, state: state({ type: 'object', properties: { child: { $ref } } }) };
  expect(issuesOf(tree)).toEqual([]);
  try {
    defineSkill({ ...tree, state: state({ $ref: '#/$defs/same' }) });
    expect.unreachable();
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    expect(error.issues).toMatchObject([
      { code: 'skill.schema', hint: expect.stringContaining('leads back to itself') as string },
    ]);
  }
});

test('zod, JSON Schema and the folder with the same content give the same digest', async () => {
  const root = await mkdtemp(join(tmpdir(), 'skill-'));
  await mkdir(join(root, 'orders'));
  await writeFile(
    join(root, 'orders', 'SKILL.md'),
    '---\nname: orders\ndescription: Handles orders\n---\n# Orders\r\n\r\nDo it.',
  );
  await writeFile(join(root, 'orders', 'SKILL.state.yaml'), yaml);
  const loaded = await loadSkill(join(root, 'orders'));
  await rm(root, { recursive: true });
  const folder = loaded.ok ? loaded.value.skill : loaded.issues;
  expect(defineSkill(base)).toEqual(folder);
  expect(defineSkill({ ...base, toJSONSchema: z.toJSONSchema })).toEqual(folder);
  expect(defineSkill({ ...base, state: z.toJSONSchema(schema) as JsonObject })).toEqual(folder);
});

test('any library with Standard JSON Schema will do, one without gets a hint', () => {
  const library = { '~standard': { vendor: 'x', jsonSchema: { output: () => ({ properties: { a: {} } }) } } };
  expect(defineSkill({ ...base, state: library, initial: {} }).state).toEqual({
    type: 'object',
    properties: { a: {} },
    additionalProperties: false,
  });
  expect(issuesOf({ ...base, state: { '~standard': { vendor: 'x' } } })).toEqual(['skill.schema /state']);
  expect(issuesOf({ ...base, state: z.object({ d: z.date() }) })).toEqual(['skill.schema /state']);
});

test('a skill is frozen through and through, and the input is left alone', () => {
  const state = { properties: { a: { type: 'string' } } };
  const skill = defineSkill({ ...base, state, initial: {} });
  expect(Object.isFrozen(skill.state['properties'])).toBe(true);
  expect(Object.isFrozen(skill.actions.servers)).toBe(true);
  expect(state).toEqual({ properties: { a: { type: 'string' } } });
  expect(Object.isFrozen(state.properties)).toBe(false);
});

test('misuse throws with every problem', () => {
  expect(
    issuesOf({ ...base, name: 'Bad Name', description: '', limits: { stesp: 1 }, initial: { title: 1 } }),
  ).toEqual([
    'skill.name /name',
    'skill.description /description',
    'skill.unknown_key /limits/stesp',
    'skill.initial /initial/orders',
    'skill.initial /initial/title',
  ]);
  expect(issuesOf({ ...base, state: { type: 'array' } })).toEqual(['skill.schema /state/type']);
  expect(issuesOf({ ...base, state: { properties: { $x: {}, a: { $ref: 'http://x' } } } })).toEqual([
    'skill.schema /state/properties/a/$ref',
    'skill.schema /state/properties/$x',
  ]);
  expect(issuesOf({ ...base, initial: { title: 't', orders: [], when: new Date() } })).toEqual([
    'syntax.json /initial/when',
  ]);
  expect(issuesOf({ ...base, state: { properties: { a: { $ref: '#/$defs/none' } } }, initial: {} })).toEqual([
    'skill.schema /state',
  ]);
});

test('P10: a polluting key in code is refused', () => {
  const state = { properties: JSON.parse('{"__proto__":{"type":"string"}}') as JsonObject };
  expect(issuesOf({ ...base, state, initial: {} })).toEqual([
    'syntax.forbidden_key /state/properties/__proto__',
  ]);
});

test('objects are closed unless they say otherwise; combined schemas keep their meaning', () => {
  const state: JsonObject = {
    properties: {
      open: { type: 'object', properties: { a: {} }, additionalProperties: { type: 'string' } },
      shut: { type: 'object', properties: { a: {} } },
      choice: {
        type: 'object',
        properties: { k: {} },
        if: { properties: { k: { const: 1 } } },
        else: { required: ['k'] },
      },
      mixed: { allOf: [{ properties: { a: {} } }, { $ref: '#/$defs/b' }] },
    },
    $defs: { b: { properties: { b: {} } } },
  };
  const initial = { open: { x: 'y' }, mixed: { a: 1, b: 2, c: 3 }, choice: { k: 1 } };
  const skill = defineSkill({ ...base, state, initial });
  const properties = skill.state['properties'] as Record<string, JsonObject>;
  expect(properties['shut']?.['additionalProperties']).toBe(false);
  expect(issuesOf({ ...base, state, initial: { shut: { x: 1 } } })).toEqual([
    'skill.initial /initial/shut/x',
  ]);
});

test('P51: the declared order survives a canonical round trip, integer-like names by x-order', () => {
  const state: JsonObject = {
    properties: { slow: {}, fast: {}, '10': {}, '2': {} },
    'x-order': ['slow', '10'],
  };
  const skill = defineSkill({ ...base, state, initial: {} });
  const stored = parseSkillDocument(JSON.parse(canonicalJson(skill as unknown as Json)));
  const again = stored.ok ? stored.value : null;
  const value = { '2': 1, '10': 1, fast: 1, slow: 1 };
  expect(promptJson(value, skill.state)).toBe('{"slow":1,"10":1,"2":1,"fast":1}');
  expect(promptJson(value, again?.state)).toBe(promptJson(value, skill.state));
  expect(again).toEqual(skill);
  const other = defineSkill({ ...base, state: { properties: { b: {}, a: {} } }, initial: {} });
  const sorted = defineSkill({ ...base, state: { properties: { a: {}, b: {} } }, initial: {} });
  expect(other.digest).not.toBe(sorted.digest);
});

test('a stored skill is checked again: changed, broken and foreign documents are refused', () => {
  const skill = defineSkill(base);
  const document = JSON.parse(JSON.stringify(skill)) as Record<string, Json>;
  expect(parseSkillDocument(document)).toEqual({ ok: true, value: skill });
  expect(parseSkillDocument({ ...document, ledger: true })).toMatchObject({
    issues: [{ code: 'skill.digest' }],
  });
  expect(parseSkillDocument([])).toMatchObject({ issues: [{ code: 'skill.document' }] });
  const broken = { ...skill, limits: { ...skill.limits, rejections: 0 } };
  const forged = { ...broken, digest: skillDigest(broken) };
  expect(parseSkillDocument(forged)).toMatchObject({
    issues: [{ code: 'skill.value', path: '/limits/rejections' }],
  });
});

test('what changed is said in words', () => {
  const before = defineSkill({
    ...base,
    state: { properties: { a: { type: 'string' }, b: {} } },
    initial: {},
  });
  const after = defineSkill({
    ...base,
    instructions: '# Orders\n\nDo it twice.',
    state: {
      properties: { a: { type: 'integer' }, list: { type: 'array', items: { properties: { id: {} } } } },
    },
    initial: {},
    limits: { steps: 60 },
    actions: { servers: { fs: { command: 'x' } } },
  });
  expect(diffSkills(before, before)).toEqual([]);
  expect(diffSkills(before, after)).toEqual([
    'field /a changed: type "string" → "integer"',
    'field /b removed',
    'field /list added',
    'field /list/* added',
    'field /list/*/id added',
    expect.stringMatching(/^actions\.servers\.fs added: /),
    'limits.steps 50 → 60',
    'instructions changed (16 → 22 bytes)',
  ]);
});
