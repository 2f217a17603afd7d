import { createTokenCounter, openSqliteStore, priceOf, type PriceSheet } from '@skillstate/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { runEpisode } from '../harness/episode.ts';
import { createReferenceModel } from '../harness/reference-model.ts';
import type { StrategyName } from '../harness/result.ts';
import { costOfEpisode } from './episode.ts';
import { costOfRun } from './run.ts';

const sheet = priceOf('openai:gpt-5-mini') as PriceSheet;

test('the transcripts computed from a run of state cost what they cost when they are really run', async () => {
  const counter = createTokenCounter();
  await counter.count('');
  const store = await openSqliteStore(':memory:', { durability: 'process' });
  onTestFinished(() => store.close());
  const play = (strategy: StrategyName) =>
    runEpisode({
      experiment: 'test',
      arm: { id: strategy, strategy },
      spec: { environment: 'warehouse', seed: 1, horizon: 40 },
      repetition: 0,
      retries: 3,
      model: createReferenceModel({ reasoning: 'paper', faults: null, seed: 1 }),
      tokens: (text) => counter.countNow(text).tokens,
      tokensBy: 'counted',
      store,
    });
  const state = await play('state');
  const computed = await costOfRun(store, state.key, sheet);
  if (!computed.ok) throw new Error(JSON.stringify(computed.issues));
  for (const strategy of [
    'state',
    'prompt',
    'stateful',
    'stateful-history-first',
    'stateful-idiomatic',
  ] as const) {
    const really = costOfEpisode(strategy === 'state' ? state : await play(strategy), sheet, 60_000);
    const arm = computed.value.arms.find((one) => one.arm === strategy);
    expect((arm?.inputTokens ?? 0) / really.inputTokens, strategy).toBeCloseTo(1, 2);
    expect((arm?.rawUsd ?? 0) / really.rawUsd, strategy).toBeCloseTo(1, 2);
    expect((arm?.cachedUsd ?? 0) / really.cachedUsd, strategy).toBeCloseTo(1, 1);
  }
});
