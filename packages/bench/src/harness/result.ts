import type { RunStatus } from '@skillstate/runtime';
import type { EpisodeSpec } from '../env/create.ts';
import type { Recovery, Score } from '../env/environment.ts';
import type { FaultRates } from '../reference/faults.ts';

/**
 * What one episode gave, as plain JSON. One line of a bench's `results.jsonl`. Everything outside `timing` is a function of
 * the spec, the arm and the model's replies, so a replay gives the same bytes; `timing` is the clock's.
 */
export type EpisodeResult = {
  readonly v: 1;
  /** Identity inside a bench: what a resumed bench compares. Equal for equal `arm`, `spec`, `model` and `repetition`. */
  readonly key: string;
  readonly experiment: string;
  readonly arm: ArmSpec;
  readonly spec: EpisodeSpec;
  readonly repetition: number;
  readonly model: ModelFacts;
  readonly limits: { readonly retries: number };
  /** `over`: every event was answered. `stopped`: by a budget or a model that cannot be reached; `reason` says which. */
  readonly ended: 'over' | 'stopped';
  readonly status: RunStatus;
  readonly reason: string;
  readonly score: Score;
  /** Every actionable event was answered right, and a changed fact that was asked for was found. */
  readonly success: boolean;
  /** Experiment 3; null without drift. */
  readonly recovery: Recovery | null;
  /** Right answers by the group of a turn (`delay 25`). */
  readonly groups: Readonly<Record<string, { readonly asked: number; readonly right: number }>>;
  /** One entry an accepted step, in order. */
  readonly steps: readonly StepRecord[];
  /** One entry a model call, in order: steps, their retries, and calls of summarisers. */
  readonly calls: readonly CallRecord[];
  /** Distinct prompt parts, named by index in `CallRecord.parts`. */
  readonly parts: readonly PartRecord[];
  /** Rejected replies by group; `overwrite`, `schema` and `syntax` are the paper's modes (section 5.7). */
  readonly rejections: Readonly<Record<string, number>>;
  /** Turns given up after the last allowed retry; the environment got `Wait` for them. */
  readonly forfeited: number;
  readonly totals: Totals;
  /** Who counted the tokens (R23). */
  readonly tokensBy: 'provider' | 'counted' | 'estimated';
  /** How a compressing arm compressed, e.g. `n-gram model of the episode`; null for the others. */
  readonly compressor: string | null;
  /** Closed form of the arm's prompt (docs/bench.md); null where the arm or model has none. */
  readonly expected: Expected | null;
  readonly timing: {
    readonly startedAt: string;
    /** To the end of the last call, from the episode's start. */
    readonly wallMs: number;
    /** Per call, same order as `calls`: start in ms after the episode's, and duration. A replay repeats the recorded ones. */
    readonly at: readonly number[];
    readonly ms: readonly number[];
  };
};

/** A way of building prompts, with its parameters. `id` names it in tables and is unique in a bench. */
export type ArmSpec = {
  readonly id: string;
  readonly strategy: StrategyName;
  /** Size of the whole prompt that a budget-matched arm keeps to, in `unit`; the observation is never cut for it. */
  readonly budget?: number;
  readonly unit?: 'chars' | 'tokens';
  /** `memory`, `summary-capped`: turns between two calls of the summariser. */
  readonly interval?: number;
  /** `llmlingua`: the causal model that scores words; absent: the n-gram model of the episode. */
  readonly surprise?: string;
};

export const STRATEGY_NAMES = [
  'state',
  'state-paper',
  'prompt',
  'memory',
  'stateful',
  'stateful-history-first',
  'stateful-idiomatic',
  'truncated',
  'summary-capped',
  'llmlingua',
] as const;
export type StrategyName = (typeof STRATEGY_NAMES)[number];

export type ModelFacts = {
  readonly name: string;
  readonly mode: 'text' | 'tool' | 'structured';
  /** Scripted models: characters of reasoning a turn; null: the model's own. */
  readonly reasoning: 'none' | 'paper' | null;
  readonly faults: FaultRates | null;
};

export type StepRecord = {
  /** From 1. */
  readonly step: number;
  /** The environment's turn, from 0. A step that only looks something up leaves its turn open. */
  readonly turn: number;
  readonly actionable: boolean;
  readonly correct: boolean;
  readonly probe: boolean;
  /** Characters of Σ as JSON when the step began, as its prompt shows it, and whether the step changed it. */
  readonly stateChars: number;
  readonly wrote: boolean;
  readonly retries: number;
  readonly forfeited: boolean;
};

export type CallRecord = {
  /** The step that it was made for, from 1. */
  readonly step: number;
  /** `retry`: the same step again after a rejection. `compress`: a summariser's call before the step's own. */
  readonly kind: 'step' | 'retry' | 'compress';
  /** Characters of the whole prompt as the model read it, and of its first `fixed` part (instructions; the same in all steps). */
  readonly chars: number;
  readonly fixedChars: number;
  readonly replyChars: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Codes of the issues for which the runtime refused the reply; empty: accepted. */
  readonly rejected: readonly string[];
  /** The prompt: the first `same` parts of the previous call's prompt, then `parts`. `breaks`: indexes with a cache breakpoint. */
  readonly same: number;
  readonly parts: readonly number[];
  readonly breaks: readonly number[];
  /** Leading characters (blank lines between parts included) in common with the previous call. */
  readonly sharedChars: number;
};

/** `hash`: 16 hex digits of SHA-256 over role and text. `tokens`: counted, or a quarter of the bytes where no tokenizer is. */
export type PartRecord = { readonly hash: string; readonly chars: number; readonly tokens: number };

export type Totals = {
  readonly calls: number;
  readonly retries: number;
  readonly compressions: number;
  readonly promptChars: number;
  readonly maxPromptChars: number;
  /** All calls, summarisers' and retries' included. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Part of the above that summarisers took. */
  readonly compressTokens: number;
  /** Steps in which Σ changed: shows that the mechanism ran. */
  readonly stateWrites: number;
  /** Exponent of prompt minus fixed prefix by step (log-log least squares); null under 8 steps. */
  readonly exponent: number | null;
  /** The same without Σ, whose size is the world's and not the history's; for `state` and `state-paper` only. */
  readonly exponentBesideState: number | null;
  /** The same of the whole prompt. */
  readonly exponentWhole: number | null;
};

export type Expected = {
  readonly promptChars: number;
  readonly inputTokens: number;
  readonly exponent: number | null;
};
