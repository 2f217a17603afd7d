import type { Strategy, Turn } from '@skillstate/runtime';
import { type Budget, roomBeside } from './budget.ts';
import { parseAction } from './parse.ts';
import { createPruner, type Pruner } from './prune.ts';
import { createNgramModel, type Surprise } from './surprise.ts';
import { ASK, instructionsPart, latestPart, observationText, part } from './text.ts';
import { turnText } from './transcript.ts';

/**
 * A.1 with a history pruned by surprisal, after LLMLingua: the words that a small language model finds easiest to
 * predict go first, until the rest fits the budget; instructions and the latest observation stay whole. What was
 * dropped stays dropped, so a step costs what the budget holds.
 */
export function createLlmlingua(budget: Budget, surprise: Surprise = createNgramModel): Strategy {
  const pruners = new WeakMap<readonly Turn[], { readonly pruner: Pruner; read: number }>();
  return {
    name: 'llmlingua',
    history: true,
    observe: observationText,
    async render(input, turns, memo) {
      const first = instructionsPart(input, '\n\nHistory:');
      const last = latestPart(input, ASK);
      const known = pruners.get(turns) ?? { pruner: createPruner(surprise(), budget.measure), read: 0 };
      pruners.set(turns, known);
      const most = roomBeside(budget, [first]);
      for (; known.read < turns.length; known.read++) {
        await known.pruner.add(turnText(turns[known.read] as Turn, 'Reasoning & Action'), most);
      }
      const shown = known.pruner.show(roomBeside(budget, [first, last]));
      const history = shown === '' ? [] : [part('user', shown)];
      return { prompt: [first, ...history, last], memo };
    },
    parse: parseAction,
  };
}
