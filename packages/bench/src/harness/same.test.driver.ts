import { createHash } from 'node:crypto';
import { promptText } from '@skillstate/runtime';
import { STRATEGY_NAMES } from './result.ts';
import { play } from './play.test.support.ts';
import { createReferenceModel } from './reference-model.ts';

/** Prints the hash of every prompt and the result without its times, for every strategy and world. */
for (const environment of ['warehouse', 'repository'] as const) {
  for (const strategy of STRATEGY_NAMES) {
    const prompts = createHash('sha256');
    const inner = createReferenceModel({ reasoning: 'paper', faults: null, seed: 2 });
    const { timing: _, ...result } = await play(
      { strategy },
      { environment, horizon: 12, seed: 2, noise: 3 },
      {
        ...inner,
        async open(key) {
          const episode = await inner.open(key);
          return {
            ...episode,
            ask(request, about) {
              prompts.update(promptText(request.prompt));
              return episode.ask(request, about);
            },
          };
        },
      },
    );
    process.stdout.write(`${prompts.digest('hex')} ${JSON.stringify(result)}\n`);
  }
}
