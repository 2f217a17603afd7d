import type { Prompt, Skill, Strategy, StrategyInput, ToolSpec, Turn } from '@skillstate/runtime';
import type { ArmSpec } from '../harness/result.ts';
import { createArm } from '../strategy/create.ts';
import type { BilledCall } from './calls.ts';
import { createPieces } from './pieces.ts';
import type { RecordedCall, RecordedTurn } from './run-events.ts';

/** Ways of building a prompt that need no text beyond a run's own observations and replies. */
export const RECORDED_ARMS = [
  'prompt',
  'stateful',
  'stateful-history-first',
  'stateful-idiomatic',
  'truncated',
] as const;

/** The others, and the text that they lack. */
export const REFUSED_ARMS = {
  memory: 'its summaries were never written: another call would have made them',
  'summary-capped': 'its summaries were never written: another call would have made them',
  llmlingua: 'its pruned history was never made, and a model would have answered it otherwise',
} as const;

export type ArmOptions = {
  readonly count: (text: string) => number;
  /** Of `truncated`, in tokens. */
  readonly window: number;
  /** The provider's tokens for one that `count` sees. */
  readonly scale: number;
  /** What the run could do. A transcript must name it too: the paper's templates leave that to the instructions. */
  readonly tools: readonly ToolSpec[];
};

/**
 * Turns recorded steps into the calls that an arm would have been billed for the same observations and replies: one call
 * an accepted step, no retries. Call it once a step, in order.
 */
export function createRecordedArm(
  strategy: (typeof RECORDED_ARMS)[number],
  options: ArmOptions,
): (call: RecordedCall, turn: RecordedTurn) => Promise<BilledCall> {
  const spec: ArmSpec = { id: strategy, strategy, budget: options.window, unit: 'tokens' };
  const arm = createArm(spec, { tokens: options.count }).strategy;
  const turns: Turn[] = [];
  const pieces = createPieces(options.count);
  return async (call, turn) => {
    const input = inputOf(turn, options.tools);
    const prompt = await promptOf(arm, input, turns);
    const response = responseText(turn, strategy.startsWith('stateful'));
    turns.push({ observation: arm.history ? arm.observe(input) : '', response });
    const { same, added, sharedInside, total } = pieces(prompt);
    const breaks = prompt.flatMap((part, index) => (part.cache ? [index] : []));
    return {
      step: call.step,
      at: call.at,
      same,
      added,
      breaks,
      sharedInside,
      inputTokens: Math.round(total * options.scale),
      outputTokens: call.usage.reasoningTokens + Math.round(options.count(response) * options.scale),
      reported: null,
    };
  };
}

async function promptOf(arm: Strategy, input: StrategyInput, turns: readonly Turn[]): Promise<Prompt> {
  if (!arm.history) return arm.render(input);
  const { prompt } = await arm.render(input, turns, null, () => Promise.reject(new Error('no model to ask')));
  return prompt;
}

function inputOf(turn: RecordedTurn, tools: readonly ToolSpec[]): StrategyInput {
  const { state, observation } = turn;
  const actions =
    turn.skill.actions.command === null ? `\n\nActions:\n${tools.map(toolText).join('\n')}` : '';
  const skill = { ...turn.skill, instructions: `${turn.skill.instructions}${actions}` };
  return { skill, state, observation, tools: [], notices: [], mode: 'text', dialect: 'merge' };
}

function toolText({ name, description, inputSchema }: ToolSpec): string {
  return `- ${name}: ${description} ${JSON.stringify(inputSchema)}`;
}

/** The reply as the templates of A.1 and A.3 would have got it. */
function responseText({ reasoning, update, action, skill }: RecordedTurn, withUpdate: boolean): string {
  const lines = [
    ...(reasoning === '' ? [] : [reasoning, '']),
    ...(withUpdate && Object.keys(update).length > 0 ? [`StateUpdate: ${JSON.stringify(update)}`] : []),
    `Action: ${commandText(action, skill)}`,
  ];
  return lines.join('\n');
}

function commandText({ tool, args }: RecordedTurn['action'], { actions }: Skill): string {
  const { command } = args;
  return tool === actions.command && typeof command === 'string' ? command : JSON.stringify({ tool, args });
}
