import { breakEvenStep } from '../cost/break-even.ts';
import { whyNoSaving } from '../cost/evidence.ts';
import { bootstrapMean, type Interval } from '../statistics/bootstrap.ts';
import { holm } from '../statistics/holm.ts';
import { pairDifferences, pairedTTest } from '../statistics/paired.ts';
import { signedRank } from '../statistics/wilcoxon.ts';
import type { Digest } from './digest.ts';
import type { Measured } from './measure.ts';
import { sameCondition } from './sections.ts';

/** An arm beside `state` under the same condition, episode by episode: same seed, same repetition. */
export type Comparison = {
  readonly measured: Measured;
  /** Seeds that both sides played; repetitions of a seed are averaged first, for they are no samples of their own. */
  readonly pairs: number;
  /** Score of `state` minus the arm's. */
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly tTest: number | null;
  readonly wilcoxon: number | null;
  /** After Holm's adjustment over the table. */
  readonly tTestHolm: number | null;
  readonly wilcoxonHolm: number | null;
  /** The arm's figure over that of `state`, and the step from which `state` costs less; null where no saving may be printed. */
  readonly tokenRatio: number | null;
  /** The same of input tokens alone, measured and by the closed forms. */
  readonly inputRatio: number | null;
  readonly expectedInputRatio: number | null;
  readonly rawRatio: number | null;
  readonly cachedRatio: number | null;
  readonly breakEven: { readonly raw: number | null; readonly cached: number | null } | null;
  readonly noSaving: string | null;
};

/** Fewer paired episodes give no spread worth the name. */
export const ENOUGH_PAIRS = 3;

/** All arms of a table beside `state` (or `state-paper`, where `state` was not run). */
export function compareCells(cells: readonly Measured[]): Comparison[] {
  const raw = cells.flatMap((measured) => {
    const base = stateOf(measured, cells);
    return base === null || base === measured ? [] : [comparePair(measured, base)];
  });
  const tTests = holm(raw.map(({ tTest }) => tTest));
  const wilcoxons = holm(raw.map(({ wilcoxon }) => wilcoxon));
  return raw.map((comparison, i) => ({
    ...comparison,
    tTestHolm: tTests[i] ?? null,
    wilcoxonHolm: wilcoxons[i] ?? null,
  }));
}

function stateOf({ cell }: Measured, cells: readonly Measured[]): Measured | null {
  const same = cells.filter((other) => sameCondition(other.cell.condition, cell.condition));
  const named = (name: string): Measured | undefined =>
    same.find((other) => other.cell.arm.strategy === name);
  return named('state') ?? named('state-paper') ?? null;
}

type Unadjusted = Omit<Comparison, 'tTestHolm' | 'wilcoxonHolm'>;

function comparePair(measured: Measured, base: Measured): Unadjusted {
  const pairs = pairsOf(base.cell.results, measured.cell.results);
  const seeds = bySeed(pairs);
  const ours = seeds.map(([state]) => state);
  const theirs = seeds.map(([, other]) => other);
  const { difference, p } = pairedTTest(ours, theirs);
  const noSaving = whyNoSaving({
    stateWrites: base.stateWrites,
    tasksEqual: pairs.length === base.episodes && pairs.length === measured.episodes,
    samples: seeds.length,
    enough: ENOUGH_PAIRS,
  });
  const ratio = (a: number | null, b: number | null): number | null =>
    noSaving !== null || a === null || b === null || b === 0 ? null : a / b;
  const [cost, baseCost] = [measured.cost, base.cost];
  return {
    measured,
    pairs: seeds.length,
    difference,
    interval: bootstrapMean(pairDifferences(ours, theirs)),
    tTest: p,
    wilcoxon: signedRank(ours, theirs).p,
    tokenRatio: ratio(measured.tokens.mean, base.tokens.mean),
    inputRatio: ratio(measured.inputTokens.mean, base.inputTokens.mean),
    expectedInputRatio: ratio(expectedInput(measured), expectedInput(base)),
    rawRatio: ratio(cost?.rawUsd.mean ?? null, baseCost?.rawUsd.mean ?? null),
    cachedRatio: ratio(cost?.cachedUsd.mean ?? null, baseCost?.cachedUsd.mean ?? null),
    breakEven:
      noSaving !== null || cost === null || baseCost === null
        ? null
        : {
            raw: breakEvenStep(baseCost.first, cost.first, 'raw'),
            cached: breakEvenStep(baseCost.first, cost.first, 'cached'),
          },
    noSaving,
  };
}

function expectedInput({ inputTokens, closedForm }: Measured): number | null {
  return inputTokens.mean === null || closedForm === null ? null : inputTokens.mean / closedForm.tokens;
}

/** Mean scores of both sides, a seed at a time. */
function bySeed(pairs: readonly (readonly [Digest, Digest])[]): (readonly [number, number])[] {
  const groups = Map.groupBy(pairs, ([state]) => state.spec.seed);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  return [...groups.values()].map((group) => [
    mean(group.map(([state]) => state.score.score)),
    mean(group.map(([, other]) => other.score.score)),
  ]);
}

/** Episodes of the same seed and repetition: the same events. */
function pairsOf(states: readonly Digest[], others: readonly Digest[]): [Digest, Digest][] {
  const key = ({ spec, repetition }: Digest): string => `${spec.seed}/${repetition}`;
  const known = new Map(others.map((result) => [key(result), result]));
  return states.flatMap((state): [Digest, Digest][] => {
    const other = known.get(key(state));
    return other === undefined ? [] : [[state, other]];
  });
}
