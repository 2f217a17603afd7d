import type { Dialect, ModelReply, ModelRequest, ReplyMode } from '@skillstate/runtime';
import type { CallRecord, ModelFacts } from './result.ts';

/** Which call of an episode this is. */
export type CallAbout = {
  /** The step, from 1; how many replies of it were refused; how many summaries were made before, in this attempt. */
  readonly step: number;
  readonly attempt: number;
  readonly compression: number;
  readonly kind: CallRecord['kind'];
};

export type EpisodeModel = {
  ask(request: ModelRequest, about: CallAbout): Promise<ModelReply>;
  /** Saved and replayed: when the last call was made and how long it took, in ms, as recorded. */
  took?(): { readonly at: number; readonly ms: number } | null;
  close(): Promise<void>;
};

/** A model as a bench uses it: every episode opens its own, so that nothing is shared between episodes. */
export type BenchModel = {
  readonly facts: ModelFacts;
  readonly mode: ReplyMode;
  readonly dialect: Dialect;
  /** `key` is the episode's. */
  open(key: string): Promise<EpisodeModel>;
};
