import type { IssueGroup } from '@skillstate/runtime';
import type { ArmCost } from '../cost/bill.ts';
import { bootstrapMean, type Interval } from '../statistics/bootstrap.ts';
import { describe, type Spread } from '../statistics/describe.ts';
import { BUDGET_MATCHED } from '../experiment/arms.ts';
import { PAPER_BUDGET } from '../strategy/create.ts';
import type { Digest } from './digest.ts';
import type { Cell } from './sections.ts';

/** The figures of one cell: each a mean over its episodes (seeds × repetitions) with the sample SD. */
export type Measured = {
  readonly cell: Cell;
  readonly episodes: number;
  readonly score: Spread;
  readonly interval: Interval | null;
  readonly success: Spread;
  /** Characters of a prompt, mean over the calls of an episode, and the largest. */
  readonly promptChars: Spread;
  readonly maxPromptChars: number;
  readonly exponent: Spread;
  /** Of the whole prompt. */
  readonly exponentWhole: Spread;
  /** The same without Σ, whose size is the world's; of the state arms only. */
  readonly exponentBesideState: Spread;
  /** Input and output of all calls of an episode, summarisers' and retries' included. */
  readonly tokens: Spread;
  readonly inputTokens: Spread;
  readonly outputTokens: Spread;
  readonly compressTokens: Spread;
  /** Calls of summarisers. */
  readonly compressions: Spread;
  readonly retries: Spread;
  readonly forfeited: Spread;
  readonly wallMs: Spread;
  readonly stateWrites: number;
  /** Who counted the tokens. */
  readonly tokensBy: string;
  /** Tokens read from and written to the provider's cache and spent on reasoning; null where a provider did not report them. */
  readonly reported: readonly [read: Spread, write: Spread, reasoning: Spread] | null;
  /** Measured over expected by the closed form; null where there is none. */
  readonly closedForm: { readonly tokens: number; readonly exponent: number | null } | null;
  /** Rejected replies of all episodes by group. */
  readonly rejections: Readonly<Partial<Record<IssueGroup, number>>>;
  /** Steps to recover of each episode with a probe; null: it did not. */
  readonly recovery: readonly (number | null)[];
  readonly groups: Readonly<Record<string, { readonly asked: number; readonly right: number }>>;
  readonly cost: CellCost | null;
  /** What a reader must know of the arm's figures. */
  readonly notes: readonly string[];
};

export type CellCost = {
  readonly rawUsd: Spread;
  readonly cachedUsd: Spread;
  readonly cacheShare: number | null;
  readonly cacheBy: string;
  /** Of the first episode, for plots and break-even; every episode's figures are in the means. */
  readonly first: ArmCost;
  readonly notes: readonly string[];
};

export function measureCell(cell: Cell): Measured {
  const { results } = cell;
  const of = (value: (result: Digest) => number): Spread => describe(results.map(value));
  const known = (value: (result: Digest) => number | null): Spread =>
    describe(results.flatMap((result) => value(result) ?? []));
  const scores = results.map(({ score }) => score.score);
  return {
    cell,
    episodes: results.length,
    score: describe(scores),
    interval: bootstrapMean(seedMeans(results)),
    success: of(({ success }) => Number(success)),
    promptChars: of(({ totals }) => totals.promptChars / Math.max(1, totals.calls)),
    maxPromptChars: Math.max(...results.map(({ totals }) => totals.maxPromptChars)),
    exponent: known(({ totals }) => totals.exponent),
    exponentWhole: known(({ totals }) => totals.exponentWhole),
    exponentBesideState: known(({ totals }) => totals.exponentBesideState ?? null),
    tokens: of(({ totals }) => totals.inputTokens + totals.outputTokens),
    inputTokens: of(({ totals }) => totals.inputTokens),
    outputTokens: of(({ totals }) => totals.outputTokens),
    compressTokens: of(({ totals }) => totals.compressTokens),
    compressions: of(({ totals }) => totals.compressions),
    retries: of(({ totals }) => totals.retries),
    forfeited: of(({ forfeited }) => forfeited),
    wallMs: of(({ timing }) => timing.wallMs),
    stateWrites: results.reduce((sum, { totals }) => sum + totals.stateWrites, 0),
    tokensBy: [...new Set(results.map(({ tokensBy }) => tokensBy))].join(', '),
    reported: results.every(({ tokensBy }) => tokensBy === 'provider')
      ? [
          of(({ totals }) => totals.cacheReadTokens),
          of(({ totals }) => totals.cacheWriteTokens),
          of(({ totals }) => totals.reasoningTokens),
        ]
      : null,
    closedForm: closedForm(results),
    rejections: sumCounts(results.map(({ rejections }) => rejections)),
    recovery: results.flatMap(({ recovery }) => (recovery === null ? [] : [recovery.steps])),
    groups: sumGroups(results),
    cost: costOfCell(results),
    notes: notesOf(cell),
  };
}

/** A budget below what is never cut, P and O, cannot be kept to: the arm shows those alone. */
function notesOf({ arm, results }: Cell): string[] {
  if (!BUDGET_MATCHED.includes(arm.strategy) || arm.unit === 'tokens') return [];
  const { budget = PAPER_BUDGET } = arm;
  const largest = Math.max(0, ...results.flatMap(({ promptBySteps }) => promptBySteps));
  if (largest <= budget) return [];
  const sizes = `${largest.toLocaleString('en-US')} of ${budget.toLocaleString('en-US')} characters`;
  return [`the budget is too small for what is never cut (instructions and observation): up to ${sizes}`];
}

/** Repetitions of a seed are no samples of their own: an interval is over seeds. */
function seedMeans(results: readonly Digest[]): number[] {
  const groups = Map.groupBy(results, ({ spec }) => spec.seed);
  return [...groups.values()].map((same) => describe(same.map(({ score }) => score.score)).mean ?? 0);
}

function closedForm(results: readonly Digest[]): Measured['closedForm'] {
  const known = results.flatMap(({ expected, totals }) => (expected === null ? [] : [{ expected, totals }]));
  if (known.length === 0 || known.length < results.length) return null;
  const sum = (value: (pair: (typeof known)[number]) => number): number =>
    known.reduce((total, pair) => total + value(pair), 0);
  return {
    tokens: sum(({ totals }) => totals.inputTokens) / sum(({ expected }) => expected.inputTokens),
    exponent: describe(known.flatMap(({ expected }) => expected.exponent ?? [])).mean,
  };
}

/** null unless every episode has a cost. */
function costOfCell(results: readonly Digest[]): CellCost | null {
  const costs = results.flatMap(({ cost }) => cost ?? []);
  const [first] = costs;
  if (first === undefined || costs.length < results.length) return null;
  const input = costs.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const read = costs.reduce((sum, { cacheReadTokens }) => sum + cacheReadTokens, 0);
  return {
    rawUsd: describe(costs.map(({ rawUsd }) => rawUsd)),
    cachedUsd: describe(costs.map(({ cachedUsd }) => cachedUsd)),
    cacheShare: input === 0 ? null : read / input,
    cacheBy: [...new Set(costs.map(({ cacheBy }) => cacheBy))].join(', '),
    first,
    notes: first.notes,
  };
}

function sumCounts(list: readonly Measured['rejections'][]): Measured['rejections'] {
  const sums = new Map<string, number>();
  for (const counts of list)
    for (const [group, count] of Object.entries(counts)) sums.set(group, (sums.get(group) ?? 0) + count);
  return Object.fromEntries(sums);
}

function sumGroups(results: readonly Digest[]): Measured['groups'] {
  const sums = new Map<string, { asked: number; right: number }>();
  for (const { groups } of results)
    for (const [name, { asked, right }] of Object.entries(groups)) {
      const sum = sums.get(name) ?? { asked: 0, right: 0 };
      sums.set(name, { asked: sum.asked + asked, right: sum.right + right });
    }
  return Object.fromEntries(sums);
}
