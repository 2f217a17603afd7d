import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { paperMix } from '../reference/faults.ts';
import { rateGuard, spendGuard } from './guards.ts';
import { modelOf, play, reference, said, timeless, tokens } from './play.test.support.ts';
import { createReferenceModel } from './reference-model.ts';
import { replayedModel, saveBase, savedBase, savingModel } from './saved.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillstate-around-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const spoiled = createReferenceModel({ reasoning: 'paper', faults: paperMix(0.2), seed: 5 });

test('a saved episode is replayed without its model: the same result, the same call times', async () => {
  await saveBase(folder, spoiled);
  expect(await savedBase(folder)).toMatchObject({ facts: spoiled.facts, mode: 'text', dialect: 'merge' });
  for (const strategy of ['state', 'prompt', 'memory', 'stateful'] as const) {
    const spec = { seed: 5, horizon: 30 };
    const saved = await play({ strategy }, spec, savingModel(spoiled, folder));
    const again = await play({ strategy }, spec, replayedModel(await savedBase(folder), folder));
    expect(timeless(again)).toEqual(timeless(saved));
    expect(again.timing.ms).toHaveLength(saved.calls.length);
    const twice = await play({ strategy }, spec, replayedModel(spoiled, folder));
    expect(twice.timing.at).toEqual(again.timing.at);
    expect(timeless(await play({ strategy }, spec, spoiled))).toEqual(timeless(saved));
  }
  expect((await readdir(folder)).filter((name) => name.endsWith('.jsonl'))).toHaveLength(4);
});

test('a replay makes nothing up: another prompt, a missing call or a missing file stops the episode', async () => {
  const { key } = await play({ strategy: 'state' }, {}, savingModel(reference, folder));
  const path = join(folder, `${key}.jsonl`);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const replay = replayedModel(reference, folder);
  const reasonWith = async (text: string | null): Promise<string> => {
    await (text === null ? rm(path) : writeFile(path, text));
    const result = await play({ strategy: 'state' }, {}, replay);
    expect(result.ended).toBe('stopped');
    return result.reason;
  };
  const other = lines.map((line, i) => (i === 3 ? line.replace(/"prompt":"./, '"prompt":"x') : line));
  expect(await reasonWith(other.join('\n'))).toMatch(
    /^model\.replay: the prompt of call 4 is not the saved one/,
  );
  expect(await reasonWith(lines.slice(0, 7).join('\n'))).toMatch(/^model\.replay: call 8 is not in/);
  expect(await reasonWith(null)).toMatch(/^model\.replay: call 1 is not in/);
});

test('a spending limit refuses the call that could pass it, over all episodes of the bench', async () => {
  const whole = await play({ strategy: 'state' });
  const all = whole.totals.inputTokens + whole.totals.outputTokens;
  const enough = spendGuard({ tokens: all + 1_000, usd: null }, tokens)(reference);
  expect(await play({ strategy: 'state' }, {}, enough)).toMatchObject({ ended: 'over' });
  const guard = spendGuard({ tokens: Math.round(1.5 * all), usd: null }, tokens);
  expect(await play({ strategy: 'state' }, {}, guard(reference))).toMatchObject({ ended: 'over' });
  const second = await play({ strategy: 'state' }, { seed: 2 }, guard(reference));
  expect(second).toMatchObject({ ended: 'stopped', success: false });
  expect(second.reason).toMatch(/^model\.spent: this call could pass/);
  const spent = all + second.totals.inputTokens + second.totals.outputTokens;
  expect(spent).toBeLessThanOrEqual(1.5 * all);
  expect(spent).toBeGreaterThan(1.2 * all);
});

test('calls on their way count against the limit', async () => {
  let asked = 0;
  const slow = modelOf(() => {
    asked += 1;
    return said('Action: Wait');
  });
  const guard = spendGuard({ tokens: 5_000, usd: null }, tokens);
  const results = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((seed) => play({ strategy: 'prompt' }, { seed }, guard(slow))),
  );
  const used = results.reduce((sum, { totals }) => sum + totals.inputTokens + totals.outputTokens, 0);
  expect(asked).toBeGreaterThan(0);
  expect(used).toBeLessThanOrEqual(5_000);
});

test('a limit in USD needs a price', () => {
  expect(() => spendGuard({ tokens: null, usd: 1 }, tokens)(reference)).toThrow(
    'no price is known for reference',
  );
  const priced = { ...reference, facts: { ...reference.facts, name: 'openai:gpt-5-mini' } };
  expect(spendGuard({ tokens: null, usd: 1 }, tokens)(priced).facts.name).toBe('openai:gpt-5-mini');
});

test('a rate limit spaces calls evenly over all episodes', async () => {
  const times: number[] = [];
  const timed = modelOf(() => {
    times.push(performance.now());
    return said('Action: Wait');
  });
  const rated = rateGuard(60_000 / 20)(timed);
  await Promise.all([1, 2].map((seed) => play({ strategy: 'prompt' }, { seed, horizon: 5 }, rated)));
  expect(times).toHaveLength(10);
  expect((times.at(-1) as number) - (times[0] as number)).toBeGreaterThan(9 * 20 - 10);
});
