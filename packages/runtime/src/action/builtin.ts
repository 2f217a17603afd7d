import type { JsonObject, ToolSpec } from '../types.ts';

/** Actions that the runtime performs itself. Their specs stand in the prompt beside the skill's tools. */
export type BuiltinName = 'finish' | 'wait' | 'read_payload' | 'recall';

function builtin(
  name: BuiltinName,
  description: string,
  properties: JsonObject,
  required: string[] = [],
): ToolSpec {
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    outputSchema: null,
    readOnly: true,
    idempotent: true,
    destructive: false,
    timeoutMs: 10_000,
    declaration: name === 'wait' ? { polling: true } : {},
  };
}

const FINISH = builtin('finish', 'End the run: the work is done and confirmed.', {
  summary: { type: 'string', maxLength: 2000, description: 'What was achieved, for people.' },
});

const WAIT = builtin('wait', 'Wait for an outside message, or until a time, whichever comes first.', {
  seconds: { type: 'number', exclusiveMinimum: 0, maximum: 31_536_000 },
  until: {
    type: 'string',
    maxLength: 40,
    description: 'ISO 8601 with zone, e.g. 2026-03-29T09:00:00+02:00.',
  },
  reason: { type: 'string', maxLength: 500 },
});

const READ_PAYLOAD = builtin(
  'read_payload',
  'Read a part of a long result by its handle. Positions are bytes.',
  {
    handle: { type: 'string', maxLength: 64 },
    start: { type: 'integer', minimum: 0, description: 'First byte; 0 by default.' },
    length: {
      type: 'integer',
      minimum: 1,
      description: 'Bytes; as many as an observation holds by default.',
    },
  },
  ['handle'],
);

const RECALL = builtin(
  'recall',
  "Search this run's own earlier events for words; gives excerpts with addresses that read_payload opens.",
  { query: { type: 'string', maxLength: 500 }, limit: { type: 'integer', minimum: 1, maximum: 20 } },
  ['query'],
);

/** The built-ins of a run: `recall` only where the skill asks for it. */
export function builtinSpecs(recall: boolean): readonly ToolSpec[] {
  return recall ? [FINISH, READ_PAYLOAD, RECALL, WAIT] : [FINISH, READ_PAYLOAD, WAIT];
}

export function isBuiltin(name: string): name is BuiltinName {
  return name === 'finish' || name === 'wait' || name === 'read_payload' || name === 'recall';
}
