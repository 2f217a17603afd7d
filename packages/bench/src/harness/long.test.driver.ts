import { createTokenCounter } from '@skillstate/runtime';
import { runEpisode } from './episode.ts';
import { createReferenceModel } from './reference-model.ts';

/** Runs one long `state` episode and prints the memory in use at its middle and end, in bytes. Needs --expose-gc. */
const horizon = Number(process.argv[2]);
const counter = createTokenCounter();
await counter.count('');
const heaps: number[] = [];
const inner = createReferenceModel({ reasoning: 'none', faults: null, seed: 1 });
const result = await runEpisode({
  experiment: 'test',
  arm: { id: 'state', strategy: 'state' },
  spec: { environment: 'warehouse', seed: 1, horizon },
  repetition: 0,
  retries: 3,
  model: {
    ...inner,
    async open(key) {
      const episode = await inner.open(key);
      return {
        ...episode,
        ask(request, about) {
          if (about.step === horizon / 2 || about.step === horizon) {
            globalThis.gc?.();
            const { heapUsed, external } = process.memoryUsage();
            heaps.push(heapUsed + external);
          }
          return episode.ask(request, about);
        },
      };
    },
  },
  tokens: (text) => counter.countNow(text).tokens,
  tokensBy: 'counted',
});
process.stdout.write(JSON.stringify({ heaps, score: result.score.score, ms: result.timing.wallMs }));
