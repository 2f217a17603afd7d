import { createHash } from 'node:crypto';

export type TokenCount = {
  readonly tokens: number;
  /** `counted`: o200k_base of gpt-tokenizer; `estimated`: a quarter of the UTF-8 bytes, rounded up. */
  readonly how: 'counted' | 'estimated';
};

export type TokenCounter = {
  /** Counts with the tokenizer where it is installed, else estimates. The first call loads it (about 125 ms). */
  count(text: string): Promise<TokenCount>;
  /** Without waiting: a count once the tokenizer is loaded, else an estimate. */
  countNow(text: string): TokenCount;
  /** Tokens, or null where no tokenizer is installed: for usage that must not be mistaken for a count (R23). */
  exact(text: string): Promise<number | null>;
};

export type Tokenize = (text: string) => number;

/** Texts below this are counted again: hashing them would cost as much. */
const MEMO_LENGTH = 2_000;
const MEMO_ENTRIES = 64;

/**
 * A counter that loads gpt-tokenizer (an optional peer) when it is first needed. Long texts are remembered by hash,
 * so that a fixed prompt prefix is counted once. `load` gives another tokenizer, or null for none.
 */
export function createTokenCounter(load: () => Promise<Tokenize | null> = loadTokenizer): TokenCounter {
  const memo = new Map<string, number>();
  let loading: Promise<Tokenize | null> | null = null;
  let tokenize: Tokenize | null = null;
  const ready = async () => (tokenize = await (loading ??= load()));
  const countNow = (text: string): TokenCount =>
    tokenize ? { tokens: remembered(memo, text, tokenize), how: 'counted' } : estimate(text);
  return {
    async count(text) {
      if (!tokenize) await ready();
      return countNow(text);
    },
    countNow,
    async exact(text) {
      if (!tokenize) await ready();
      const counted = countNow(text);
      return counted.how === 'counted' ? counted.tokens : null;
    },
  };
}

export function estimate(text: string): TokenCount {
  return { tokens: Math.ceil(Buffer.byteLength(text) / 4), how: 'estimated' };
}

function remembered(memo: Map<string, number>, text: string, tokenize: Tokenize): number {
  if (text.length < MEMO_LENGTH) return tokenize(text);
  const hash = createHash('sha256').update(text).digest('base64');
  const known = memo.get(hash);
  if (known !== undefined) {
    memo.delete(hash);
    memo.set(hash, known);
    return known;
  }
  const tokens = tokenize(text);
  memo.set(hash, tokens);
  const [oldest] = memo.keys();
  if (memo.size > MEMO_ENTRIES && oldest !== undefined) memo.delete(oldest);
  return tokens;
}

async function loadTokenizer(): Promise<Tokenize | null> {
  try {
    const { countTokens } = await import('gpt-tokenizer');
    // A prompt may hold the spelling of a special token; it is text like any other.
    return (text) => countTokens(text, { disallowedSpecial: new Set() });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}
