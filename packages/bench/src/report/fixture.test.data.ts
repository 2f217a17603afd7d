import type { ArmSpec, CallRecord, EpisodeResult, StrategyName } from '../harness/result.ts';

export type Given = {
  readonly strategy?: StrategyName;
  readonly seed?: number;
  readonly steps?: number;
  readonly score?: number;
  readonly writes?: number;
  readonly arm?: Partial<ArmSpec>;
  readonly spec?: Partial<EpisodeResult['spec']>;
  readonly model?: Partial<EpisodeResult['model']>;
  readonly more?: Partial<EpisodeResult>;
};

/** An episode made up for a test: `state` keeps its prompt, every other arm adds a turn a step. */
export function episode(given: Given = {}): EpisodeResult {
  const { strategy = 'state', seed = 1, steps = 20, score = 1, writes = steps } = given;
  const grows = strategy !== 'state';
  const calls = Array.from({ length: steps }, (_, i) => callOf(i, grows));
  const sum = (key: 'inputTokens' | 'outputTokens' | 'chars'): number =>
    calls.reduce((total, call) => total + call[key], 0);
  const part = (chars: number) => ({ hash: '0', chars, tokens: chars / 4 });
  return {
    v: 1,
    key: `${strategy}-${seed}`,
    experiment: 'scaling',
    arm: { id: strategy, strategy, ...given.arm },
    spec: { environment: 'warehouse', seed, horizon: steps, ...given.spec },
    repetition: 0,
    model: { name: 'reference', mode: 'text', reasoning: 'none', faults: null, ...given.model },
    limits: { retries: 3 },
    ended: 'over',
    status: 'cancelled',
    reason: '',
    score: { successful: Math.round(score * steps), actionable: steps, score },
    success: score === 1,
    recovery: null,
    groups: {},
    steps: [],
    calls,
    parts: [part(8_000), part(400), ...Array.from({ length: steps }, () => part(400))],
    rejections: {},
    forfeited: 0,
    totals: {
      calls: steps,
      retries: 0,
      compressions: 0,
      promptChars: sum('chars'),
      maxPromptChars: Math.max(...calls.map(({ chars }) => chars)),
      inputTokens: sum('inputTokens'),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: sum('outputTokens'),
      reasoningTokens: 0,
      compressTokens: 0,
      stateWrites: writes,
      exponent: grows ? 1 : 0,
      exponentBesideState: grows ? null : 0,
      exponentWhole: grows ? 0.5 : 0,
    },
    tokensBy: 'counted',
    compressor: null,
    expected: null,
    timing: {
      startedAt: '2026-01-01T00:00:00.000Z',
      wallMs: 10,
      at: calls.map((_, i) => i * 1_000),
      ms: calls.map(() => 1),
    },
    ...given.more,
  };
}

function callOf(index: number, grows: boolean): CallRecord {
  const chars = 8_400 + (grows ? index * 400 : 0);
  return {
    step: index + 1,
    kind: 'step',
    chars,
    fixedChars: 8_000,
    replyChars: 40,
    inputTokens: chars / 4,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 10,
    reasoningTokens: 0,
    rejected: [],
    same: index === 0 ? 0 : grows ? index : 1,
    parts: index === 0 ? [0, 1] : [index + 1, ...(grows ? [1] : [])],
    breaks: [grows ? index : 0],
    sharedChars: index === 0 ? 0 : 8_000,
  };
}
