import { expect, test } from 'vitest';
import { STRATEGY_NAMES } from '../../harness/result.ts';
import { goldReport } from '../gold.ts';
import type { TauDomain } from '../load.ts';
import { replayGold } from '../reward.ts';
import type { Split, TauTask } from '../task.ts';
import { hasShared, ownRetail, play, playAll, sharedDomain, tasksOf } from './fixture.test.support.ts';
import type { TauResult } from './result.ts';

if (!hasShared)
  console.warn('τ-bench on its own data skipped: set SKILLSTATE_VECTORS to the folder of vectors');

const failures = (results: readonly TauResult[]) =>
  results.flatMap(({ task, official, failure }) => (official.reward === 1 ? [] : [{ task, failure }]));

/** Room for the envelope of O, the notices and the last action's own arguments, beside the fixed part, Σ and O's text. */
const ENVELOPE = 4_500;

/** What a prompt holds beside its fixed part, at each step. */
const shown = ({ calls }: TauResult) => calls.map(({ chars, fixedChars }) => chars - fixedChars);

/** The texts that the agent was shown, in order: the user's words and the results of tools. */
async function observations(domain: TauDomain, task: TauTask): Promise<number[]> {
  const { calls } = await play({ domain, task, strategy: 'stateful-idiomatic' });
  return calls.map(({ chars, fixedChars }) => chars - fixedChars);
}

test('the ground truth earns both rewards through the whole loop: prompt, reply, patch, tool, observation', async () => {
  const results = await playAll(ownRetail, tasksOf(ownRetail));
  expect(results.map(({ official }) => official.reward)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(results.map(({ verified }) => verified.verdict)).toEqual([
    'confirmed',
    'confirmed',
    'confirmed',
    'unverifiable',
    'unverifiable',
    'confirmed',
  ]);
  expect(results.flatMap(({ calls }) => calls.flatMap(({ rejected }) => rejected))).toEqual([]);
  expect(results[0]).toMatchObject({ ended: 'user', failure: null, revision: ownRetail.revision });
  expect(results[1]).toMatchObject({ ended: 'hand-off' });
});

test('the same episode gives the same result in every run, but for the clock', async () => {
  const [task] = tasksOf(ownRetail);
  if (task === undefined) throw new Error('no task');
  const twice = [await play({ domain: ownRetail, task }), await play({ domain: ownRetail, task })];
  const [one, other] = twice.map((result) => JSON.stringify({ ...result, timing: null }));
  expect(one).toBe(other);
});

test.skipIf(!hasShared)(
  'P79: all airline tasks and 20 retail tasks score 1, and the state prompt stays flat',
  async () => {
    const [airline, retail] = [sharedDomain('airline'), sharedDomain('retail')];
    const results = [
      ...(await playAll(airline, tasksOf(airline))),
      ...(await playAll(retail, tasksOf(retail).slice(0, 20))),
    ];
    expect(failures(results)).toEqual([]);
    for (const result of results)
      for (const [i, { chars, fixedChars }] of result.calls.entries()) {
        const before = result.steps[i]?.stateChars ?? 300;
        expect(chars - fixedChars).toBeLessThan(before + resultSize(result, i) + ENVELOPE);
      }
  },
);

/** The longest result of a tool in the data; the conversation's texts are far shorter. */
function resultSize({ domain }: TauResult, step: number): number {
  if (step === 0) return 2_000;
  return domain === 'airline' ? 18_000 : 3_600;
}

test.skipIf(!hasShared)('the state prompt does not grow where the transcript does', async () => {
  const domain = sharedDomain('airline');
  const longest = tasksOf(domain).toSorted((a, b) => b.actions.length - a.actions.length)[0];
  if (longest === undefined) throw new Error('no task');
  const state = shown(await play({ domain, task: longest }));
  const transcript = shown(await play({ domain, task: longest, strategy: 'prompt' }));
  const results = await observations(domain, longest);
  expect(state.length).toBeGreaterThan(15);
  const all = results.reduce((sum, size) => sum + size, 0);
  expect(transcript.at(-1)).toBeGreaterThan(5 * (state.at(-1) ?? 0));
  expect(Math.max(...state)).toBeLessThan(all / 2);
});

test.skipIf(!hasShared)('every strategy plays τ-bench', async () => {
  const domain = sharedDomain('airline');
  for (const strategy of STRATEGY_NAMES) {
    const budget = 40_000;
    const results = await playAll(domain, tasksOf(domain).slice(0, 4), { strategy, budget });
    expect([strategy, failures(results)]).toEqual([strategy, []]);
  }
});

test.skipIf(!hasShared)(
  'P79: every task of every split whose ground truth replays without an error scores 1, and the others are listed',
  async () => {
    const splits: [TauDomain, Split][] = [
      [sharedDomain('retail'), 'test'],
      [sharedDomain('retail'), 'dev'],
      [sharedDomain('retail'), 'train'],
      [sharedDomain('airline'), 'test'],
    ];
    const played: Record<string, string> = {};
    for (const [domain, split] of splits) {
      const tasks = tasksOf(domain, split);
      const results = await playAll(domain, tasks, { split });
      const { withErrors } = goldReport(domain, split);
      const clean = results.filter(({ task }) => !withErrors.includes(task));
      expect(failures(clean)).toEqual([]);
      const passed = results.filter(({ official }) => official.reward === 1).length;
      played[`${domain.name} ${split}`] = `${passed}/${tasks.length}, clean ${clean.length}`;
    }
    console.log(played);
  },
  120_000,
);

test.skipIf(!hasShared)(
  'P80: agents that do nothing, the wrong thing, or only claim success are scored as such by both rewards',
  async () => {
    for (const domain of [sharedDomain('airline'), sharedDomain('retail')]) {
      const tasks = tasksOf(domain).slice(0, 50);
      const required = tasks.filter((task) => replayGold(domain, task).changesData);
      const pick = (results: readonly TauResult[], among: readonly TauTask[]) =>
        results.filter(({ task }) => among.some(({ index }) => index === task));

      const nothing = await playAll(domain, tasks, { agent: 'nothing' });
      expect(pick(nothing, required).filter(({ official }) => official.reward === 1)).toEqual([]);
      expect(nothing.filter(({ verified }) => verified.reward === 1)).toEqual([]);
      // The floor of the official reward: where nothing is required, doing nothing earns it.
      expect(nothing.filter(({ official }) => official.reward === 1).length).toBeGreaterThan(0);

      const claimant = await playAll(domain, tasks, { agent: 'claimant' });
      expect(pick(claimant, required).filter(({ official }) => official.reward === 1)).toEqual([]);
      expect(claimant.filter(({ verified }) => verified.verdict !== 'refuted')).toEqual([]);

      const hashes = tasks.map((task) => replayGold(domain, task).hash);
      const other = tasks.filter((_, i) => i + 1 < tasks.length && hashes[i] !== hashes[i + 1]);
      const wrong = pick(await playAll(domain, tasks, { agent: 'wrong' }), other);
      expect(wrong.length).toBeGreaterThan(20);
      expect(
        wrong.filter(({ official, verified }) => official.reward === 1 || verified.reward === 1),
      ).toEqual([]);
    }
  },
);
