import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { emptyUsage, openSqliteStore, type Prompt, reportRun } from '@skillstate/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { paperMix } from '../reference/faults.ts';
import { modelOf, play, reference } from './play.test.support.ts';
import { createHttpReferenceModel, createReferenceModel } from './reference-model.ts';
import { type EpisodeResult, STRATEGY_NAMES } from './result.ts';

test('state scores 1.00 in every world, at every noise level, with and without rule overrides', async () => {
  for (const environment of ['warehouse', 'warehouse-crowded', 'repository'] as const) {
    for (const [noise, overrides] of [
      [0, false],
      [5, true],
      [50, true],
    ] as const) {
      for (const strategy of ['state', 'state-paper'] as const) {
        const result = await play({ strategy }, { environment, noise, overrides, horizon: 40, seed: 2 });
        expect(result, `${environment} ${noise}`).toMatchObject({
          ended: 'over',
          success: true,
          forfeited: 0,
        });
        expect(result.score).toEqual({
          successful: result.score.actionable,
          actionable: result.score.actionable,
          score: 1,
        });
        expect(result.totals.stateWrites).toBeGreaterThan(10);
      }
    }
  }
});

test('every arm makes one call an event; summaries are extra calls and are billed', async () => {
  for (const strategy of STRATEGY_NAMES) {
    const result = await play({ strategy });
    const { calls, steps, totals } = result;
    expect(
      calls.filter(({ kind }) => kind === 'step'),
      strategy,
    ).toHaveLength(20);
    expect(steps.map(({ step, turn }) => [step, turn])).toEqual(
      Array.from({ length: 20 }, (_, i) => [i + 1, i]),
    );
    expect(totals.retries).toBe(0);
    const compressions = { memory: 6, 'summary-capped': 19 }[strategy as string] ?? 0;
    expect(totals.compressions, strategy).toBe(compressions);
    expect(totals.compressTokens > 0).toBe(compressions > 0);
    expect(totals.inputTokens).toBe(calls.reduce((sum, { inputTokens }) => sum + inputTokens, 0));
  }
});

test('an observation is the result of the last action, then the next event, in every arm', async () => {
  for (const strategy of STRATEGY_NAMES) {
    const prompts: string[] = [];
    const inner = await reference.open('');
    const model = {
      ...reference,
      open: () =>
        Promise.resolve({
          ...inner,
          ask(...[request, about]: Parameters<typeof inner.ask>) {
            if (about.kind === 'step') prompts.push(request.prompt.map(({ text }) => text).join('\n\n'));
            return inner.ask(request, about);
          },
        }),
    };
    await play({ strategy, budget: 6_000 }, { horizon: 4, environment: 'warehouse-crowded' }, model);
    const observation = /Success: Stored item_1 on shelf_0\.\n(?:\| )?Shipment arrived containing item_2\./;
    expect(prompts[0], strategy).toContain('Shipment arrived containing item_1.');
    expect(prompts[1], strategy).toMatch(observation);
  }
});

test('the record of a prompt gives it back: hashes and sizes of its parts, breakpoints, what it shares', async () => {
  for (const strategy of ['state', 'state-paper', 'prompt', 'memory', 'stateful', 'truncated'] as const) {
    const prompts: Prompt[] = [];
    const inner = await reference.open('');
    const spied = {
      ...reference,
      open: () =>
        Promise.resolve({
          ...inner,
          ask(...[request, about]: Parameters<typeof inner.ask>) {
            prompts.push(request.prompt);
            return inner.ask(request, about);
          },
        }),
    };
    const { calls, parts } = await play({ strategy }, { noise: 2 }, spied);
    let before: readonly number[] = [];
    let text = '';
    for (const [index, call] of calls.entries()) {
      const prompt = prompts[index] as Prompt;
      const indexes = [...before.slice(0, call.same), ...call.parts];
      const hashes = indexes.map((part) => parts[part]?.hash);
      expect(hashes).toEqual(
        prompt.map((part) =>
          createHash('sha256').update(`${part.role} ${part.text}`).digest('hex').slice(0, 16),
        ),
      );
      const joined = prompt.map((part) => part.text).join('\n\n');
      expect(call.chars).toBe(joined.length);
      expect(call.breaks).toEqual(prompt.flatMap(({ cache }, at) => (cache ? [at] : [])));
      if (index > 0) {
        expect(joined.slice(0, call.sharedChars)).toBe(text.slice(0, call.sharedChars));
        if (call.kind === 'step' && calls[index - 1]?.kind === 'step')
          expect(call.sharedChars).toBeGreaterThanOrEqual(call.fixedChars);
      }
      [before, text] = [indexes, joined];
    }
  }
});

test('characters of the state are those that the prompt showed, and growth beside it is the same in any script', async () => {
  const spec = { environment: 'delayed', condition: 'notes', horizon: 12 } as const;
  const growth: (number | null)[] = [];
  for (const word of ['shift ', 'смена ']) {
    const shown: number[] = [];
    const noting = modelOf((prompt, { step }) => {
      shown.push(prompt.split('\n').find((line) => line.startsWith('{"inventory"'))?.length ?? 0);
      const state_patch = { notes: Array<string>(step).fill(word.repeat(9)) };
      return `\`\`\`json\n${JSON.stringify({ state_patch, action: 'Wait' })}\n\`\`\``;
    });
    const { steps, totals } = await play({ strategy: 'state' }, spec, noting);
    expect(steps.map(({ stateChars }) => stateChars)).toEqual(shown);
    growth.push(totals.exponentBesideState);
  }
  expect(growth[0]).not.toBeNull();
  expect(growth[1]).toBe(growth[0]);
});

test('an agent that never finds a changed fact has no success, though nothing that it did counts as wrong', async () => {
  const spec = { horizon: 60, drift: 'canceled-order' };
  const blind = await play({ strategy: 'state' }, spec);
  expect(blind).toMatchObject({ score: { score: 1 }, recovery: { steps: null }, success: false });
  const found = await play({ strategy: 'state' }, { ...spec, drift: 'secret-move' });
  expect(found).toMatchObject({ score: { score: 1 }, recovery: { steps: 0 }, success: true });
});

test('P80: an agent that only waits is counted, and scores the floor of 0', async () => {
  const waiting = modelOf((prompt) =>
    prompt.includes('state_patch') ? '```json\n{"state_patch":{},"action":"Wait"}\n```' : 'Action: Wait',
  );
  for (const strategy of ['state', 'prompt'] as const)
    for (const environment of ['warehouse', 'repository'] as const) {
      const result = await play({ strategy }, { environment }, waiting);
      expect(result).toMatchObject({ ended: 'over', success: false, score: { successful: 0, score: 0 } });
    }
});

test('P82: a model that cannot be reached stops the episode with its reason, which is no score', async () => {
  const issue = { code: 'model.rate_limited', path: '', hint: 'asked to wait' } as const;
  const down = modelOf(() => ({ ok: false, issue, temporary: true, usage: emptyUsage(), retries: [] }));
  const result = await play({ strategy: 'state' }, {}, down);
  expect(result).toMatchObject({
    ended: 'stopped',
    success: false,
    reason: 'model.rate_limited: asked to wait',
  });
});

test('a turn whose retries are used up is given up with Wait, in every arm after as many calls', async () => {
  const mute = modelOf(() => 'nothing to see');
  for (const strategy of STRATEGY_NAMES) {
    const result = await play({ strategy }, { horizon: 5 }, mute, { retries: 2 });
    expect(result, strategy).toMatchObject({
      ended: 'over',
      forfeited: 5,
      score: { score: 0 },
      rejections: { syntax: 15 },
    });
    const kinds = result.calls.filter(({ kind }) => kind !== 'compress').map(({ kind }) => kind);
    expect(kinds).toEqual(Array.from({ length: 5 }, () => ['step', 'retry', 'retry']).flat());
    expect(result.steps.map(({ forfeited }) => forfeited)).toEqual([true, true, true, true, true]);
  }
});

test('an agent that ends the run too early misses the rest; one that waits for a message goes on', async () => {
  const transition = (action: unknown): string =>
    `\`\`\`json\n${JSON.stringify({ state_patch: {}, action })}\n\`\`\``;
  const early = modelOf((_, { step }) => transition(step === 3 ? { tool: 'finish', args: {} } : 'Wait'));
  expect(await play({ strategy: 'state' }, {}, early)).toMatchObject({
    ended: 'over',
    score: { successful: 0, actionable: 20 },
    totals: { calls: 3 },
  });
  const idle = modelOf((_, { step }) => transition(step === 3 ? { tool: 'wait', args: {} } : 'Wait'));
  const result = await play({ strategy: 'state' }, {}, idle);
  expect(result).toMatchObject({ ended: 'over', score: { actionable: 20 } });
  expect(result.totals.calls).toBeLessThanOrEqual(21);
});

test('looking something up leaves the turn open, and an agent that does nothing else loses it', async () => {
  const spec = { environment: 'delayed', condition: 'recall', horizon: 60, seed: 2 } as const;
  const { steps, score, groups } = await play({ strategy: 'state' }, spec);
  expect(score.score).toBe(1);
  expect(steps.length).toBeGreaterThan(60);
  expect(Object.keys(groups)).not.toEqual([]);
  const lost = modelOf(
    () => '```json\n{"state_patch":{},"action":{"tool":"read_payload","args":{"handle":"x"}}}\n```',
  );
  const result = await play({ strategy: 'state' }, { horizon: 3 }, lost);
  expect(result).toMatchObject({ ended: 'over', forfeited: 3 });
  expect(result.calls.length).toBeLessThan(60);
});

const faulty = createReferenceModel({ reasoning: 'none', faults: paperMix(0.25), seed: 3 });

test("with reply faults at the paper's mix state loses nothing and recovers within the retries", async () => {
  const store = await openSqliteStore(':memory:', { durability: 'process' });
  onTestFinished(() => store.close());
  for (const environment of ['warehouse', 'repository'] as const) {
    const spec = { environment, horizon: 80, seed: 3 };
    const [clean, spoiled] = [
      await play({ strategy: 'state' }, spec, reference, { store }),
      await play({ strategy: 'state' }, spec, faulty, { store }),
    ];
    expect(spoiled).toMatchObject({ score: { score: 1 }, forfeited: 0 });
    expect(spoiled.totals.retries).toBeGreaterThan(4);
    const states = await Promise.all(
      [clean, spoiled].map(async ({ key }) => (await reportRun(store, key)).state),
    );
    expect(states[1]).toEqual(states[0]);
  }
});

test('faults come at the same steps in every arm; a shallow merge and a summary lose facts to them', async () => {
  const spec = { horizon: 80, seed: 3 };
  const results = new Map<string, EpisodeResult>();
  for (const strategy of ['state', 'stateful-idiomatic', 'memory'] as const)
    results.set(strategy, await play({ strategy }, spec, faulty));
  const firstRefused = (name: string, group: string): number[] =>
    (results.get(name)?.calls ?? [])
      .filter(({ kind, rejected }) => kind === 'step' && (rejected[0] ?? '').startsWith(group))
      .map(({ step }) => step);
  const [syntax, inText] = [firstRefused('state', 'syntax'), firstRefused('memory', 'syntax')];
  expect(syntax.length).toBeGreaterThan(0);
  expect(inText).toEqual(syntax);
  expect(results.get('stateful-idiomatic')?.score.score).toBeLessThan(1);
  expect(results.get('memory')?.score.score).toBeLessThan(1);
});

test('every strategy runs over HTTP too: usage, cache and retries are the real adapter’s', async () => {
  const http = createHttpReferenceModel({ reasoning: 'none', faults: null, seed: 1 });
  const cached: string[] = [];
  for (const strategy of STRATEGY_NAMES) {
    const result = await play({ strategy, budget: 4_000 }, { horizon: 28 }, http);
    const plain = await play({ strategy, budget: 4_000 }, { horizon: 28 });
    expect(result, strategy).toMatchObject({ ended: 'over', tokensBy: 'provider', score: plain.score });
    expect(result.totals.inputTokens).toBeGreaterThan(0);
    if (result.totals.cacheReadTokens > 0) cached.push(strategy);
  }
  expect(cached).toEqual(expect.arrayContaining(['prompt', 'stateful-history-first']));
  expect(cached).not.toContain('state-paper');
  const store = await openSqliteStore(':memory:', { durability: 'process' });
  onTestFinished(() => store.close());
  const { key } = await play({ strategy: 'state' }, { horizon: 28 }, http, { store });
  const retried: string[] = [];
  for await (const event of store.events(key, { types: ['model.retried'] }))
    if (event.type === 'model.retried') retried.push(...event.retries.map(({ code }) => code));
  expect(retried).toEqual([expect.stringMatching(/^model\./)]);
});

const conditions = ['--conditions=@skillstate/source'];
const driver = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

test('two processes build the same prompts and results for every strategy and world', () => {
  const [one, two] = [1, 2].map(() =>
    execFileSync(process.execPath, [...conditions, driver('./same.test.driver.ts')], { encoding: 'utf8' }),
  );
  expect(one?.split('\n')).toHaveLength(2 * STRATEGY_NAMES.length + 1);
  expect(two).toBe(one);
}, 300_000);

test('the closed form of a 5,000-step episode keeps numbers alone: under 1,000 bytes a step, at its widest point', () => {
  const args = ['--expose-gc', ...conditions, driver('../experiment/long.test.driver.ts'), '5000'];
  const { grown } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
    grown: number;
  };
  expect(grown / 5_000).toBeLessThan(1_000);
}, 300_000);

test('a 5,000-step episode of state keeps the records of its calls and no more: under 1,000 bytes a step', () => {
  const args = ['--expose-gc', ...conditions, driver('./long.test.driver.ts'), '5000'];
  const { heaps, score } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
    heaps: [number, number];
    score: number;
  };
  expect(score).toBe(1);
  const perStep = (heaps[1] - heaps[0]) / 2_500;
  expect(perStep).toBeLessThan(1_000);
}, 300_000);
