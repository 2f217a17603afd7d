import type { JsonObject } from '../types.ts';

/** Version of the format of SKILL.state.yaml that this file describes. */
export const FORMAT = 1;

const text: JsonObject = { type: 'string', minLength: 1 };
const name: JsonObject = { type: 'string', minLength: 1, maxLength: 128 };
const names: JsonObject = { type: 'array', items: name, uniqueItems: true };
const flag = (value: boolean): JsonObject => ({ type: 'boolean', default: value });
const count = (value: number, minimum = 0): JsonObject => ({ type: 'integer', minimum, default: value });
const optionalCount: JsonObject = { type: ['integer', 'null'], minimum: 0, default: null };
const optionalText: JsonObject = { type: ['string', 'null'], minLength: 1, default: null };
const anyObject: JsonObject = { type: 'object' };
const texts: JsonObject = { type: 'object', additionalProperties: { type: 'string' } };

/** An object that knows its keys. */
function closed(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

function mapOf(schema: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: schema, default: {} };
}

const server: JsonObject = closed({
  transport: { enum: ['stdio', 'http'] },
  command: text,
  args: { type: 'array', items: { type: 'string' } },
  env: texts,
  cwd: { type: ['string', 'null'], minLength: 1 },
  url: text,
  headers: texts,
  startMs: count(30_000, 1),
});

const shell: JsonObject = {
  ...closed({
    workspace: { ...text, default: 'workspace' },
    mode: { enum: ['bind', 'copy'], default: 'copy' },
    network: flag(false),
    timeoutMs: count(120_000, 1),
    outputBytes: count(1_048_576, 1),
    processes: count(64, 1),
    memoryBytes: count(536_870_912, 1),
    workspaceBytes: count(268_435_456, 1),
  }),
  type: ['object', 'null'],
  default: null,
};

const files: JsonObject = {
  ...closed({ roots: { type: 'array', items: text, minItems: 1 }, write: flag(false) }, ['roots']),
  type: ['object', 'null'],
  default: null,
};

const tool: JsonObject = closed({
  readOnly: { type: 'boolean' },
  idempotent: { type: 'boolean' },
  destructive: { type: 'boolean' },
  timeoutMs: { type: 'integer', minimum: 1 },
  progressMs: { type: 'integer', minimum: 1 },
  key: closed({ in: { enum: ['argument', 'header', 'meta'] }, name: text, from: text }, ['in', 'name']),
  preconditions: { type: 'array', items: closed({ cel: text, hint: text }, ['cel', 'hint']) },
  failure: text,
  resources: text,
  sets: names,
  polling: { type: 'boolean' },
  plan: closed({ commit: name, argument: name }, ['commit', 'argument']),
});

const actions: JsonObject = {
  ...closed({
    command: optionalText,
    servers: { ...mapOf(server), propertyNames: { pattern: '^[A-Za-z0-9_-]{1,64}$' } },
    functions: { ...names, default: [] },
    shell,
    files,
    recall: flag(false),
    allow: { ...names, type: ['array', 'null'], default: null },
    tools: mapOf(tool),
  }),
  default: {},
};

const read: JsonObject = closed(
  {
    as: name,
    tool: name,
    args: { ...anyObject, default: {} },
    bypass: { type: ['object', 'null'], default: null },
  },
  ['tool'],
);

const check: JsonObject = closed({
  cel: text,
  schema: anyObject,
  on: text,
  is: { enum: ['exists', 'status', 'count', 'no-residual', 'length-ratio', 'equals', 'matches'] },
  of: text,
  want: {},
  hint: text,
});

const confirmation: JsonObject = closed(
  {
    name,
    after: { type: 'array', items: name, minItems: 1, uniqueItems: true },
    subject: text,
    reads: { type: 'array', items: read, minItems: 1 },
    fresh: {
      ...closed({
        minAgeMs: count(0),
        recheckMs: count(1000, 1),
        deadlineMs: count(30_000),
        when: text,
        settled: { type: 'boolean' },
      }),
      default: {},
    },
    checks: { type: 'array', items: check, minItems: 1 },
    set: closed({ path: { type: 'string', pattern: '^/' }, value: { ...text, default: 'true' } }, ['path']),
    absent: optionalText,
    required: { type: ['boolean', 'string'], default: true },
  },
  ['name', 'after', 'subject', 'reads', 'checks', 'set'],
);

/**
 * JSON Schema of SKILL.state.yaml after the short forms of `short.ts` were written out. Its `default`s are the defaults; a
 * value that passed and was filled in is the normal form, and the normal form passes again unchanged.
 */
export const FORMAT_SCHEMA: JsonObject = closed(
  {
    format: { type: 'integer', minimum: 1 },
    version: { ...text, maxLength: 64, default: '1' },
    state: anyObject,
    initial: { ...anyObject, default: {} },
    dialect: { enum: ['auto', 'merge', 'operations'], default: 'auto' },
    layout: { enum: ['cached', 'paper'], default: 'cached' },
    coerce: flag(true),
    repairJson: flag(false),
    actions,
    observation: {
      ...closed({ resultBytes: count(8192, 256), messages: count(5, 1), messageBytes: count(2048, 64) }),
      default: {},
    },
    limits: {
      ...closed({
        steps: { type: ['integer', 'null'], minimum: 1, default: 200 },
        rejections: count(4, 1),
        tokens: optionalCount,
        costUsd: { type: ['number', 'null'], minimum: 0, default: null },
        wallMs: optionalCount,
        noProgress: count(3, 1),
      }),
      default: {},
    },
    done: optionalText,
    confirmations: { type: 'array', items: confirmation, default: [] },
    approvals: {
      ...closed({ tools: { ...names, default: [] }, destructive: flag(false), expireMs: optionalCount }),
      default: {},
    },
    ledger: flag(false),
    migrations: {
      type: 'array',
      items: closed({ from: text, patch: anyObject }, ['from', 'patch']),
      default: [],
    },
  },
  ['state'],
);
