import type { BenchSkill, JsonDocument } from '../environment.ts';
import { warehouseSkill } from '../warehouse/skill.ts';

/**
 * Where a fact of unforeseen use can go: nowhere, free notes, a field made for it, such a field and a reminder in the
 * instructions, or nowhere in the state but in a log that `Recall` searches.
 */
export type DelayedCondition = 'none' | 'notes' | 'named' | 'reminder' | 'recall';

const COMMANDS = `
- Report <name> <number>: answer a question about something that was announced earlier.`;
const RECALL = `
- Recall <name>: look up earlier announcements. The open event stays open.`;
const REMINDER = `
- An observation disappears after its turn: keep what later turns may need.`;

const FIELDS: Readonly<Record<DelayedCondition, { properties: JsonDocument; initial: JsonDocument }>> = {
  none: { properties: {}, initial: {} },
  recall: { properties: {}, initial: {} },
  notes: {
    properties: {
      notes: {
        description: 'Anything else worth keeping, oldest first.',
        type: 'array',
        items: { type: 'string', maxLength: 80 },
        maxItems: 12,
        'x-merge': 'replace',
      },
    },
    initial: { notes: [] },
  },
  named: codes(),
  reminder: codes(),
};

function codes(): { properties: JsonDocument; initial: JsonDocument } {
  return {
    properties: {
      gate_codes: {
        description: 'Gate code by dock.',
        type: 'object',
        propertyNames: { pattern: '^dock_[0-9]+$', maxLength: 16 },
        additionalProperties: { type: 'integer', minimum: 0, maximum: 9999 },
        maxProperties: 200,
      },
    },
    initial: { gate_codes: {} },
  };
}

export function delayedSkill(condition: DelayedCondition): BenchSkill {
  const { properties, initial } = FIELDS[condition];
  const commands = condition === 'recall' ? COMMANDS + RECALL : COMMANDS;
  const rules = condition === 'reminder' ? REMINDER : '';
  const base = warehouseSkill.state as { properties: JsonDocument; required: readonly string[] };
  return {
    ...warehouseSkill,
    name: `warehouse-delayed-${condition}`,
    instructions: `${warehouseSkill.instructions.replace('\n- Wait: do nothing.', `${commands}\n- Wait: do nothing.`)}${rules}`,
    state: {
      ...warehouseSkill.state,
      properties: { ...base.properties, ...properties },
      required: [...base.required, ...Object.keys(initial)],
    },
    initial: { ...warehouseSkill.initial, ...initial },
  };
}
