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
import type { CtfMode } from '../episode.ts';

/** `found`: the right flag. `skipped`: given up. `raised`: the original's whole run would end here with an exception. */
export type CtfEnd = 'found' | 'skipped' | 'steps' | 'refused' | 'raised' | 'broken';

/** One InterCode CTF episode as plain JSON: one line of a results file. Scores of the two modes are not comparable. */
export type CtfResult = {
  readonly v: 1;
  readonly benchmark: 'intercode-ctf';
  readonly revision: string;
  /** SHA-256 of the task definitions, and whether they are the pinned ones. */
  readonly data: { readonly sha256: string; readonly pinned: boolean };
  readonly key: string;
  readonly mode: CtfMode;
  readonly sandbox: string;
  readonly network: boolean;
  readonly task: number;
  readonly trial: number;
  readonly arm: ArmSpec;
  readonly model: ModelFacts;
  readonly limits: { readonly steps: number; readonly retries: number };
  readonly ended: CtfEnd;
  readonly reason: string;
  readonly reward: 0 | 1;
  readonly knownBad: boolean;
  readonly failure: Failure | null;
  /** What the agent did, in order. Submitted flags are in here: keep results from agents under test. */
  readonly actions: readonly {
    readonly command: string;
    readonly exitCode: number | null;
    readonly shownChars: number;
  }[];
  readonly steps: readonly StepRecord[];
  readonly calls: readonly CallRecord[];
  readonly parts: readonly PartRecord[];
  readonly rejections: Readonly<Record<string, number>>;
  readonly totals: Totals;
  readonly tokensBy: EpisodeResult['tokensBy'];
  readonly compressor: string | null;
  readonly timing: EpisodeResult['timing'];
};
