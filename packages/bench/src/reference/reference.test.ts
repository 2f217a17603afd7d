import { expect, test } from 'vitest';
import { composeObservation, type Episode, type JsonDocument } from '../env/environment.ts';
import { createWarehouse } from '../env/warehouse/warehouse.ts';
import { createReference, type ReferenceOptions } from './reference.ts';

type Patch = { state_patch: JsonDocument; action: string };

/** A plain RFC 7396 merge, enough for these tests. */
function merge(target: JsonDocument, patch: JsonDocument): JsonDocument {
  const out: Record<string, JsonDocument[string]> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else if (typeof value === 'object' && !Array.isArray(value)) {
      out[key] = merge((out[key] ?? {}) as JsonDocument, value as JsonDocument);
    } else out[key] = value;
  }
  return out;
}

const paper = (instructions: string, state: JsonDocument, observation: string): string =>
  `Instructions:\n${instructions}\n\nSkill Execution State:\n\`\`\`json\n${JSON.stringify(state)}\n\`\`\`\n\nLatest Observation:\n${observation}\n\nProvide your response with:\n1. Step-by-step reasoning\n2. A JSON block {"state_patch": {}, "action": "<string>"}`;

const cached = (instructions: string, state: JsonDocument, observation: string): string =>
  `${instructions}\n\nReply with {"state_patch": {...}, "action": "<string>"}\n\n## State\n\`\`\`json\n${JSON.stringify(state, null, 2)}\n\`\`\`\n\n## Observation\n${JSON.stringify({ step: 3, source: 'act', content: observation })}\n\nReply with one fenced JSON block: state_patch and action.`;

function runState(episode: Episode, layout: typeof paper, options?: ReferenceOptions): number {
  const { environment, skill, truth } = episode;
  const reference = createReference(options);
  let state = skill.initial;
  let result: string | null = null;
  for (let turn = 0; turn < environment.horizon; turn++) {
    const prompt = layout(skill.instructions, state, composeObservation(result, environment.event(turn)));
    const reply = JSON.parse(
      /```json\n([\s\S]*?)\n```/.exec(reference.reply(prompt, turn))?.[1] ?? '',
    ) as Patch;
    state = merge(state, reply.state_patch);
    result = environment.act(reply.action).text;
  }
  return truth.score().score;
}

test('with a state block the reference scores 1.00 in both layouts, both warehouses and all noise levels', () => {
  for (const layout of [paper, cached]) {
    for (const seed of [1, 2, 3]) {
      for (const events of [0, 50]) {
        for (const crowded of [0, 300]) {
          const episode = createWarehouse({
            seed,
            horizon: 200,
            crowded,
            noise: { events, overrides: true },
          });
          expect(runState(episode, layout, { reasoning: 'paper' })).toBe(1);
        }
      }
    }
  }
});
