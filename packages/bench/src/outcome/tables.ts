import type { Block, Chart, Column, TableBlock } from '../report/blocks.ts';
import { fixed, NONE, percent, whole } from '../report/format.ts';
import type { Outcome } from './outcome.ts';
import type { ArmSummary } from './summary.ts';
import type { PaperRow } from './table-four.ts';

/** The tables and the plot of a public benchmark's report, next to the paper's table 4. */
export function outcomeBlocks(
  outcomes: readonly Outcome[],
  summaries: readonly ArmSummary[],
  paper: readonly PaperRow[],
): Block[] {
  if (summaries.length === 0) return [{ kind: 'text', text: 'No episode was played.' }];
  const [first] = summaries;
  return [
    passTable(summaries, paper),
    promptTable(summaries, paper),
    ...((first?.trials ?? 0) > 1 ? [hatTable(summaries)] : []),
    failureTable(summaries),
    { kind: 'charts', charts: [promptChart(outcomes)] },
  ];
}

function columns(...names: readonly string[]): Column[] {
  return names.map((name, i) => ({
    name,
    of: i === 0 ? 'name' : name.startsWith('paper') ? 'paper' : 'ours',
  }));
}

function table(names: readonly string[], rows: readonly (readonly string[])[], caption: string): TableBlock {
  const strong = (cells: readonly string[]) => ({ cells, strong: cells[0] === 'state' });
  return { kind: 'table', columns: columns(...names), rows: rows.map(strong), caption };
}

function paperOf(paper: readonly PaperRow[], arm: string): PaperRow | undefined {
  return paper.find((row) => row.arm === arm);
}

function passTable(summaries: readonly ArmSummary[], paper: readonly PaperRow[]): TableBlock {
  const rows = summaries.map((one) => [
    one.arm,
    whole(one.tasks),
    whole(one.episodes),
    one.spread === null ? percent(one.passRate) : `${percent(one.passRate)} ± ${percent(one.spread)}`,
    percent(one.passRateOfGood),
    one.confirmed === null ? NONE : percent(one.confirmed / one.episodes),
    one.confirmed === null ? NONE : whole(one.unverifiable),
    percent(paperOf(paper, one.arm)?.passRate ?? null),
  ]);
  return table(
    [
      'arm',
      'tasks',
      'episodes',
      'passed',
      'without known-bad',
      'confirmed',
      'not verifiable',
      'paper, passed',
    ],
    rows,
    'passed: by the benchmark’s own score, ± SD over trials. without known-bad: tasks whose ground truth is wrong left out. confirmed: by reading the world back; a task that requires nothing a read could show is not verifiable.',
  );
}

function promptTable(summaries: readonly ArmSummary[], paper: readonly PaperRow[]): TableBlock {
  const rows = summaries.map((one) => [
    one.arm,
    whole(one.meanChars),
    whole(one.maxChars),
    whole(one.meanTokens),
    whole(one.totalTokens),
    fixed(one.growth, 0),
    whole(paperOf(paper, one.arm)?.prompt ?? null),
    whole(paperOf(paper, one.arm)?.tokens ?? null),
  ]);
  const by = [...new Set(summaries.map(({ tokensBy }) => tokensBy))].join(', ');
  return table(
    [
      'arm',
      'characters',
      'largest',
      'tokens',
      'tokens in all',
      'growth a step',
      'paper, prompt',
      'paper, tokens',
    ],
    rows,
    `Mean size of a prompt over all calls (tokens: ${by}). growth: characters that each step adds, over episodes of 8 steps and more. The paper does not say whether its prompt sizes are characters or tokens.`,
  );
}

function hatTable(summaries: readonly ArmSummary[]): TableBlock {
  const trials = Math.min(...summaries.map((one) => one.passHat.length));
  const names = ['arm', ...Array.from({ length: trials }, (_, i) => `pass^${i + 1}`)];
  const rows = summaries.map((one) => [one.arm, ...one.passHat.slice(0, trials).map(percent)]);
  return table(
    names,
    rows,
    'The chance that k trials of a task, drawn from those played, all pass; mean over tasks.',
  );
}

function failureTable(summaries: readonly ArmSummary[]): TableBlock {
  const rows = summaries.map(({ arm, episodes, passed, failures }) => [
    arm,
    ...[episodes - passed, failures.agent, failures.simulator, failures.harness, failures.provider].map(
      whole,
    ),
  ]);
  return table(
    ['arm', 'not passed', 'agent', 'simulator', 'harness', 'provider'],
    rows,
    'Who is to blame for an episode that did not pass; each result says why.',
  );
}

/** Mean prompt size by step, one line an arm. */
function promptChart(outcomes: readonly Outcome[]): Chart {
  const series = [...Map.groupBy(outcomes, ({ arm }) => arm)].map(([arm, own]) => ({
    name: arm,
    colour: arm.split('@')[0] ?? arm,
    points: meanByStep(own),
  }));
  return {
    title: 'Prompt size by step',
    x: 'step',
    y: 'characters',
    format: 'number',
    series,
    note: 'Mean over the episodes that reach the step.',
  };
}

function meanByStep(outcomes: readonly Outcome[]): { x: number; y: number }[] {
  const calls = outcomes.flatMap((one) => one.calls.filter(({ kind }) => kind === 'step'));
  return [...Map.groupBy(calls, ({ step }) => step)]
    .map(([x, own]) => ({ x, y: own.reduce((n, { chars }) => n + chars, 0) / own.length }))
    .sort((a, b) => a.x - b.x);
}
