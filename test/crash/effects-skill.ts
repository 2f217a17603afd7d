/** A skill that works through a list of calls, each of another kind of safety, and a model that reads nothing but its prompt. */
import { fileURLToPath } from 'node:url';
import { defineSkill, type Skill } from '@skillstate/runtime';

export const ITEMS = 20;
export const KEY_NAME = 'effects.example/key';

/** `store`: a business key. `charge`: a key of the call. `write`: no key, read back. `send`: neither. */
const KINDS = ['look', 'store', 'write', 'send', 'charge'] as const;
const SERVER = fileURLToPath(new URL('./effects-server.ts', import.meta.url));

export function effectsSkill(world: string, port: number | null): Skill {
  const stdio = { command: process.execPath, args: [SERVER, world, 'stdio'] };
  const timeoutMs = 250;
  return defineSkill({
    name: 'crash-effects',
    description: 'Works through a list of calls with effects.',
    instructions: 'Make the next call of the list. Give an item up where its outcome stays unknown.',
    state: {
      type: 'object',
      required: ['done', 'given_up', 'written'],
      properties: {
        written: {
          type: 'object',
          'x-owner': 'runtime',
          maxProperties: 30,
          additionalProperties: { type: 'integer' },
        },
        done: { type: 'integer', minimum: 0, 'x-merge': 'max', 'x-commit': 'success' },
        given_up: { type: 'array', 'x-merge': 'union', maxItems: 30, items: { type: 'integer' } },
      },
    },
    initial: { done: 0, given_up: [], written: {} },
    actions: {
      servers: { effects: (port === null ? stdio : { url: `http://127.0.0.1:${port}/mcp` }) as never },
      tools: {
        store: { timeoutMs, key: { in: 'meta', name: KEY_NAME, from: 'args.n' } },
        charge: { timeoutMs, key: { in: 'meta', name: KEY_NAME } },
        write: { timeoutMs },
        send: { timeoutMs },
      },
    },
    confirmations: [
      {
        name: 'written',
        after: ['write'],
        subject: 'args.n',
        reads: [{ as: 'read', tool: 'find', args: { n: '=args.n' } }],
        fresh: { minAgeMs: 0, recheckMs: 20, deadlineMs: 100 },
        checks: [{ cel: 'read.count > 0', hint: 'it is not written' }],
        set: { path: '/written/=args.n', value: 'read.count' },
        absent: 'read.count == 0',
        required: false,
      },
    ],
    limits: { steps: 100, rejections: 6 },
  });
}

function section(prompt: string, title: string): string {
  return prompt.split(`\n## ${title}\n`).at(-1)?.split('\n## ')[0] ?? '';
}

export function effectsReply(prompt: string): string {
  const state = JSON.parse(/```json\n(.*)\n```/.exec(section(prompt, 'State'))?.[1] ?? '{}') as {
    done: number;
    given_up: number[];
  };
  const notices = prompt.includes('\n## Notices\n') ? section(prompt, 'Notices') : '';
  const observation = section(prompt, 'Observation');
  const n = Math.max(state.done, ...state.given_up, 0) + 1;
  const tool = KINDS[n % KINDS.length] ?? 'look';
  if (
    /cannot be reached|nothing was sent|not available|confirm\.missing/.test(`${observation} ${notices}`) &&
    !/^result of: wait/m.test(observation)
  )
    return answer({}, 'wait', { seconds: 0.1 });
  const open =
    new RegExp(`pending: \\S+ ${tool} .*outcome unknown`).test(notices) &&
    new RegExp(`^result of: ${tool} {"n":${n}}`, 'm').test(observation);
  if (tool !== 'store' && (open || notices.includes('action.unresolved')))
    return next({ given_up: [...state.given_up, n] }, n + 1);
  return next({}, n);
}

function next(patch: object, n: number): string {
  if (n > ITEMS) return answer(patch, 'finish', {});
  return answer({ ...patch, done: n }, KINDS[n % KINDS.length] ?? 'look', { n });
}

function answer(state_patch: object, tool: string, args: object): string {
  return `\`\`\`json\n${JSON.stringify({ state_patch, action: { tool, args } })}\n\`\`\``;
}
