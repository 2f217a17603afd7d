import { canonicalJson, type Json, sha256 } from '@skillstate/runtime';
import type { ModelFacts } from '../../harness/result.ts';
import type { TauRequest } from './episode.ts';
import type { UserFacts } from './user.ts';

/** Names an episode: the same for the same request, model, user and data revision, in every process. */
export function tauKey(
  { domain, split, task, trial, arm, steps, retries }: TauRequest,
  model: ModelFacts,
  user: UserFacts,
): string {
  const about = { revision: domain.revision, domain: domain.name, split, task: task.index, trial };
  const facts = { ...about, arm, steps, retries, model, user } as unknown as Json;
  return `tau-${domain.name}-${split}-${task.index}-${arm.id}-${trial}-${sha256(canonicalJson(facts)).slice(0, 12)}`;
}
