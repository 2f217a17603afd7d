import type { Measure } from './budget.ts';
import type { SurpriseModel } from './surprise.ts';

type Word = { readonly text: string; readonly bits: number; readonly size: number };

/** A growing text that is kept within a size by dropping the words that are easiest to predict. */
export type Pruner = {
  /** Adds a text and drops what does not fit `room`, for good. Each word is scored once, here. */
  add(text: string, room: number): Promise<void>;
  /** What is kept, pruned further to `room` for this one time. */
  show(room: number): string;
};

export function createPruner(model: SurpriseModel, measure: Measure): Pruner {
  let kept: readonly Word[] = [];
  return {
    async add(text, room) {
      const words = text.split(/\s+/);
      const bits = await model.read(words);
      const fresh = words.map((word, i) => ({
        text: word,
        bits: bits[i] as number,
        size: measure(` ${word}`),
      }));
      kept = prune([...kept, ...fresh], room);
    },
    show: (room) =>
      prune(kept, room)
        .map(({ text }) => text)
        .join(' '),
  };
}

/** The words of highest surprisal that fit, in their order; of equals, the newer stay. */
function prune(words: readonly Word[], room: number): readonly Word[] {
  let over = words.reduce((sum, { size }) => sum + size, 0) - room;
  if (over <= 0) return words;
  const order = words.map(({ bits, size }, index) => ({ bits, size, index }));
  order.sort((a, b) => a.bits - b.bits || a.index - b.index);
  const dropped = new Set<number>();
  for (const { index, size } of order) {
    if (over <= 0) break;
    dropped.add(index);
    over -= size;
  }
  return words.filter((_, index) => !dropped.has(index));
}
