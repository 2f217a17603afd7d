/** A word's surprisal in bits under what came before it. The model behind it decides; `name` says which in reports. */
export type SurpriseModel = {
  readonly name: string;
  /** Scores the next words of one text, in order, and remembers them. One call at a time. */
  read(words: readonly string[]): Promise<readonly number[]>;
};

/** Begins a new text. */
export type Surprise = () => SurpriseModel;

/** How much each order counts; the rest is uniform over the words seen and one more. */
const WEIGHTS = { three: 0.6, two: 0.25, one: 0.1 } as const;

/**
 * An n-gram model of the text that it has read so far: a trigram, a bigram and a unigram estimate, interpolated with
 * fixed weights 0.6, 0.25, 0.1 and a uniform 0.05. Each word is scored once, before it is counted. Needs no download.
 */
export function createNgramModel(): SurpriseModel {
  const counts = new Map<string, number>();
  const vocabulary = new Set<string>();
  let total = 0;
  let [before, last] = ['', ''];
  const count = (key: string): number => counts.get(key) ?? 0;
  const add = (key: string): void => void counts.set(key, count(key) + 1);
  const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

  const probability = (word: string): number =>
    WEIGHTS.three * ratio(count(`${before} ${last} ${word}`), count(`${before} ${last} `)) +
    WEIGHTS.two * ratio(count(`${last} ${word}`), count(`${last} `)) +
    WEIGHTS.one * ratio(count(word), total) +
    (1 - WEIGHTS.three - WEIGHTS.two - WEIGHTS.one) / (vocabulary.size + 1);
  const learn = (word: string): void => {
    for (const key of [
      `${before} ${last} ${word}`,
      `${before} ${last} `,
      `${last} ${word}`,
      `${last} `,
      word,
    ])
      add(key);
    vocabulary.add(word);
    total += 1;
    [before, last] = [last, word];
  };
  return {
    name: 'n-gram model of the episode',
    read(words) {
      const bits = words.map((word) => {
        const before = -Math.log2(probability(word));
        learn(word);
        return before;
      });
      return Promise.resolve(bits);
    },
  };
}
