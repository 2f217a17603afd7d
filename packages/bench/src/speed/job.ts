import type { Json, JsonObject, Model, Skill, Tool } from '@skillstate/runtime';
import { createScriptedModel, defineSkill } from '@skillstate/runtime';

/**
 * What a measured step does, beside writing one entry of a map: a read; the same under the ledger; an effect; an effect
 * that is confirmed by reading it back.
 */
export type Kind = 'read' | 'ledger' | 'effect' | 'confirmed';

export type Job = { readonly skill: Skill; readonly tools: readonly Tool[]; model(steps: number): Model };

const SUBJECTS = 20;

/** A job whose state keeps about `stateBytes` bytes of JSON text, whatever the number of steps. */
export function createJob(kind: Kind, stateBytes: number): Job {
  const keys = Math.max(1, Math.round((stateBytes - 40) / 52));
  const key = (index: number): string => `entry_${String(index % keys).padStart(6, '0')}`;
  const value = (index: number): string => `value ${String(index).padStart(10, '0')} of the entry`;
  const initial = Object.fromEntries(Array.from({ length: keys }, (_, index) => [key(index), value(index)]));
  const writes = kind === 'effect' || kind === 'confirmed';
  const args = (call: number): JsonObject => (writes ? { id: `item ${call % SUBJECTS}` } : { n: call });
  const reply = (call: number, steps: number): string => {
    const transition: Json =
      call > steps
        ? { state_patch: {}, action: { tool: 'finish', args: {} } }
        : {
            state_patch: { entries: { [key(call)]: value(call + keys) } },
            action: { tool: writes ? 'put' : 'look', args: args(call) },
          };
    return `I write the next entry.\n\`\`\`json\n${JSON.stringify(transition)}\n\`\`\``;
  };
  return {
    skill: skillOf(kind, initial),
    tools: [LOOK, PUT, GET],
    model: (steps) => createScriptedModel((_prompt, call) => reply(call, steps), { name: 'script:speed' }),
  };
}

function skillOf(kind: Kind, initial: Readonly<Record<string, string>>): Skill {
  const entries = {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: 80 },
    'x-max-bytes': 60_000,
  };
  const verified = { type: 'object', additionalProperties: { type: 'boolean' }, 'x-owner': 'runtime' };
  const confirmed = kind === 'confirmed';
  return defineSkill({
    name: 'speed',
    description: 'Writes one entry of a map in every step.',
    instructions: 'Write the next entry and act.',
    state: {
      type: 'object',
      required: ['entries'],
      properties: { entries, ...(confirmed && { verified }) },
    },
    initial: { entries: initial, ...(confirmed && { verified: {} }) },
    actions: {
      functions: ['look', 'put', 'get'],
      tools: { look: { resources: '["item:" + string(int(args.n))]' } },
    },
    limits: { steps: null },
    ledger: kind === 'ledger',
    confirmations: confirmed ? [CONFIRMATION] : [],
  });
}

const CONFIRMATION = {
  name: 'put',
  after: ['put'],
  subject: 'args.id',
  reads: [{ as: 'found', tool: 'get', args: { id: '=args.id' }, bypass: null }],
  fresh: { minAgeMs: 0, recheckMs: 1, deadlineMs: 0 },
  checks: [{ cel: 'found.id == args.id', hint: 'must be there' }],
  set: { path: '/verified/=args.id', value: 'true' },
  absent: null,
  required: false,
} as const;

const look = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
const item = {
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
  additionalProperties: false,
};

const LOOK: Tool = toolOf('look', look, true, ({ n }) => ({ text: `looked at ${String(n)}, as asked` }));
const PUT: Tool = toolOf('put', item, false, ({ id }) => ({ text: `put ${String(id)}, as asked` }));
const GET: Tool = toolOf('get', item, true, ({ id }) => ({
  text: JSON.stringify({ id: String(id) }),
  structured: { id: String(id) },
}));

function toolOf(
  name: string,
  inputSchema: JsonObject,
  readOnly: boolean,
  run: (args: JsonObject) => { text: string; structured?: Json },
): Tool {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema,
    outputSchema: null,
    readOnly,
    idempotent: readOnly,
    destructive: false,
    timeoutMs: 1000,
    declaration: {},
    run: ({ args }) => Promise.resolve({ status: 'ok', ...run(args) }),
  };
}
