import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createRuntime,
  createScriptedModel,
  defineSkill,
  openSqliteStore,
  priceOf,
  type PriceSheet,
  type Store,
  type Tool,
} from '@skillstate/runtime';
import { expect, onTestFinished, test, vi } from 'vitest';
import { costMain } from './command.ts';
import { costOfRun, type RunCost } from './run.ts';

const sheet = priceOf('openai:gpt-5-mini') as PriceSheet;

const look: Tool = {
  name: 'look',
  description: 'Looks at a page.',
  inputSchema: { type: 'object' },
  outputSchema: null,
  readOnly: true,
  idempotent: true,
  destructive: false,
  timeoutMs: 2_000,
  declaration: {},
  run: ({ args }) =>
    Promise.resolve({ status: 'ok', text: `page ${JSON.stringify(args['page'])}: ${'word '.repeat(200)}` }),
};

const reader = defineSkill({
  name: 'reader',
  description: 'Reads pages.',
  instructions: `Read every page in turn. ${'Follow the house rules to the letter. '.repeat(200)}`,
  state: { type: 'object', required: ['page'], properties: { page: { type: 'integer' } } },
  initial: { page: 0 },
  actions: { functions: ['look'] },
});

/** A run of `steps` steps over a real database. With `write: false` its state never changes. */
async function recorded(steps: number, write: boolean): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-cost-'));
  const store = await openSqliteStore(join(folder, 'runs.db'));
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let page = 0;
  const model = createScriptedModel(
    () => {
      page += 1;
      const action = page === steps ? { tool: 'finish', args: {} } : { tool: 'look', args: { page } };
      const patch = write ? { page } : {};
      return `Thinking about page ${page}.\n\`\`\`json\n${JSON.stringify({ state_patch: patch, action })}\n\`\`\``;
    },
    { name: 'script:reader' },
  );
  const report = await createRuntime({ store, model, tools: [look] }).start(reader, { run: 'r' });
  expect(report).toMatchObject({ status: 'finished', steps });
  return store;
}

async function cost(store: Store, run = 'r'): Promise<RunCost> {
  const result = await costOfRun(store, run, sheet);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
}

test('a run is billed as recorded, and transcripts on the same events beside it', async () => {
  const found = await cost(await recorded(40, true));
  expect(found).toMatchObject({ steps: 40, noSaving: null, model: 'script:reader' });
  expect(found.arms.map((arm) => arm.arm)).toEqual([
    'state',
    'prompt',
    'stateful',
    'stateful-history-first',
    'stateful-idiomatic',
    'truncated',
  ]);
  const [state, prompt, stateful, historyFirst] = found.arms;
  for (const arm of found.arms) expect(arm.calls).toBe(40);
  expect(prompt?.inputTokens).toBeGreaterThan(2 * (state?.inputTokens ?? 0));
  expect(prompt?.cacheReadTokens).toBeGreaterThan(0.8 * (prompt?.inputTokens ?? 0));
  expect(historyFirst?.cachedUsd).toBeLessThan(stateful?.cachedUsd ?? 0);
  const against = found.breakEven.find((line) => line.against === 'prompt');
  expect(against).toMatchObject({
    raw: expect.any(Number) as number,
    cached: expect.any(Number) as number,
  });
});

test('arms that need text which was never generated are refused, each with its reason', async () => {
  const { refused } = await cost(await recorded(12, true));
  expect(refused.map((issue) => issue.path)).toEqual(['/memory', '/summary-capped', '/llmlingua']);
  for (const issue of refused)
    expect(issue).toMatchObject({ code: 'run.not_generated', hint: expect.stringMatching(/never/) });
});

test('a run whose state was never written gets no saving, and one of few steps neither', async () => {
  expect((await cost(await recorded(12, false))).noSaving).toMatch(/never written/);
  expect((await cost(await recorded(3, true))).noSaving).toMatch(/at least 10/);
});

test('an unknown run is an issue', async () => {
  const store = await recorded(2, true);
  expect(await costOfRun(store, 'nobody', sheet)).toMatchObject({
    ok: false,
    issues: [{ code: 'run.missing' }],
  });
});

test('an unknown run is said as that, before anybody asks for prices', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-cost-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const db = join(folder, 'runs.db');
  await (await openSqliteStore(db)).close();
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  expect(await costMain(['nope', '--db', db])).toBe(1);
  expect(said.mock.calls.flat().join('')).toMatch(/^error: no run nope/);
});
