import type { SurpriseModel } from './surprise.ts';

/** What is needed of a causal language model. */
export type CausalModel = {
  readonly name: string;
  /** Most tokens that it reads at once, at least 2. */
  readonly window: number;
  /** Different tokens that it knows. */
  readonly vocabulary: number;
  /** The token that begins a text; null: it has none. */
  readonly start: number | null;
  /** Of a word that stands alone, or behind a space: then its text begins with one. */
  tokens(text: string): readonly number[];
  /** Bits of each token from index `from` on, at least 1, under all those before it. */
  bits(tokens: readonly number[], from: number): Promise<readonly number[]>;
};

/**
 * Surprisal by a causal language model. Words are made tokens one by one, with a space before each but the first, so
 * that every token belongs to one word; a word's surprisal is the sum over its tokens. A token is scored under at most
 * `window` - 1 tokens before it: what was read before slides out by half a window at a time, so that the cost of a word
 * does not grow with the text. The first token of a text stands behind `start`; without one it costs log2(vocabulary).
 */
export function createCausalSurprise(model: CausalModel): SurpriseModel {
  const half = Math.floor(model.window / 2);
  let context: readonly number[] = model.start === null ? [] : [model.start];
  let begun = false;

  const score = async (fresh: readonly number[]): Promise<readonly number[]> => {
    const before = context.slice(-half);
    const tokens = [...before, ...fresh];
    context = tokens.slice(-half);
    const bits = await model.bits(tokens, Math.max(1, before.length));
    return before.length === 0 ? [Math.log2(model.vocabulary), ...bits] : bits;
  };
  return {
    name: `causal model ${model.name}`,
    async read(words) {
      const spelled = words.map((word, i) => model.tokens(begun || i > 0 ? ` ${word}` : word));
      begun = begun || words.length > 0;
      const tokens = spelled.flat();
      const bits: number[] = [];
      const most = model.window - half;
      for (let at = 0; at < tokens.length; at += most)
        bits.push(...(await score(tokens.slice(at, at + most))));
      let next = 0;
      return spelled.map(({ length }) => {
        const sum = bits.slice(next, next + length).reduce((all, one) => all + one, 0);
        next += length;
        return sum;
      });
    },
  };
}
