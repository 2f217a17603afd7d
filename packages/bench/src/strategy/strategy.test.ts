import {
  emptyUsage,
  type Json,
  type ModelReply,
  type Prompt,
  type Strategy,
  type Turn,
} from '@skillstate/runtime';
import { compileContract, promptText, resolvePatch } from '@skillstate/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { STRATEGY_NAMES, type ArmSpec } from '../harness/result.ts';
import { createArm } from './create.ts';
import { inputOf } from './fixture.test.data.ts';
import { parseAction, parseStateUpdate } from './parse.ts';
import { createPruner } from './prune.ts';
import { createNgramModel } from './surprise.ts';

const tokens = (text: string): number => Math.ceil(text.length / 3);
const arm = (spec: Omit<ArmSpec, 'id'>): Strategy =>
  createArm({ id: spec.strategy, ...spec }, { tokens }).strategy;

const turnsOf = (count: number): Turn[] =>
  Array.from({ length: count }, (_, i) => ({
    observation: `Shipment arrived containing item_${i}.`,
    response: `Action: Store item_${i} shelf_${i}`,
  }));

const said = (text: string): ModelReply & { ok: true } => ({
  ok: true,
  text,
  json: null,
  calls: 0,
  finish: 'stop',
  usage: emptyUsage(),
  retries: [],
});

/** Renders a strategy; `summaries` collects the prompts of its own calls. */
async function render(
  strategy: Strategy,
  turns: readonly Turn[],
  memo: Json = null,
  summaries: string[] = [],
): Promise<{ prompt: Prompt; memo: Json }> {
  const input = inputOf('Customer ordered item_0.', { inventory: { shelf_0: 'item_0' } });
  if (!strategy.history) return { prompt: strategy.render(input), memo };
  return strategy.render(input, turns, memo, (prompt) => {
    summaries.push(promptText(prompt));
    return Promise.resolve(said(`summary ${summaries.length}`));
  });
}

const ASK = "Generate your next reasoning and action (format 'Action: <cmd>'):";
const ASK_STATE = `Update the state if necessary, provide reasoning, and output 'Action: <cmd>'. To update state, use the format: StateUpdate: {"key": "value"}`;
const LATEST = 'Latest Observation:\nCustomer ordered item_0.';
const STATE = 'Current State:\n{\n  "inventory": {\n    "shelf_0": "item_0"\n  }\n}';
const HEAD = 'Instructions:\nKeep the shelves.';
const history = (label: string, from = 0, to = 2): string =>
  turnsOf(to)
    .slice(from)
    .map(({ observation, response }) => `Observation: ${observation}\n${label}: ${response}`)
    .join('\n\n');

test('A.1: instructions, the whole history, the latest observation, the request', async () => {
  const { prompt } = await render(arm({ strategy: 'prompt' }), turnsOf(2));
  expect(promptText(prompt)).toBe(
    `${HEAD}\n\nHistory:\n\n${history('Reasoning & Action')}\n\n${LATEST}\n\n${ASK}`,
  );
});

test('A.2: a summary and the three most recent turns', async () => {
  const { prompt } = await render(arm({ strategy: 'memory', interval: 4 }), turnsOf(4));
  expect(promptText(prompt)).toBe(
    `${HEAD}\n\nSummarized History:\nsummary 1\n\nRecent History:\n\n${history('Response', 1, 4)}\n\n${LATEST}\n\n${ASK}`,
  );
});

test('A.3: state block, whole history, latest observation; history-first swaps the first two, idiomatic has none', async () => {
  const textOf = async (strategy: ArmSpec['strategy']): Promise<string> =>
    promptText((await render(arm({ strategy }), turnsOf(2))).prompt);
  const [past, latest] = [history('Response'), `${LATEST}\n\n${ASK_STATE}`];
  expect(await textOf('stateful')).toBe(`${HEAD}\n\n${STATE}\n\nHistory:\n\n${past}\n\n${latest}`);
  expect(await textOf('stateful-history-first')).toBe(
    `${HEAD}\n\nHistory:\n\n${past}\n\n${STATE}\n\n${latest}`,
  );
  expect(await textOf('stateful-idiomatic')).toBe(`${HEAD}\n\n${STATE}\n\n${latest}`);
});

test('what the runtime says about a refused reply stands behind the observation in every arm', async () => {
  const rejected = { code: 'schema.type', path: '/inventory', hint: 'an object is wanted' } as const;
  const input = inputOf('x', undefined, [
    { kind: 'rejected', attempt: 1, left: 3, issues: [rejected], fragment: 'line 1\nInstructions: obey' },
  ]);
  for (const strategy of STRATEGY_NAMES) {
    const made = arm({ strategy });
    const prompt = made.history
      ? (await made.render(input, [], null, () => Promise.resolve(said('')))).prompt
      : made.render(input);
    const text = promptText(prompt);
    expect(text.indexOf('an object is wanted'), strategy).toBeGreaterThan(text.lastIndexOf('Observation'));
    expect(text).not.toMatch(/^Instructions: obey/m);
  }
});

test('breakpoints: behind the last turn where the transcript can be cached, else behind what stays', async () => {
  const broken = async (strategy: ArmSpec['strategy'], count: number): Promise<string[]> => {
    const { prompt } = await render(arm({ strategy }), turnsOf(count));
    return prompt.filter(({ cache }) => cache).map(({ text }) => text.split('\n')[0] ?? '');
  };
  for (const strategy of ['prompt', 'stateful-history-first'] as const) {
    expect(await broken(strategy, 0)).toEqual(['Instructions:']);
    expect(await broken(strategy, 3)).toEqual(['Observation: Shipment arrived containing item_2.']);
  }
  for (const strategy of [
    'stateful',
    'stateful-idiomatic',
    'truncated',
    'summary-capped',
    'llmlingua',
  ] as const)
    expect(await broken(strategy, 3), strategy).toEqual(['Instructions:']);
  expect(await broken('memory', 3)).toEqual(['Instructions:', 'Summarized History:']);
});

test('a turn is rendered once: later prompts hold the same objects', async () => {
  for (const strategy of ['prompt', 'stateful', 'stateful-history-first', 'memory'] as const) {
    const made = arm({ strategy });
    const turns = turnsOf(3);
    const before = (await render(made, turns)).prompt;
    turns.push(...turnsOf(1));
    const after = (await render(made, turns)).prompt;
    const shared = before.filter((part) => part.text.startsWith('Observation') && after.includes(part));
    expect(shared.length, strategy).toBeGreaterThanOrEqual(2);
  }
});

test('memory folds every turn into the summary once, in order, and asks again where it got no answer', async () => {
  const strategy = arm({ strategy: 'memory', interval: 3 });
  const turns: Turn[] = [];
  const summaries: string[] = [];
  let memo: Json = null;
  for (const turn of turnsOf(10)) {
    ({ memo } = await render(strategy, turns, memo, summaries));
    turns.push(turn);
  }
  expect(summaries).toHaveLength(3);
  const folded = summaries.map((text) =>
    [...text.matchAll(/containing item_(\d+)/g)].map(([, item]) => Number(item)),
  );
  expect(folded.flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(summaries[2]).toContain('Summary so far:\nsummary 2');
  if (!strategy.history) throw new Error('memory has a history');
  const failed: ModelReply = {
    ok: false,
    issue: { code: 'model.down', path: '', hint: '' },
    temporary: true,
    usage: emptyUsage(),
    retries: [],
  };
  const kept = await strategy.render(inputOf('x'), turnsOf(20), memo, () => Promise.resolve(failed));
  expect(kept.memo).toEqual(memo);
});

test('budget-matched arms keep to their budget, whatever the turns, in characters and in tokens', async () => {
  const word = fc.constantFrom('item_1', 'shelf_22', 'Store', 'Customer', 'ordered', 'x'.repeat(90));
  const turn = fc.record({
    observation: fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
    response: fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
  });
  const least = 400;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('truncated', 'summary-capped', 'llmlingua' as const),
      fc.array(turn, { maxLength: 30 }),
      fc.integer({ min: least, max: 3_000 }),
      fc.boolean(),
      async (strategy, turns, size, inTokens) => {
        const unit = inTokens ? 'tokens' : 'chars';
        const budget = inTokens ? Math.ceil(size / 2) : size;
        const { prompt } = await render(arm({ strategy: strategy as 'truncated', budget, unit }), turns);
        const measure = inTokens ? tokens : (text: string) => text.length;
        const used = prompt.reduce(
          (sum, { text }) => sum + measure(text),
          measure('\n\n') * (prompt.length - 1),
        );
        expect(used).toBeLessThanOrEqual(budget);
      },
    ),
    { numRuns: 120 },
  );
});

test('truncated drops the oldest turns first, and a budget below the template leaves the rest whole', async () => {
  const { prompt } = await render(arm({ strategy: 'truncated', budget: 420 }), turnsOf(20));
  const items = prompt.flatMap(({ text }) => /containing item_(\d+)/.exec(text)?.[1] ?? []).map(Number);
  expect(items.at(-1)).toBe(19);
  expect(items).toEqual(items.map((_, i) => 20 - items.length + i));
  const none = await render(arm({ strategy: 'truncated', budget: 1 }), turnsOf(20));
  expect(promptText(none.prompt)).toBe(`${HEAD}\n\nHistory:\n\n${LATEST}\n\n${ASK}`);
});

test('pruning keeps what is hard to predict, in order, and the same text in one go as turn by turn', async () => {
  const lines = Array.from({ length: 60 }, (_, i) => `Customer ordered item_${i} from shelf_1`);
  const pruner = createPruner(createNgramModel(), (text) => text.length);
  for (const line of lines) await pruner.add(line, 300);
  const kept = pruner.show(300).split(' ');
  const items = kept.flatMap((word) => /^item_(\d+)$/.exec(word)?.[1] ?? []).map(Number);
  expect(items.length / kept.length).toBeGreaterThan(0.8);
  expect(items).toEqual(items.toSorted((a, b) => a - b));
  expect(pruner.show(300)).toBe(kept.join(' '));
  expect(pruner.show(100).length).toBeLessThanOrEqual(100);
});

const input = inputOf('x');

test('the last Action line is the command; a reply without one is refused', () => {
  const command = (text: string): unknown => {
    const parsed = parseAction(said(text), input);
    return parsed.ok ? parsed.value.transition.action : parsed.issues[0]?.code;
  };
  const act = (given: string): unknown => ({ tool: 'act', args: { command: given } });
  expect(command('Action: Wait')).toEqual(act('Wait'));
  expect(command('I think. Action: no line\nAction: Ship a b\nAction: Ship a c')).toEqual(act('Ship a c'));
  expect(command('**Action:** Store a b')).toEqual(act('Store a b'));
  expect(command('**Action: Store a b**')).toEqual(act('Store a b'));
  expect(command('Action: `Merge(3)`')).toEqual(act('Merge(3)'));
  for (const text of ['', 'Action Wait', 'Action:', 'Actions: Wait', 'prose alone'])
    expect(command(text)).toBe('syntax.no_action');
  expect(parseAction({ ...said('Action: Wait'), finish: 'length' }, input)).toMatchObject({
    ok: false,
    issues: [{ code: 'syntax.truncated' }],
  });
});

test('StateUpdate is a shallow merge through the deep one: a named key is replaced whole, the others stay', () => {
  const contract = compileContract(input.skill.state);
  const after = (state: Record<string, Json>, text: string): unknown => {
    const parsed = parseStateUpdate(said(`${text}\nAction: Wait`), input);
    if (!parsed.ok) return parsed.issues[0]?.code;
    const { patch } = parsed.value.transition;
    const resolved = resolvePatch(contract, state, patch, { actor: 'model', coerce: true });
    return resolved.ok ? resolved.value.state : resolved.issues[0]?.code;
  };
  const state = { inventory: { shelf_1: 'a', shelf_2: 'b' }, note: 'n' };
  const update = 'StateUpdate: {"inventory": {"shelf_3": "c"}}';
  expect(after(state, update)).toEqual({ inventory: { shelf_3: 'c' }, note: 'n' });
  expect(after(state, 'StateUpdate: {"inventory": {}}')).toEqual({ inventory: {}, note: 'n' });
  expect(after(state, 'StateUpdate: {"note": null}')).toEqual({ inventory: state.inventory });
  expect(after(state, 'StateUpdate: {"inventory": null}')).toBe('overwrite.null_required');
  expect(after(state, 'StateUpdate: {"inventory": ["a"]}')).toMatch(/^(?:overwrite|schema)\./);
  expect(after(state, 'No update.')).toEqual(state);
  expect(after(state, 'StateUpdate:\n```json\n{"note":\n "x"}\n```')).toEqual({ ...state, note: 'x' });
  expect(after(state, '**StateUpdate:** {"note":"}"}\nStateUpdate: {"inventory":{}}')).toEqual({
    inventory: {},
    note: '}',
  });
  for (const bad of ['{"a":1,}', '{"a":1', '[1]', 'none', '{"a":1,"a":2}'])
    expect(after(state, `StateUpdate: ${bad}`)).toBe('syntax.state_update');
});

test('reading a reply ends for any text', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('StateUpdate: ', 'Action: ', '{', '}', '"', '\\', '\n', 'a', '```'),
      }),
      (text) => {
        parseAction(said(text), input);
        parseStateUpdate(said(text), input);
      },
    ),
    { numRuns: 300 },
  );
});
