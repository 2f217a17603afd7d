import { describe } from '../statistics/describe.ts';
import type { Failure, Outcome } from './outcome.ts';
import { passHatK } from './pass-k.ts';

/** All episodes of one arm in figures. Rates are shares of episodes. */
export type ArmSummary = {
  readonly arm: string;
  readonly episodes: number;
  readonly tasks: number;
  readonly trials: number;
  readonly passed: number;
  readonly passRate: number;
  /** Sample SD of the pass rates of single trials; null for one trial. */
  readonly spread: number | null;
  /** Without the tasks whose ground truth is wrong; null where nothing is left. */
  readonly passRateOfGood: number | null;
  /** Confirmed by our own look at the world, and episodes of which that can say nothing; null where there is no such look. */
  readonly confirmed: number | null;
  readonly unverifiable: number;
  /** pass^k for k from 1 to the trials that every task has. */
  readonly passHat: readonly number[];
  /** Characters and tokens of a prompt, over all calls, summarisers' included. */
  readonly meanChars: number;
  readonly maxChars: number;
  readonly meanTokens: number;
  /** Input and output of all calls. */
  readonly totalTokens: number;
  readonly growth: number | null;
  readonly tokensBy: string;
  readonly failures: Readonly<Record<Failure['who'], number>>;
};

/** Episodes shorter than this say nothing about growth. */
const GROWTH_STEPS = 8;

/** One summary an arm, in the order in which the arms first came. */
export function summarise(outcomes: readonly Outcome[]): ArmSummary[] {
  return [...Map.groupBy(outcomes, ({ arm }) => arm)].map(([arm, own]) => summary(arm, own));
}

function summary(arm: string, outcomes: readonly Outcome[]): ArmSummary {
  const byTask = [...Map.groupBy(outcomes, ({ task }) => task).values()];
  const trials = Math.min(...byTask.map((list) => list.length));
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((n, one) => n + of(one), 0);
  const calls = sum(({ totals }) => totals.calls);
  const looked = outcomes.filter(({ verified }) => verified !== null);
  const good = outcomes.filter(({ knownBad }) => !knownBad);
  const blamed = (who: Failure['who']): number =>
    outcomes.filter(({ failure }) => failure?.who === who).length;
  return {
    arm,
    episodes: outcomes.length,
    tasks: byTask.length,
    trials,
    passed: sum(({ passed }) => Number(passed)),
    passRate: rate(outcomes) ?? 0,
    spread: spreadOf(outcomes),
    passRateOfGood: rate(good),
    confirmed: looked.length === 0 ? null : looked.filter(({ verified }) => verified === 'confirmed').length,
    unverifiable: looked.filter(({ verified }) => verified === 'unverifiable').length,
    passHat: Array.from({ length: trials }, (_, i) => passHatK(byTask.map(passes), i + 1)),
    meanChars: sum(({ totals }) => totals.promptChars) / Math.max(1, calls),
    maxChars: Math.max(...outcomes.map(({ totals }) => totals.maxPromptChars)),
    meanTokens: sum(({ totals }) => totals.inputTokens) / Math.max(1, calls),
    totalTokens: sum(({ totals }) => totals.inputTokens + totals.outputTokens),
    growth: describe(outcomes.flatMap(growthOf)).mean,
    tokensBy: [...new Set(outcomes.map(({ tokensBy }) => tokensBy))].join(', '),
    failures: {
      agent: blamed('agent'),
      simulator: blamed('simulator'),
      harness: blamed('harness'),
      provider: blamed('provider'),
    },
  };
}

function passes(outcomes: readonly Outcome[]): boolean[] {
  return outcomes.map(({ passed }) => passed);
}

function rate(outcomes: readonly Outcome[]): number | null {
  return outcomes.length === 0 ? null : passes(outcomes).filter(Boolean).length / outcomes.length;
}

function spreadOf(outcomes: readonly Outcome[]): number | null {
  const byTrial = [...Map.groupBy(outcomes, ({ trial }) => trial).values()];
  return describe(byTrial.flatMap((own) => rate(own) ?? [])).sd;
}

/** Characters that a step adds to the prompt beside its fixed part: the least-squares slope over an episode's steps. */
function growthOf({ calls }: Outcome): number[] {
  const steps = calls.filter(({ kind }) => kind === 'step');
  if (steps.length < GROWTH_STEPS) return [];
  const points = steps.map(({ step, chars, fixedChars }) => ({ x: step, y: chars - fixedChars }));
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    points.reduce((n, point) => n + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const across = mean((point) => (point.x - x) * (point.y - y));
  return [across / mean((point) => (point.x - x) ** 2)];
}
