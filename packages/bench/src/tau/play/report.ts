import { summarise } from '../../outcome/summary.ts';
import { TABLE_FOUR } from '../../outcome/table-four.ts';
import { outcomeBlocks } from '../../outcome/tables.ts';
import type { Block } from '../../report/blocks.ts';
import { percent, whole } from '../../report/format.ts';
import type { GoldReport } from '../gold.ts';
import { type TauBench, tauOutcome } from './bench.ts';
import type { TauResult } from './result.ts';

/** The report on one domain: revision, ground truth, floor, tables and plot, and the tasks that did not pass. */
export function tauReport(bench: TauBench): Block[] {
  const outcomes = bench.results.map(tauOutcome);
  return [
    { kind: 'heading', level: 2, text: `τ-bench ${bench.domain}, ${bench.split}` },
    { kind: 'list', items: [...facts(bench), ...goldFacts(bench.gold), floorText(bench.floor)] },
    ...(bench.stopped === null ? [] : [{ kind: 'text', text: `Stopped early: ${bench.stopped}` } as const]),
    ...outcomeBlocks(outcomes, summarise(outcomes), TABLE_FOUR[bench.domain]),
    ...failureList(bench.results),
  ];
}

function facts({ revision, results }: TauBench): string[] {
  const [first] = results;
  if (first === undefined) return [`data: revision ${revision}`];
  const { model, user, limits } = first;
  const unseeded =
    user.strategy === 'scripted'
      ? 'the same in every trial'
      : 'no seed, as providers take none: trials differ by sampling';
  const seed = user.seed === null ? unseeded : `seed ${user.seed}`;
  return [
    `data: revision ${revision}`,
    `model ${model.name}; at most ${limits.steps} steps, ${limits.retries} retries a step`,
    `user: ${user.model}, strategy ${user.strategy}, ${seed}`,
  ];
}

/** What the replay of the ground truth shows. */
export function goldFacts(gold: GoldReport): string[] {
  const count = (pick: (row: GoldReport['rows'][number]) => boolean) => gold.rows.filter(pick).length;
  const list = (tasks: readonly number[]) => (tasks.length === 0 ? 'none' : tasks.join(', '));
  return [
    `ground truth replayed: ${gold.rows.length} tasks; with an action that fails: ${list(gold.withErrors)}`,
    `known bad (a required write fails): ${list(gold.bad)}`,
    `${count((row) => row.nothingRequired)} tasks require nothing, ${count((row) => row.handOffOnly)} only a hand-off: there the official reward is earned by doing nothing`,
  ];
}

function floorText(floor: readonly TauResult[]): string {
  const passed = floor.filter(({ official }) => official.reward === 1).length;
  const confirmed = floor.filter(({ verified }) => verified.reward === 1).length;
  const share = floor.length === 0 ? null : passed / floor.length;
  return `floor: an agent that does nothing passes ${whole(passed)} of ${whole(floor.length)} (${percent(share)}); confirmed ${whole(confirmed)}`;
}

const MOST_LISTED = 50;

function failureList(results: readonly TauResult[]): Block[] {
  const items = results.flatMap(({ arm, task, trial, failure, ended }) =>
    failure === null
      ? []
      : [`${arm.id}, task ${task}, trial ${trial}: ${failure.who}: ${failure.why} (ended: ${ended})`],
  );
  if (items.length === 0) return [];
  const more =
    items.length > MOST_LISTED ? [`and ${items.length - MOST_LISTED} more, in the results file`] : [];
  const list: Block = { kind: 'list', items: [...items.slice(0, MOST_LISTED), ...more] };
  return [{ kind: 'details', summary: 'Episodes that did not pass', blocks: [list] }];
}
