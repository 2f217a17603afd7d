import fc from 'fast-check';
import type {
  ActionResult,
  JsonObject,
  Message,
  Observation,
  Skill,
  StrategyInput,
  ToolSpec,
} from '../types.ts';

/** A skill, tools and an observation for tests. */
export function fixtureSkill(more: Partial<Skill> = {}): Skill {
  return {
    name: 'warehouse',
    description: 'Stores and ships items.',
    version: '1',
    instructions: 'You run a warehouse.\n\n## Rules\nShip what is ordered.',
    state: {
      type: 'object',
      properties: {
        notes: { type: 'string', maxLength: 200, description: 'Facts with no other place.' },
        inventory: {
          type: 'object',
          additionalProperties: { type: 'string', maxLength: 16 },
          'x-max-bytes': 2000,
        },
        facts: { type: 'array', items: { type: 'string', maxLength: 80 }, maxItems: 10, 'x-merge': 'append' },
      },
      required: ['inventory'],
      additionalProperties: false,
    },
    initial: { inventory: {} },
    dialect: 'merge',
    layout: 'cached',
    coerce: true,
    repairJson: false,
    actions: {
      command: null,
      servers: {},
      functions: ['ship', 'store'],
      shell: null,
      files: null,
      recall: false,
      allow: null,
      tools: {},
    },
    observation: { resultBytes: 1000, messages: 2, messageBytes: 200 },
    limits: { steps: 50, rejections: 4, tokens: null, costUsd: null, wallMs: null, noProgress: 3 },
    done: null,
    confirmations: [],
    approvals: { tools: [], destructive: false, expireMs: null },
    ledger: false,
    migrations: [],
    digest: 'd',
    ...more,
  };
}

export function fixtureTool(
  name: string,
  properties: JsonObject = {},
  required: readonly string[] = [],
): ToolSpec {
  return {
    name,
    description: `${name} does it.`,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    outputSchema: null,
    readOnly: false,
    idempotent: false,
    destructive: false,
    timeoutMs: 1000,
    declaration: {},
  };
}

export const fixtureTools: readonly ToolSpec[] = [
  fixtureTool('finish'),
  fixtureTool('ship', { item: { type: 'string' }, shelf: { type: 'string' } }, ['item', 'shelf']),
  fixtureTool('wait', { seconds: { type: 'number' } }),
];

export const NOW = Date.UTC(2026, 2, 2, 4, 30);

export function fixtureResult(text: string, more: Partial<ActionResult> = {}): ActionResult {
  const bytes = Buffer.byteLength(text);
  return {
    action: { tool: 'ship', args: { item: 'item_12', shelf: 'shelf_42' } },
    source: 'warehouse',
    trust: 'tool',
    status: 'ok',
    text,
    shownBytes: bytes,
    totalBytes: bytes,
    handle: null,
    at: NOW - 1000,
    ...more,
  };
}

export function fixtureMessage(text: string, more: Partial<Message> = {}): Message {
  const bytes = Buffer.byteLength(text);
  return {
    seq: 12,
    from: 'ana',
    trust: 'user',
    text,
    shownBytes: bytes,
    totalBytes: bytes,
    handle: null,
    at: NOW - 500,
    ...more,
  };
}

export function fixtureObservation(more: Partial<Observation> = {}): Observation {
  return {
    step: 3,
    now: NOW,
    zone: 'UTC',
    result: fixtureResult('Success: Shipped item_12 from shelf_42.'),
    messages: [],
    queued: 0,
    budget: { steps: 47, tokens: null, costUsd: null },
    ...more,
  };
}

export function fixtureInput(more: Partial<StrategyInput> = {}): StrategyInput {
  return {
    skill: SKILL,
    tools: fixtureTools,
    state: { inventory: { shelf_1: 'item_1' } },
    observation: fixtureObservation(),
    notices: [],
    mode: 'text',
    dialect: 'merge',
    ...more,
  };
}

const SKILL = fixtureSkill();

const piece = fc.constantFrom(
  '\n',
  '\r',
  '\r\n',
  '\u2028',
  '\u2029',
  '\u0085',
  '\v',
  '\f',
  '| ',
  '## State',
  '```',
);
/** Text that tries to open a section, a fence or a line. */
export const hostileText = fc
  .array(fc.oneof(piece, fc.string({ unit: 'binary' })), { maxLength: 12 })
  .map((parts) => parts.join('').toWellFormed());
