/** What the translator will do wrong, and where: a function of the seed. Sources are named by their ids. */
export type FaultPlan = {
  readonly seed: number;
  /** Creates this article with arguments that the tool does not have. */
  readonly invents: string;
  /** Writes and sends this article's draft id as text. */
  readonly stringId: string;
  /** Creates this article again after its first paragraph; reads its empty draft right after creating it. */
  readonly recreates: string;
  /** Says that this article is done when only its shell exists. */
  readonly claims: string;
  /** Writes this article into `verified_fr` when only its shell exists. */
  readonly writesVerified: string;
  /** Leaves out the status when it creates this article. */
  readonly publishes: string;
  /** Leaves a delimiter in this article's translation. */
  readonly delimiter: string;
  /** Translates only the beginning of this article. */
  readonly shortens: string;
  /** Reads a source again at these steps. */
  readonly rereads: readonly number[];
};

/** A number in [0, 1) for the seed and some words. */
export function chance(seed: number, ...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const char of words.join('/')) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 4294967296;
}

const WITH_TWO = ['9601', '9604', '9606'];
const WITH_TEXT = ['9601', '9602', '9604', '9605', '9606'];

/** The five faults that change an article lie on five articles; the others lie anywhere. */
export function planFaults(seed: number): FaultPlan {
  const pick = (from: readonly string[], name: string): string =>
    from[Math.floor(chance(seed, name) * from.length)] as string;
  const recreates = pick(WITH_TWO, 'recreates');
  const rest = WITH_TEXT.filter((id) => id !== recreates).sort(
    (a, b) => chance(seed, 'order', a) - chance(seed, 'order', b),
  );
  const [claims, writesVerified, delimiter, shortens] = rest as [string, string, string, string];
  return {
    seed,
    invents: pick(WITH_TEXT, 'invents'),
    stringId: pick([recreates, delimiter, shortens], 'stringId'),
    recreates,
    claims,
    writesVerified,
    publishes: pick([recreates, delimiter, shortens], 'publishes'),
    delimiter,
    shortens,
    rereads: [0, 1, 2, 3].map((n) => 4 + n * 8 + Math.floor(chance(seed, 'reread', n) * 6)),
  };
}
