import type { EpisodeResult } from '../harness/result.ts';

/** One line of a bench's table: an arm under one condition, over seeds and repetitions. */
export type Row = {
  readonly experiment: string;
  readonly environment: string;
  readonly condition: string;
  readonly horizon: number;
  readonly reasoning: string;
  readonly arm: string;
  readonly episodes: number;
  readonly score: number;
  readonly scoreSd: number;
  readonly success: number;
  /** Characters of a prompt: mean over all calls, and the largest. */
  readonly promptChars: number;
  readonly maxPromptChars: number;
  /** Growth of prompt minus fixed prefix by step, measured and by the closed form. */
  readonly exponent: number | null;
  readonly expectedExponent: number | null;
  /** Growth of that without Σ, whose size is the world's; for `state` alone. */
  readonly exponentBesideState: number | null;
  /** Growth of the whole prompt. */
  readonly exponentWhole: number | null;
  /** Input tokens of an episode, mean; over those of `state`, measured and by the closed form. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly tokenRatio: number | null;
  readonly expectedTokenRatio: number | null;
  /** Measured over expected input tokens. */
  readonly agreement: number | null;
  /** Steps to recover of each episode with a probe; null: not recovered. */
  readonly recovery: readonly (number | null)[];
  readonly rejections: Readonly<Record<string, number>>;
  readonly retries: number;
  readonly forfeited: number;
  readonly compressions: number;
  readonly stateWrites: number;
  readonly groups: Readonly<Record<string, { readonly asked: number; readonly right: number }>>;
  readonly tokensBy: string;
  readonly compressor: string | null;
};

/** The rows of some results, in the order in which their first episodes come. Ratios are within a condition, seed by seed. */
export function rowsOf(results: readonly EpisodeResult[]): readonly Row[] {
  const cells = Map.groupBy(results, (result) => `${placeOf(result)} ${result.arm.id}`);
  const states = Map.groupBy(
    results.filter(({ arm }) => arm.strategy === 'state'),
    placeOf,
  );
  return [...cells.values()].map((cell) => rowOf(cell, states.get(placeOf(cell[0] as EpisodeResult)) ?? []));
}

function placeOf({ experiment, spec, model }: EpisodeResult): string {
  const { seed: _, ...condition } = spec;
  return JSON.stringify([experiment, condition, model.name, model.reasoning, model.faults]);
}

function rowOf(cell: readonly EpisodeResult[], states: readonly EpisodeResult[]): Row {
  const [first] = cell as [EpisodeResult];
  const over = (value: (result: EpisodeResult) => number): number => mean(cell.map(value));
  const inputTokens = over(({ totals }) => totals.inputTokens);
  const expected = meanOrNull(cell.map((result) => result.expected?.inputTokens ?? null));
  const stateExpected = meanOrNull(states.map((result) => result.expected?.inputTokens ?? null));
  const scores = cell.map(({ score }) => score.score);
  return {
    experiment: first.experiment,
    environment: first.spec.environment,
    condition: conditionText(first),
    horizon: first.spec.horizon,
    reasoning: first.model.reasoning ?? 'own',
    arm: first.arm.id,
    episodes: cell.length,
    score: mean(scores),
    scoreSd: sampleSd(scores),
    success: over(({ success }) => Number(success)),
    promptChars: over(({ totals }) => totals.promptChars / Math.max(1, totals.calls)),
    maxPromptChars: Math.max(...cell.map(({ totals }) => totals.maxPromptChars)),
    exponent: meanOrNull(cell.map(({ totals }) => totals.exponent)),
    expectedExponent: meanOrNull(cell.map((result) => result.expected?.exponent ?? null)),
    exponentBesideState: meanOrNull(cell.map(({ totals }) => totals.exponentBesideState)),
    exponentWhole: meanOrNull(cell.map(({ totals }) => totals.exponentWhole)),
    inputTokens,
    outputTokens: over(({ totals }) => totals.outputTokens),
    tokenRatio: ratio(inputTokens, meanOrNull(states.map(({ totals }) => totals.inputTokens))),
    expectedTokenRatio: expected === null ? null : ratio(expected, stateExpected),
    agreement: ratio(inputTokens, expected),
    recovery: cell.flatMap(({ recovery }) => (recovery === null ? [] : [recovery.steps])),
    rejections: summed(cell.map(({ rejections }) => rejections)),
    retries: over(({ totals }) => totals.retries),
    forfeited: over(({ forfeited }) => forfeited),
    compressions: over(({ totals }) => totals.compressions),
    stateWrites: over(({ totals }) => totals.stateWrites),
    groups: summedGroups(cell),
    tokensBy: [...new Set(cell.map(({ tokensBy }) => tokensBy))].join(', '),
    compressor: first.compressor,
  };
}

function conditionText({
  spec: { noise, overrides, drift, condition },
  model: { faults },
}: EpisodeResult): string {
  const words = [
    ...(noise === undefined ? [] : [`${noise} lines${overrides === true ? ' with overrides' : ''}`]),
    ...(drift === undefined ? [] : [drift]),
    ...(condition === undefined ? [] : [condition]),
    ...(faults === null
      ? []
      : [`${Math.round(100 * (faults.overwrite + faults.types + faults.syntax + faults.action))}% faults`]),
  ];
  return words.join(', ');
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function meanOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length ? null : mean(known);
}

function sampleSd(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

function ratio(value: number, of: number | null): number | null {
  return of === null || of === 0 ? null : value / of;
}

function summed(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const one of counts)
    for (const [name, count] of Object.entries(one)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

function summedGroups(cell: readonly EpisodeResult[]): Row['groups'] {
  const sums: Record<string, { asked: number; right: number }> = {};
  for (const { groups } of cell)
    for (const [name, { asked, right }] of Object.entries(groups)) {
      const sum = (sums[name] ??= { asked: 0, right: 0 });
      sum.asked += asked;
      sum.right += right;
    }
  return sums;
}
