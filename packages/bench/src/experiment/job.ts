import type { EpisodeSpec } from '../env/create.ts';
import type { BenchModel } from '../harness/model.ts';
import type { EpisodeRequest } from '../harness/key.ts';
import type { ArmSpec } from '../harness/result.ts';
import { createHttpReferenceModel, createReferenceModel } from '../harness/reference-model.ts';
import type { Measure } from '../strategy/budget.ts';
import type { FaultRates } from '../reference/faults.ts';

export type Reasoning = 'none' | 'paper';

/** How a scripted model of an episode is to behave; other models do as they do. */
export type Behaviour = { readonly reasoning: Reasoning; readonly faults: FaultRates | null };

/** One episode that a bench has to run. */
export type Job = { readonly request: EpisodeRequest; readonly behaviour: Behaviour };

/** Which model plays: one of ours, whose behaviour a job sets, or one made elsewhere. */
export type Player =
  | { readonly scripted: 'reference' | 'http'; readonly tokens: Measure }
  | { readonly scripted: null; readonly model: BenchModel };

/** What all experiments share. */
export type Settings = {
  readonly arms: readonly ArmSpec[];
  readonly seeds: number;
  readonly repetitions: number;
  readonly retries: number;
  /** Lengths of reasoning to show; one entry, `none`, for a model that is not scripted. */
  readonly reasoning: readonly Reasoning[];
};

/** The model of a job. Repetitions of a scripted model differ in its seed alone. */
export function modelOf(player: Player, { request, behaviour }: Job): BenchModel {
  if (player.scripted === null) return player.model;
  const create = player.scripted === 'reference' ? createReferenceModel : createHttpReferenceModel;
  return create({
    reasoning: behaviour.reasoning,
    faults: behaviour.faults,
    seed: seedOf(request),
    tokens: player.tokens,
  });
}

/** The scripted model's own seed. */
export function seedOf({ spec, repetition }: EpisodeRequest): number {
  return spec.seed + 1_000 * repetition;
}

type Grid = {
  readonly experiment: string;
  readonly specs: readonly Omit<EpisodeSpec, 'seed'>[];
  readonly arms?: (spec: EpisodeSpec) => readonly ArmSpec[];
  /** null: none. */
  readonly faults?: readonly (FaultRates | null)[];
};

/** More episodes than anyone will wait for: a slip of the keyboard. */
const MOST_JOBS = 200_000;

/**
 * Every combination, arms innermost, so that what arms share is computed once. Throws RangeError where they are more than
 * 200,000.
 */
export function jobsOf(
  settings: Settings,
  { experiment, specs, arms, faults = [null] }: Grid,
): readonly Job[] {
  const { seeds, repetitions, retries, reasoning } = settings;
  const asked = reasoning.length * faults.length * specs.length * seeds * repetitions;
  if (asked > MOST_JOBS)
    throw new RangeError(`${asked} episodes of each arm are asked for, at most ${MOST_JOBS} are run`);
  const jobs: Job[] = [];
  for (const reasoned of reasoning)
    for (const spoiled of faults)
      for (const partial of specs)
        for (let seed = 1; seed <= seeds; seed++)
          for (let repetition = 0; repetition < repetitions; repetition++) {
            const spec = { ...partial, seed };
            for (const arm of arms?.(spec) ?? settings.arms) {
              const request = { experiment, arm, spec, repetition, retries };
              jobs.push({ request, behaviour: { reasoning: reasoned, faults: spoiled } });
            }
          }
  return jobs;
}
