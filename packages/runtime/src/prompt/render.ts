import { promptJson } from '../json/text.ts';
import type { Prompt, StrategyInput } from '../types.ts';
import { type Fixed, fixedFor } from './fixed.ts';
import { noticesText } from './notices.ts';
import { observationText } from './observation.ts';
import { paperText } from './paper.ts';
import { lineSafe } from './quote.ts';

/**
 * The prompt of the state strategy: (P, Σ, O, notices) → text, pure (R1). Layout `cached`: a fixed part, byte-identical
 * through a run, with the provider's cache breakpoint behind it (R2); then `## State`, `## Observation`, `## Notices`
 * (left out where there are none) and `## Reply`. Layout `paper`: appendix A.4 of the paper as printed.
 */
export function renderState(input: StrategyInput): Prompt {
  const fixed = fixedFor(input);
  if (input.skill.layout === 'paper') return [{ role: 'user', text: paperText(input), cache: false }];
  return [
    { role: 'system', text: fixed.text, cache: true },
    { role: 'user', text: stepText(stepParts(input, fixed)), cache: false },
  ];
}

/** The texts of the part that changes with every step; `notices` may be empty. */
export type StepParts = {
  readonly state: string;
  readonly observation: string;
  readonly notices: string;
  readonly reminder: string;
};

function stepParts(input: StrategyInput, fixed: Fixed): StepParts {
  const { skill, state, observation, notices } = input;
  return {
    state: lineSafe(promptJson(state, skill.state)),
    observation: observationText(observation, skill.observation, fixed.time(observation.zone)),
    notices: noticesText(notices),
    reminder: fixed.reminder,
  };
}

/** The state stands on one line, so no text in it can close its fence. */
export function stepText({ state, observation, notices, reminder }: StepParts): string {
  const sections = [
    `## State\n\`\`\`json\n${state}\n\`\`\``,
    `## Observation\n${observation}`,
    ...(notices === '' ? [] : [`## Notices\n${notices}`]),
    `## Reply\n${reminder}`,
  ];
  return sections.join('\n\n');
}
