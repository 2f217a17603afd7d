import type { Strategy } from '@skillstate/runtime';
import { type Budget, newestThatFit, roomBeside } from './budget.ts';
import { parseAction } from './parse.ts';
import { ASK, instructionsPart, latestPart, observationText } from './text.ts';
import { createTranscript } from './transcript.ts';

/**
 * A.1 with a sliding window: only the newest turns that fit beside the rest. The window slides at every step, so the
 * breakpoint is behind the instructions.
 */
export function createTruncated(budget: Budget): Strategy {
  const transcript = createTranscript('Reasoning & Action');
  return {
    name: 'truncated',
    history: true,
    observe: observationText,
    render(input, turns, memo) {
      const first = instructionsPart(input, '\n\nHistory:');
      const last = latestPart(input, ASK);
      const kept = newestThatFit(transcript(turns), roomBeside(budget, [first, last]), budget.measure);
      return Promise.resolve({ prompt: [first, ...kept, last], memo });
    },
    parse: parseAction,
  };
}
