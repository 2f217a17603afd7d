import { expect, test } from 'vitest';
import { effectsRun, randomKills } from './effects-harness.ts';
import { seeded } from './harness.ts';

const SEED = 20261201;
const KILLS = 20;

test('20 kills of runtime, server and both: no effect twice, none in silence, no run stuck', async () => {
  const random = seeded(SEED);
  const problems: string[] = [];
  let kills = 0;
  const one = async (http: boolean): Promise<void> => {
    const plan = randomKills(random, 5);
    const report = await effectsRun(plan, http);
    kills += report.kills;
    problems.push(...report.problems.map((problem) => `${problem} (http ${http}, ${JSON.stringify(plan)})`));
  };
  for (let pairs = 0; kills < KILLS && pairs < 6; pairs++) await Promise.all([one(true), one(false)]);
  expect(problems).toEqual([]);
  expect(kills).toBeGreaterThanOrEqual(KILLS);
}, 180_000);
