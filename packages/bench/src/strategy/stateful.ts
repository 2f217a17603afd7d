import type { PromptPart, Strategy, StrategyInput } from '@skillstate/runtime';
import { parseStateUpdate } from './parse.ts';
import { ASK_STATE, instructionsPart, latestPart, observationText, part } from './text.ts';
import { breakBehindLast, createTranscript } from './transcript.ts';

/** `json.dumps(state, indent=2)`. */
const stateText = ({ state }: StrategyInput): string => `Current State:\n${JSON.stringify(state, null, 2)}`;

/**
 * A.3, LangGraph style: a state block, then the whole transcript. The block changes with every write, so no prefix
 * behind it can be cached and the only breakpoint is behind the instructions.
 */
export function createStateful(): Strategy {
  const transcript = createTranscript('Response');
  return {
    name: 'stateful',
    history: true,
    observe: observationText,
    render(input, turns, memo) {
      const block = part('user', `${stateText(input)}\n\nHistory:`);
      const prompt = [instructionsPart(input), block, ...transcript(turns), latestPart(input, ASK_STATE)];
      return Promise.resolve({ prompt, memo });
    },
    parse: parseStateUpdate,
  };
}

/** A.3 with the state block behind the transcript, so that the transcript can be cached. */
export function createHistoryFirst(): Strategy {
  const transcript = createTranscript('Response');
  return {
    name: 'stateful-history-first',
    history: true,
    observe: observationText,
    render(input, turns, memo) {
      const parts = breakBehindLast(transcript(turns));
      const first = instructionsPart(input, '\n\nHistory:', parts.length === 0);
      return Promise.resolve({ prompt: [first, ...parts, ...stateAndLatest(input)], memo });
    },
    parse: parseStateUpdate,
  };
}

/**
 * State without transcript, as LangGraph's users write it: A.3 with its history left out. It declares a history, and
 * reads none of it, so that it is asked in plain text like the other baselines.
 */
export const statefulIdiomatic: Strategy = {
  name: 'stateful-idiomatic',
  history: true,
  observe: () => '',
  render: (input, _turns, memo) =>
    Promise.resolve({ prompt: [instructionsPart(input), ...stateAndLatest(input)], memo }),
  parse: parseStateUpdate,
};

function stateAndLatest(input: StrategyInput): readonly PromptPart[] {
  return [part('user', stateText(input)), latestPart(input, ASK_STATE)];
}
