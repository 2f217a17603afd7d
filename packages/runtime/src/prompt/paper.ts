import { capText } from '../json/cap.ts';
import { promptJson } from '../json/text.ts';
import { actionExample, PATCH_KEY, patchExample, TRANSITION_TOOL } from '../state/reply-format.ts';
import type { Observation, StrategyInput } from '../types.ts';
import { toolsText } from './fixed.ts';
import { noticesText } from './notices.ts';
import { lineSafe } from './quote.ts';

/**
 * The prompt of appendix A.4. The page as printed serves text mode, merge patches and command strings; where a skill or
 * model has another form, only the words for that form differ. A skill without commands gets its tools behind the
 * instructions, which the paper expects to name the actions. Notices follow the observation, if there are any.
 */
export function paperText(input: StrategyInput): string {
  const { skill, tools, state, observation, notices } = input;
  const actions = skill.actions.command === null ? `\n\n${toolsText(tools, null)}` : '';
  const notes = noticesText(notices);
  return [
    `Instructions:\n${skill.instructions.trim().replace(LABELS, '| ')}${actions}`,
    `Skill Execution State:\n\`\`\`json\n${lineSafe(promptJson(state, skill.state))}\n\`\`\``,
    `Latest Observation:\n${bareObservation(observation, input)}`,
    ...(notes === '' ? [] : [`Notices:\n${notes}`]),
    closing(input),
  ].join('\n\n');
}

/** The result's text, then the messages'; without the envelope, as in the paper. */
function bareObservation({ result, messages }: Observation, { skill }: StrategyInput): string {
  const { resultBytes, messageBytes, messages: most } = skill.observation;
  const texts = [
    ...(result === null || result.text === '' ? [] : [capText(result.text, resultBytes).text]),
    ...messages.slice(0, most).map((message) => capText(message.text, messageBytes).text),
  ];
  return texts.length === 0 ? '(none)' : texts.map(safeLines).join('\n');
}

const LABELS =
  /^(?=[^\S\n\r]*(?:Skill Execution State:|Latest Observation:|Notices:|Provide your response))/gim;
const OPENS =
  /^(?=[^\S\n\r]*(?:[#|`~]|Instructions:|Skill Execution State:|Latest Observation:|Notices:|Provide your response))/gim;

/** A line that could open a section or fence, or begins with the mark itself, is marked with `| `; others stay bare. */
export function safeLines(text: string): string {
  return text.replace(/[\v\f\u0085]|\r(?!\n)/g, '\n').replace(OPENS, '| ');
}

function closing({ skill, mode, dialect }: StrategyInput): string {
  const patch =
    dialect === 'merge'
      ? '{ <dict: your state updates, set keys to null to delete> }'
      : patchExample.operations;
  const action =
    skill.actions.command === null
      ? actionExample(skill)
      : '"<string: the exact command you want to execute>"';
  const carrier = {
    text: 'A JSON block fenced with ```json ... ``` containing',
    tool: `One ${TRANSITION_TOOL} call containing`,
    structured: 'A JSON object containing',
  }[mode];
  return `Provide your response with:
1. Step-by-step reasoning (will be discarded after execution)
2. ${carrier} both your State Patch and your Action.

The JSON ${mode === 'text' ? 'block' : 'object'} MUST have exactly these two keys:
{
  "${PATCH_KEY}": ${patch},
  "action": ${action}
}`;
}
