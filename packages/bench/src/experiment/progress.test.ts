import { expect, test } from 'vitest';
import { type Job, jobsOf } from './job.ts';
import { createTally, type Progress, progressText } from './progress.ts';

const jobs = jobsOf(
  { arms: [{ id: 'state', strategy: 'state' }], seeds: 4, repetitions: 1, retries: 0, reasoning: ['none'] },
  { experiment: 'test', specs: [{ environment: 'warehouse', horizon: 100 }] },
);

/** A tally at a clock that the test sets. */
function tallied() {
  const clock = { ms: 0 };
  const told: Progress[] = [];
  const tally = createTally(
    jobs,
    (progress) => told.push(progress),
    () => clock.ms,
  );
  return { tally, clock, last: () => told.at(-1) as Progress };
}
const [first, second, third] = jobs as [Job, Job, Job];

test('the steps and tokens of episodes under way count', () => {
  const { tally, clock, last } = tallied();
  tally.asked(first, 1);
  expect(last()).toMatchObject({ done: 0, leftMs: null, tokens: 0, step: { at: 1, of: 100 } });
  tally.answered(first, 1_200);
  clock.ms = 5_000;
  tally.asked(first, 51);
  tally.asked(second, 1);
  expect(last()).toMatchObject({ done: 0, leftMs: 35_000, tokens: 1_200, step: { at: 1, of: 100 } });
  expect(progressText(last())).toBe('0 of 4 episodes, step 1 of 100, 1.2K tokens, about 35 s left');
});

test('episodes that were known before count as done, but neither in the rate nor in the rest', () => {
  const { tally, clock, last } = tallied();
  tally.ended(first, null);
  tally.ended(second, null);
  expect(last()).toMatchObject({ done: 2, leftMs: null, tokens: 0 });
  clock.ms = 600_000;
  tally.ended(third, 1_234_567);
  expect(progressText(last())).toBe('3 of 4 episodes, 1.2M tokens, about 10 min left');
});
