import type { PromptPart, Strategy, Turn } from '@skillstate/runtime';
import { type Budget, JOINT, roomBeside } from './budget.ts';
import { parseAction } from './parse.ts';
import { createNgramModel, type SurpriseModel } from './surprise.ts';
import { ASK, instructionsPart, latestPart, observationText, part } from './text.ts';
import { turnText } from './transcript.ts';

type Word = { readonly text: string; readonly bits: number; readonly size: number };
type Pruned = { readonly model: SurpriseModel; kept: readonly Word[]; read: number };

/**
 * A.1 with a history pruned by surprisal, after LLMLingua: the words that a small language model finds easiest to
 * predict go first, until the rest fits the budget; instructions and the latest observation stay whole. A word is
 * scored once, when its turn is new, and what was dropped stays dropped, so a step costs what the budget holds.
 */
export function createLlmlingua(budget: Budget, model: () => SurpriseModel = createNgramModel): Strategy {
  const pruned = new WeakMap<readonly Turn[], Pruned>();
  const size = (text: string): number => budget.measure(` ${text}`);
  return {
    name: 'llmlingua',
    history: true,
    observe: observationText,
    render(input, turns, memo) {
      const first = instructionsPart(input, '\n\nHistory:');
      const state = pruned.get(turns) ?? { model: model(), kept: [], read: 0 };
      pruned.set(turns, state);
      for (; state.read < turns.length; state.read++) {
        const words = turnText(turns[state.read] as Turn, 'Reasoning & Action').split(/\s+/);
        const bits = state.model.read(words);
        const fresh = words.map((text, i) => ({ text, bits: bits[i] as number, size: size(text) }));
        state.kept = prune([...state.kept, ...fresh], roomBeside(budget, [first]));
      }
      const last = latestPart(input, ASK);
      const room = roomBeside(budget, [first, last]) - budget.measure(JOINT);
      return Promise.resolve({ prompt: [first, ...historyPart(prune(state.kept, room)), last], memo });
    },
    parse: parseAction,
  };
}

/** The words of highest surprisal that fit, in their order; of equals, the newer stay. */
function prune(words: readonly Word[], room: number): readonly Word[] {
  let over = words.reduce((sum, word) => sum + word.size, 0) - room;
  if (over <= 0) return words;
  const order = words.map((_, i) => i).sort((a, b) => bitsAt(words, a) - bitsAt(words, b) || a - b);
  const dropped = new Set<number>();
  for (const index of order) {
    if (over <= 0) break;
    dropped.add(index);
    over -= (words[index] as Word).size;
  }
  return words.filter((_, i) => !dropped.has(i));
}

const bitsAt = (words: readonly Word[], index: number): number => (words[index] as Word).bits;

function historyPart(words: readonly Word[]): readonly PromptPart[] {
  return words.length === 0 ? [] : [part('user', words.map(({ text }) => text).join(' '))];
}
