import { createTokenCounter, openSqliteStore, priceOf, type PriceSheet } from '@skillstate/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { runEpisode } from '../harness/episode.ts';
import { createReferenceModel } from '../harness/reference-model.ts';
import type { StrategyName } from '../harness/result.ts';
import { costOfEpisode } from './episode.ts';
import { costOfRun } from './run.ts';

const sheet = priceOf('openai:gpt-5-mini') as PriceSheet;

const counter = createTokenCounter();
await counter.count('');

test.each([
  ['warehouse', 1, 40],
  ['warehouse', 3, 40],
  ['warehouse', 3, 150],
  ['repository', 2, 60],
] as const)(
  'transcripts computed from a run of state cost what they cost when really run: %s, seed %i, %i steps',
  async (environment, seed, horizon) => {
    const store = await openSqliteStore(':memory:', { durability: 'process' });
    onTestFinished(() => store.close());
    const play = (strategy: StrategyName) =>
      runEpisode({
        experiment: 'test',
        arm: { id: strategy, strategy },
        spec: { environment, seed, horizon },
        repetition: 0,
        retries: 3,
        model: createReferenceModel({ reasoning: 'paper', faults: null, seed }),
        tokens: (text) => counter.countNow(text).tokens,
        tokensBy: 'counted',
        store,
      });
    const state = await play('state');
    const computed = await costOfRun(store, state.key, sheet);
    if (!computed.ok) throw new Error(JSON.stringify(computed.issues));
    const off: string[] = [];
    for (const strategy of ['state', ...TRANSCRIPTS] as const) {
      const really = costOfEpisode(strategy === 'state' ? state : await play(strategy), sheet, 60_000);
      const arm = computed.value.arms.find((one) => one.arm === strategy);
      for (const figure of ['inputTokens', 'rawUsd', 'cachedUsd'] as const) {
        const ratio = (arm?.[figure] ?? 0) / really[figure];
        if (Math.abs(ratio - 1) > 0.01) off.push(`${strategy} ${figure} ${ratio.toFixed(4)}`);
      }
    }
    expect(off).toEqual([]);
  },
);

const TRANSCRIPTS = ['prompt', 'stateful', 'stateful-history-first', 'stateful-idiomatic'] as const;
