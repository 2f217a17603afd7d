import type { JsonObject, Skill, Strategy } from '@skillstate/runtime';

/**
 * A strategy whose model is told of Σ's fields: the paper's template for state updates shows the state, but not what its
 * fields may hold. Arms that write no state, and the state strategy, which shows the contract itself, stay as they are.
 */
export function withFields(strategy: Strategy): Strategy {
  if (!strategy.history || !strategy.name.startsWith('stateful')) return strategy;
  const extended = new WeakMap<Skill, Skill>();
  const extend = (skill: Skill): Skill => {
    const known = extended.get(skill) ?? {
      ...skill,
      instructions: `${skill.instructions}\n\n# State\n\n${fieldsText(skill.state)}`,
    };
    extended.set(skill, known);
    return known;
  };
  return {
    ...strategy,
    render: (input, turns, memo, ask) =>
      strategy.render({ ...input, skill: extend(input.skill) }, turns, memo, ask),
  };
}

function fieldsText(state: JsonObject): string {
  const properties = state['properties'] as Readonly<Record<string, JsonObject>>;
  const lines = Object.entries(properties).map(
    ([name, { description, ...schema }]) =>
      `- ${name}: ${typeof description === 'string' ? description : ''}\n  ${JSON.stringify(schema)}`,
  );
  return ['A state update replaces each field that it names, whole.', ...lines].join('\n');
}
