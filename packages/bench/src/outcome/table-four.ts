/** Table 4 of the paper (arXiv 2608.26263), Gemini-3-Flash. `prompt` is as printed: the text calls it both characters and tokens. */
export type PaperRow = {
  readonly arm: string;
  readonly passRate: number;
  readonly prompt: number;
  readonly tokens: number;
};

export const TABLE_FOUR: Readonly<Record<'intercode' | 'retail' | 'airline', readonly PaperRow[]>> = {
  intercode: [
    { arm: 'prompt', passRate: 0.432, prompt: 1909, tokens: 977_000 },
    { arm: 'memory', passRate: 0.464, prompt: 1797, tokens: 1_030_000 },
    { arm: 'stateful', passRate: 0.418, prompt: 1946, tokens: 1_130_000 },
    { arm: 'state', passRate: 0.542, prompt: 813, tokens: 387_000 },
  ],
  retail: [
    { arm: 'prompt', passRate: 0.482, prompt: 2819, tokens: 4_480_000 },
    { arm: 'memory', passRate: 0.299, prompt: 2737, tokens: 4_240_000 },
    { arm: 'stateful', passRate: 0.517, prompt: 3065, tokens: 3_920_000 },
    { arm: 'state', passRate: 0.583, prompt: 3325, tokens: 3_470_000 },
  ],
  airline: [
    { arm: 'prompt', passRate: 0.218, prompt: 5100, tokens: 4_850_000 },
    { arm: 'memory', passRate: 0.236, prompt: 4700, tokens: 4_650_000 },
    { arm: 'stateful', passRate: 0.281, prompt: 5400, tokens: 5_280_000 },
    { arm: 'state', passRate: 0.324, prompt: 2800, tokens: 2_880_000 },
  ],
};
