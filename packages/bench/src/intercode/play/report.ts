import { summarise } from '../../outcome/summary.ts';
import { TABLE_FOUR } from '../../outcome/table-four.ts';
import { outcomeBlocks } from '../../outcome/tables.ts';
import type { Block } from '../../report/blocks.ts';
import { pinnedRevision } from '../tasks.ts';
import { type CtfBench, ctfOutcome } from './bench.ts';

/** The report: revision, what could not be played and why, floor, pass@1 and prompt sizes. */
export function ctfReport(bench: CtfBench): Block[] {
  const outcomes = bench.results.map(ctfOutcome);
  const items = bench.unavailable.map(({ task, reason }) => `task ${task}: ${reason}`);
  return [
    { kind: 'heading', level: 2, text: 'InterCode CTF, pass@1' },
    { kind: 'list', items: facts(bench) },
    ...(bench.stopped === null ? [] : [{ kind: 'text', text: `Stopped early: ${bench.stopped}` } as const]),
    ...outcomeBlocks(outcomes, summarise(outcomes), TABLE_FOUR.intercode),
    ...(items.length === 0 ? [] : [details('Tasks that are not available here', items)]),
    ...failures(bench),
  ];
}

function details(summary: string, items: readonly string[]): Block {
  return { kind: 'details', summary, blocks: [{ kind: 'list', items }] };
}

const comparable = {
  original: 'mode original: commands, directory, submission and truncation as in the original environment',
  runtime:
    'mode runtime: commands run exactly as written; scores are NOT comparable with the original environment',
};

function facts({ results, floor, played, unavailable, notes }: CtfBench): string[] {
  const [first] = results;
  const found = floor.filter(({ reward }) => reward === 1).length;
  return [
    `data: revision ${pinnedRevision}${first?.data.pinned === false ? ' expected, but the task file is another' : ''}`,
    ...(first === undefined ? [] : [comparable[first.mode]]),
    ...(first === undefined
      ? []
      : [
          `model ${first.model.name}; at most ${first.limits.steps} commands, ${first.limits.retries} retries a step; sandbox ${first.sandbox}, ${first.network ? 'with' : 'without'} network`,
        ]),
    `${played.length} tasks played, ${unavailable.length} not available here and left out`,
    ...notes.map(({ task, note }) => `task ${task}: ${note}`),
    `floor: an agent that gives up at once finds ${found} of ${floor.length}`,
  ];
}

function failures({ results }: CtfBench): Block[] {
  const items = results.flatMap(({ arm, task, trial, failure }) =>
    failure === null ? [] : [`${arm.id}, task ${task}, trial ${trial}: ${failure.who}: ${failure.why}`],
  );
  return items.length === 0 ? [] : [details('Episodes that did not pass', items.slice(0, 100))];
}
