import { canonicalJson, type Json, sha256 } from '@skillstate/runtime';
import type { EpisodeSpec } from '../env/create.ts';
import type { ArmSpec, ModelFacts } from './result.ts';

export type EpisodeRequest = {
  readonly experiment: string;
  readonly arm: ArmSpec;
  readonly spec: EpisodeSpec;
  readonly repetition: number;
  /** Refused replies that a step may have, besides the accepted one; the same in every arm. */
  readonly retries: number;
};

/** Names an episode: the same for the same request and model, in every process. */
export function episodeKey(
  { experiment, arm, spec, repetition, retries }: EpisodeRequest,
  model: ModelFacts,
): string {
  const facts = { experiment, arm, spec, repetition, retries, model } as unknown as Json;
  const { environment, seed, horizon } = spec;
  return `${environment}-${arm.id}-t${horizon}-s${seed}-${sha256(canonicalJson(facts)).slice(0, 12)}`;
}
