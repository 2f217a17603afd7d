import { createAiSdkModel, type ModelRequest } from '@skillstate/runtime';
import { startFakeProvider } from '@skillstate/runtime/model/fake-provider';
import { expect, test } from 'vitest';
import { benchModelOf } from '../../harness/plain-model.ts';
import type { StrategyName } from '../../harness/result.ts';
import { ownRetail, play, tasksOf } from './fixture.test.support.ts';
import { scriptedAgent } from './scripted.ts';
import { modelUsers } from './user-model.ts';

const [task] = tasksOf(ownRetail);
if (task === undefined) throw new Error('no task');

/** The ground-truth agent and a user, both behind a provider's protocol over HTTP. */
async function overHttp(strategy: StrategyName, mode: 'tool' | 'text') {
  if (task === undefined) throw new Error('no task');
  const agent = await scriptedAgent('gold', ownRetail, task, strategy).open('key');
  const provider = await startFakeProvider({
    async reply(prompt) {
      if (prompt.includes('You play a customer'))
        return prompt.includes('All is done.') ? '###STOP###' : 'Please cancel #W1.';
      const request: ModelRequest = {
        prompt: [{ role: 'user', text: prompt, cache: false }],
        schema: null,
        cacheKey: '',
        signal: new AbortController().signal,
      };
      const reply = await agent.ask(request, { step: 1, attempt: 0, compression: 0, kind: 'step' });
      const text = reply.ok ? reply.text : '';
      return mode === 'tool' && strategy === 'state' ? (/```json\n(.*)\n```/.exec(text)?.[1] ?? '') : text;
    },
  });
  const settings = {
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    baseURL: provider.url('anthropic'),
    apiKey: 'local',
  } as const;
  try {
    const model = benchModelOf(createAiSdkModel({ ...settings, mode }));
    const user = modelUsers(createAiSdkModel({ ...settings, mode: 'text' }), 'llm');
    return await play({ domain: ownRetail, task, strategy }, { model, user });
  } finally {
    await provider.close();
  }
}

test('agent and user behind a provider’s protocol earn the reward, with the provider’s own counts', async () => {
  for (const [strategy, mode] of [
    ['state', 'tool'],
    ['state', 'text'],
    ['prompt', 'tool'],
    ['stateful', 'tool'],
  ] as const) {
    const result = await overHttp(strategy, mode);
    expect([strategy, mode, result.official.reward, result.failure]).toEqual([strategy, mode, 1, null]);
    expect(result.tokensBy).toBe('provider');
    expect(result.userUsage).toMatchObject({ source: 'provider' });
    expect(result.userUsage.inputTokens).toBeGreaterThan(100);
    expect(result.opening).toBe('Please cancel #W1.');
  }
});
