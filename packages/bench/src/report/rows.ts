import type { ReplyMode } from '@skillstate/runtime';
import type { Interval } from '../statistics/bootstrap.ts';
import type { Comparison } from './compare.ts';
import type { Digest } from './digest.ts';
import { measureSections } from './build.ts';
import type { Measured } from './measure.ts';
import type { Condition } from './sections.ts';

/** One line of a bench's table: an arm under one condition, over seeds and repetitions. null: not known, or not to be had. */
export type Row = {
  readonly experiment: string;
  readonly environment: string;
  readonly condition: string;
  readonly horizon: number;
  readonly model: string;
  readonly mode: ReplyMode;
  /** Of scripted models; null: the model's own. */
  readonly reasoning: string | null;
  readonly arm: string;
  readonly episodes: number;
  readonly score: number;
  /** Sample standard deviation. */
  readonly scoreSd: number | null;
  /** Percentile bootstrap, 95%. */
  readonly scoreInterval: Interval | null;
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
  /** Tokens of an episode, mean. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** As the provider reports them; null where none does. */
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly tokensBy: string;
  /** USD of an episode, mean: every token at the input price, and with cache prices. */
  readonly rawUsd: number | null;
  readonly cachedUsd: number | null;
  readonly wallMs: number;
  /** Measured over expected input tokens. */
  readonly agreement: number | null;
  /** Steps to recover of each episode with a probe; null: not recovered. */
  readonly recovery: readonly (number | null)[];
  readonly rejections: Readonly<Record<string, number>>;
  readonly retries: number;
  readonly forfeited: number;
  readonly compressions: number;
  readonly compressor: string | null;
  readonly stateWrites: number;
  readonly groups: Measured['groups'];
  readonly notes: readonly string[];
  /** Beside `state`, episode by episode; null for `state` itself, and where it was not run. */
  readonly againstState: AgainstState | null;
};

export type AgainstState = Omit<Comparison, 'measured'>;

/** The rows of some results, section by section. No ratio to `state` is in them without the evidence for it (R23). */
export function rowsOf(results: readonly Digest[]): readonly Row[] {
  return measureSections(results).flatMap(({ cells, comparisons }) =>
    cells.map((measured) => {
      const found = comparisons.find((comparison) => comparison.measured === measured);
      return rowOf(measured, found ?? null);
    }),
  );
}

function rowOf(measured: Measured, found: Comparison | null): Row {
  const { cell, cost, reported, closedForm } = measured;
  const [first] = cell.results as [Digest];
  const [read, write, reasoning] = reported ?? [null, null, null];
  return {
    experiment: first.experiment,
    environment: first.spec.environment,
    condition: conditionText(cell.condition),
    horizon: first.spec.horizon,
    model: first.model.name,
    mode: first.model.mode,
    reasoning: first.model.reasoning,
    arm: cell.arm.id,
    episodes: measured.episodes,
    score: measured.score.mean ?? 0,
    scoreSd: measured.score.sd,
    scoreInterval: measured.interval,
    success: measured.success.mean ?? 0,
    promptChars: measured.promptChars.mean ?? 0,
    maxPromptChars: measured.maxPromptChars,
    exponent: measured.exponent.mean,
    expectedExponent: closedForm?.exponent ?? null,
    exponentBesideState: measured.exponentBesideState.mean,
    exponentWhole: measured.exponentWhole.mean,
    inputTokens: measured.inputTokens.mean ?? 0,
    outputTokens: measured.outputTokens.mean ?? 0,
    cacheReadTokens: read?.mean ?? null,
    cacheWriteTokens: write?.mean ?? null,
    reasoningTokens: reasoning?.mean ?? null,
    tokensBy: measured.tokensBy,
    rawUsd: cost?.rawUsd.mean ?? null,
    cachedUsd: cost?.cachedUsd.mean ?? null,
    wallMs: measured.wallMs.mean ?? 0,
    agreement: closedForm?.tokens ?? null,
    recovery: measured.recovery,
    rejections: measured.rejections,
    retries: measured.retries.mean ?? 0,
    forfeited: measured.forfeited.mean ?? 0,
    compressions: measured.compressions.mean ?? 0,
    compressor: first.compressor,
    stateWrites: measured.stateWrites,
    groups: measured.groups,
    notes: measured.notes,
    againstState: found === null ? null : against(found),
  };
}

function against(comparison: Comparison): AgainstState {
  const { measured: _measured, ...rest } = comparison;
  return rest;
}

function conditionText({ noise, overrides, drift, condition, faults, retries }: Condition): string {
  const words = [
    ...(noise === 0 ? [] : [`${noise} lines${overrides ? ' with overrides' : ''}`]),
    ...(drift === null ? [] : [drift]),
    ...(condition === null ? [] : [condition]),
    ...(faults === 0 ? [] : [`${Math.round(faults * 100)}% faults`]),
    ...(retries === USUAL_RETRIES ? [] : [`${retries} retries`]),
  ];
  return words.join(', ');
}

/** The default of a bench; not named in tables. */
export const USUAL_RETRIES = 3;
