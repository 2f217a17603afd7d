import type { Dialect, JsonObject, ReplyMode, Skill, ToolSpec } from '@skillstate/runtime';

/** The one skill, state and tool list that all replies of the corpus answer to. */
const schema: JsonObject = {
  type: 'object',
  properties: {
    task: { type: 'string', maxLength: 200 },
    status: { enum: ['open', 'waiting', 'done'] },
    count: { type: 'integer', minimum: 0 },
    due: { type: ['string', 'null'], format: 'date-time' },
    urgent: { type: 'boolean' },
    facts: { type: 'array', items: { type: 'string', maxLength: 80 }, maxItems: 8 },
    log: { type: 'array', items: { type: 'string', maxLength: 80 }, maxItems: 20, 'x-merge': 'append' },
    tags: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 10, 'x-merge': 'union' },
    orders: {
      type: 'array',
      maxItems: 20,
      'x-merge': 'keyed',
      'x-key': 'id',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', maxLength: 10 },
          status: { enum: ['new', 'paid', 'shipped'] },
          items: { type: 'integer' },
        },
        required: ['id', 'status'],
        additionalProperties: false,
      },
    },
    spent: { type: 'number', 'x-merge': 'sum' },
    inventory: { type: 'object', additionalProperties: { type: 'string', maxLength: 16 } },
    notes: { type: 'string', maxLength: 60 },
    verified: {
      type: 'object',
      additionalProperties: { type: 'boolean' },
      'x-owner': 'runtime',
    },
    limit: { type: 'integer', 'x-owner': 'user' },
  },
  required: ['task', 'status', 'count', 'due', 'facts', 'orders', 'spent', 'inventory'],
  additionalProperties: false,
};

export const state: JsonObject = {
  task: 'export the orders',
  status: 'open',
  count: 2,
  due: '2026-03-09T00:00:00+01:00',
  facts: ['admin only', 'keep JSON API'],
  log: ['started'],
  tags: ['urgent'],
  orders: [
    { id: 'o1', status: 'new', items: 2 },
    { id: 'o2', status: 'paid', items: 1 },
  ],
  spent: 10,
  inventory: { shelf_1: 'item_1' },
  verified: { o2: true },
  limit: 100,
};

function tool(name: string, properties: JsonObject, required: readonly string[] = []): ToolSpec {
  return {
    name,
    description: name,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    outputSchema: null,
    readOnly: false,
    idempotent: false,
    destructive: false,
    timeoutMs: 1000,
    declaration: {},
  };
}

const text = { type: 'string', maxLength: 400 };

export const tools: readonly ToolSpec[] = [
  tool('finish', { summary: text }),
  tool('read_order', { id: text }, ['id']),
  tool('refund', { order: text, amount: { type: 'integer', minimum: 1 }, partial: { type: 'boolean' } }, [
    'order',
    'amount',
  ]),
  tool('ship', { item: text, shelf: text }, ['item', 'shelf']),
  tool('wait', { seconds: { type: 'number' } }),
];

export type Situation = {
  readonly mode: ReplyMode;
  readonly dialect: Dialect;
  readonly skill: Skill;
  readonly tools: readonly ToolSpec[];
  readonly state: JsonObject;
};

/** `command`: the skill takes its actions as command strings, through the tool `run`. */
export function situation(about: {
  readonly mode?: ReplyMode;
  readonly dialect?: Dialect;
  readonly command?: boolean;
  readonly repairJson?: boolean;
}): Situation {
  const command = about.command === true ? 'run' : null;
  const skill: Skill = {
    name: 'orders',
    description: 'Works through orders.',
    version: '1',
    instructions: 'Work through the orders.',
    state: schema,
    initial: state,
    dialect: about.dialect ?? 'merge',
    layout: 'cached',
    coerce: true,
    repairJson: about.repairJson ?? false,
    actions: {
      command,
      servers: {},
      functions: tools.map(({ name }) => name),
      shell: null,
      files: null,
      recall: false,
      allow: null,
      tools: {},
    },
    observation: { resultBytes: 4000, messages: 4, messageBytes: 1000 },
    limits: { steps: null, rejections: 4, tokens: null, costUsd: null, wallMs: null, noProgress: 3 },
    done: null,
    confirmations: [],
    approvals: { tools: [], destructive: false, expireMs: null },
    ledger: false,
    migrations: [],
    digest: 'corpus',
  };
  const offered = command === null ? tools : [...tools, tool('run', { command: text }, ['command'])];
  return { mode: about.mode ?? 'text', dialect: about.dialect ?? 'merge', skill, tools: offered, state };
}
