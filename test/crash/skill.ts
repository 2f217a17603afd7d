import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineSkill, type Skill, type Tool, type ToolSpec } from '@skillstate/runtime';

/** Steps that the crash run takes before it finishes. */
export const STEPS = 12;

/**
 * A skill whose only work is to count, alternating a read, an effect with a read-back, one with a key, and one that is
 * unsafe to repeat and that nothing can look up.
 */
export const crashSkill: Skill = defineSkill({
  name: 'crash-count',
  description: 'Counts through actions of every kind of safety.',
  instructions: 'Do the next action of the list; write how far you are.',
  state: {
    type: 'object',
    required: ['done'],
    properties: {
      done: { type: 'integer', minimum: 0 },
      stored: { type: 'integer', 'x-commit': 'success' },
      arrived: {
        type: 'object',
        additionalProperties: { type: 'boolean' },
        maxProperties: 50,
        'x-owner': 'runtime',
      },
    },
  },
  initial: { done: 0 },
  actions: { functions: ['look', 'send', 'charge', 'mail', 'outbox'] },
  confirmations: [
    {
      name: 'arrived',
      after: ['send'],
      subject: 'args.n',
      reads: [{ as: 'read', tool: 'outbox', args: { n: '=args.n' }, bypass: null }],
      fresh: { minAgeMs: 0, recheckMs: 10, deadlineMs: 500 },
      checks: [{ cel: 'read.found', hint: 'it is not in the outbox' }],
      set: { path: '/arrived/="n" + string(int(args.n))', value: 'true' },
      absent: '!read.found',
      required: false,
    },
  ],
});

function spec(name: string, more: Partial<ToolSpec>): ToolSpec {
  return {
    name,
    description: `${name} number n`,
    inputSchema: {
      type: 'object',
      properties: { n: { type: 'integer' } },
      required: ['n'],
      additionalProperties: false,
    },
    outputSchema: null,
    readOnly: false,
    idempotent: false,
    destructive: false,
    timeoutMs: 5000,
    declaration: {},
    ...more,
  };
}

/** Appends one line durably: what the outside world remembers of an effect. */
function remember(file: string, line: object): void {
  const descriptor = openSync(file, 'a');
  writeSync(descriptor, `${JSON.stringify(line)}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Every effect the world saw, in order. */
export function effectsIn(file: string): { tool: string; n: number; key: string }[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { tool: string; n: number; key: string });
}

/** Tools that count their external effects in a file of their own, before they answer. */
export function crashTools(file: string): Tool[] {
  return [
    {
      ...spec('look', { readOnly: true, idempotent: true }),
      run: async ({ args }) => {
        await delay(1);
        return { status: 'ok', text: `seen ${String(args['n'])}` };
      },
    },
    {
      ...spec('send', {}),
      run: async ({ args, key }) => {
        remember(file, { tool: 'send', n: args['n'], key });
        await delay(2);
        return { status: 'ok', text: `sent ${String(args['n'])}` };
      },
    },
    {
      ...spec('mail', {}),
      run: async ({ args, key }) => {
        remember(file, { tool: 'mail', n: args['n'], key });
        await delay(2);
        return { status: 'ok', text: `mailed ${String(args['n'])}` };
      },
    },
    {
      ...spec('outbox', { readOnly: true, idempotent: true }),
      run: ({ args }) => {
        const found = effectsIn(file).some((effect) => effect.tool === 'send' && effect.n === args['n']);
        return Promise.resolve({ status: 'ok', text: found ? 'found' : 'not there', structured: { found } });
      },
    },
    {
      ...spec('charge', { declaration: { key: { in: 'argument', name: 'key' } } }),
      inputSchema: {
        type: 'object',
        properties: { n: { type: 'integer' }, key: { type: 'string' } },
        required: ['n'],
      },
      run: async ({ args, key }) => {
        const before = effectsIn(file).some((effect) => effect.key === key);
        if (!before) remember(file, { tool: 'charge', n: args['n'], key });
        await delay(2);
        return { status: 'ok', text: `charged ${String(args['n'])}${before ? ' (before)' : ''}` };
      },
    },
  ];
}

const KINDS = ['look', 'send', 'charge', 'mail'] as const;

/** A model that reads nothing but its prompt: the state says how far the run is. */
export function crashReply(prompt: string): string {
  const state = /## State\n```json\n([\s\S]*?)\n```/.exec(prompt)?.[1] ?? '{}';
  const done = (JSON.parse(state) as { done: number }).done;
  if (done % 5 === 2 && !prompt.includes('## Notices')) return 'I would rather think about it.';
  const transition =
    done >= STEPS
      ? { state_patch: {}, action: { tool: 'finish', args: {} } }
      : {
          state_patch: { done: done + 1, stored: done + 1 },
          action: { tool: KINDS[done % 4], args: { n: done + 1 } },
        };
  return `\`\`\`json\n${JSON.stringify(transition)}\n\`\`\``;
}
