import {
  defineSkill,
  type JsonObject,
  type Notice,
  type Observation,
  type StrategyInput,
} from '@skillstate/runtime';

const skill = defineSkill({
  name: 'shelves',
  description: 'Keeps shelves.',
  instructions: 'Keep the shelves.',
  state: {
    type: 'object',
    properties: {
      inventory: {
        type: 'object',
        additionalProperties: { type: 'string', maxLength: 20 },
        maxProperties: 20,
      },
      note: { type: 'string', maxLength: 40 },
    },
    required: ['inventory'],
    additionalProperties: false,
  },
  initial: { inventory: {} },
  actions: { command: 'act', functions: ['act'] },
});

/** An input whose observation is one message. */
export function inputOf(
  text: string,
  state: JsonObject = skill.initial,
  notices: readonly Notice[] = [],
): StrategyInput {
  const sizes = { shownBytes: text.length, totalBytes: text.length, handle: null, at: 0 };
  const observation: Observation = {
    step: 1,
    now: 0,
    zone: 'UTC',
    result: null,
    messages: [{ seq: 2, from: 'user', trust: 'user', text, ...sizes }],
    queued: 0,
    budget: { steps: null, tokens: null, costUsd: null },
  };
  return { skill, tools: [], state, observation, notices, mode: 'text', dialect: 'merge' };
}
