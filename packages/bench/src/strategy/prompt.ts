import type { Strategy } from '@skillstate/runtime';
import { parseAction } from './parse.ts';
import { ASK, instructionsPart, latestPart, observationText } from './text.ts';
import { breakBehindLast, createTranscript } from './transcript.ts';

/** A.1, ReAct style: the whole transcript. The breakpoint is behind the last turn. */
export function createPrompt(): Strategy {
  const transcript = createTranscript('Reasoning & Action');
  return {
    name: 'prompt',
    history: true,
    observe: observationText,
    render(input, turns, memo) {
      const parts = breakBehindLast(transcript(turns));
      const first = instructionsPart(input, '\n\nHistory:', parts.length === 0);
      return Promise.resolve({ prompt: [first, ...parts, latestPart(input, ASK)], memo });
    },
    parse: parseAction,
  };
}
