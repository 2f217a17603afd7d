import type { Json, JsonObject, Usage } from '@skillstate/runtime';
import type {
  ArmSpec,
  CallRecord,
  EpisodeResult,
  ModelFacts,
  PartRecord,
  StepRecord,
  Totals,
} from '../../harness/result.ts';
import type { Failure } from '../../outcome/outcome.ts';
import type { Split } from '../task.ts';
import type { DomainName } from '../tool.ts';
import type { OutcomeCheck, VerifiedOutcome } from '../verified.ts';
import type { UserFacts } from './user.ts';

/** How an episode ended. Only `user` and `hand-off` are ends that the original scores; all others get reward 0 there and here. */
export type TauEnd = 'user' | 'hand-off' | 'steps' | 'refused' | 'broken';

/** One τ-bench episode as plain JSON: one line of a results file. Everything but `timing` follows from the replies. */
export type TauResult = {
  readonly v: 1;
  readonly benchmark: 'tau-bench';
  readonly revision: string;
  readonly key: string;
  readonly domain: DomainName;
  readonly split: Split;
  readonly task: number;
  readonly trial: number;
  readonly arm: ArmSpec;
  readonly model: ModelFacts;
  readonly user: UserFacts;
  readonly limits: { readonly steps: number; readonly retries: number };
  readonly ended: TauEnd;
  readonly reason: string;
  /** The official reward, and its `info` in the original's shape. */
  readonly official: { readonly reward: 0 | 1; readonly info: Json };
  readonly verified: Pick<VerifiedOutcome, 'verdict' | 'reward'> & {
    readonly failed: readonly OutcomeCheck[];
  };
  readonly knownBad: boolean;
  readonly failure: Failure | null;
  /** What the agent did, in order; `said` is the user's answer, or null for a tool. */
  readonly actions: readonly {
    readonly tool: string;
    readonly args: JsonObject;
    readonly said: string | null;
  }[];
  /** The user's first message; null: there was none. */
  readonly opening: string | null;
  readonly steps: readonly StepRecord[];
  readonly calls: readonly CallRecord[];
  readonly parts: readonly PartRecord[];
  readonly rejections: Readonly<Record<string, number>>;
  readonly totals: Totals;
  readonly userUsage: Usage;
  readonly tokensBy: EpisodeResult['tokensBy'];
  readonly compressor: string | null;
  readonly timing: EpisodeResult['timing'];
};
