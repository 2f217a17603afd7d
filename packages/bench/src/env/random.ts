/**
 * The benchmark's random numbers: sfc32 (Chris Doty-Humphrey's "small fast chaotic" generator, 128 bits of state),
 * seeded by FNV-1a over the text `seed/stream/turn` and warmed up by 15 draws.
 *
 * Every turn and every purpose has a stream of its own, so no draw depends on what an agent did, on how many draws
 * another purpose took, or on the process. The numbers are 32-bit integer arithmetic and the same on every machine.
 */
export type Random = {
  /** An integer in [0, bound). `bound` is 1 to 2^32. */
  below(bound: number): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One item of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
};

export function randomAt(seed: number, stream: string, turn: number): Random {
  const next = sfc32(`${seed}/${stream}/${turn}`);
  const below = (bound: number): number => Math.floor((next() / 0x1_0000_0000) * bound);
  return {
    below,
    chance: (probability) => next() < probability * 0x1_0000_0000,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError('pick from an empty list');
      return list[below(list.length)] as T;
    },
  };
}

function fnv1a(text: string, basis: number): number {
  let hash = basis;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x0100_0193);
  return hash | 0;
}

function sfc32(text: string): () => number {
  let a = fnv1a(text, 0x811c_9dc5 | 0);
  let b = fnv1a(text, 0x9e37_79b9 | 0);
  let c = fnv1a(text, 0x85eb_ca6b | 0);
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}
