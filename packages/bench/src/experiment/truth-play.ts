import { createEnvironment, type EpisodeSpec } from '../env/create.ts';
import { composeObservation, type JsonDocument } from '../env/environment.ts';
import type { Mind } from '../reference/mind.ts';
import { mergePatch, shallowUpdate } from '../reference/patch.ts';
import { repositoryMind } from '../reference/repository-mind.ts';
import { writeSummary } from '../reference/summary.ts';
import { warehouseMind } from '../reference/warehouse-mind.ts';

/** One turn of an episode in which every event is answered right: its texts, and what there is to know. */
export type TrueTurn = {
  readonly observation: string;
  readonly command: string;
  /** The command before this turn's; empty at the first. */
  readonly before: string;
  /** Σ as the turn begins. */
  readonly state: JsonDocument;
  /** What the turn's answer changes: as a shallow update, and as a merge patch. */
  readonly update: JsonDocument;
  readonly patch: JsonDocument;
  /** A summary of everything known once the turn is over. */
  readonly summary: string;
};

/** Plays an episode by its ground truth, a turn at a time: no strategy, no runtime, no model. Holds one turn. */
export function* playTruth(spec: EpisodeSpec): Generator<TrueTurn, void, void> {
  const { environment, truth, skill } = createEnvironment(spec);
  const mind = (spec.environment === 'repository' ? repositoryMind : warehouseMind) as Mind<unknown>;
  const facts = mind.nothing();
  const told = mind.nothing();
  let result: string | null = null;
  let before = '';
  let state = skill.initial;
  for (let turn = 0; turn < environment.horizon; turn++) {
    const observation = composeObservation(result, environment.event(turn));
    const command = truth.answer();
    mind.learn(facts, observation, false);
    mind.assume(facts, command);
    mind.learn(told, `${observation}\n${command}`, true);
    const next = mind.toState(facts, state);
    const summary = writeSummary(mind.summary(told), null);
    const [update, patch] = [shallowUpdate(state, next), mergePatch(state, next)];
    yield { observation, command, before, state, update, patch, summary };
    [state, before, result] = [next, command, environment.act(command).text];
  }
}
