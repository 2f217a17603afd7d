import {
  DELAYED_CONDITIONS,
  type EnvironmentName,
  REPOSITORY_DRIFTS,
  WAREHOUSE_DRIFTS,
} from '../env/create.ts';
import type { ArmSpec } from '../harness/result.ts';
import { type FaultRates, mixed, PAPER_MIX } from '../reference/faults.ts';
import type { Measure } from '../strategy/budget.ts';
import { PAPER_BUDGET } from '../strategy/create.ts';
import { armOf, BUDGET_MATCHED } from './arms.ts';
import { expectedSizes } from './expected.ts';
import { type Job, jobsOf, type Settings } from './job.ts';
import { playTruth } from './truth-play.ts';

/** Experiment 1 (section 5.2): score and size over the horizon. */
export function scaling(
  settings: Settings,
  environment: EnvironmentName,
  horizons: readonly number[],
): readonly Job[] {
  return jobsOf(settings, {
    experiment: 'scaling',
    specs: horizons.map((horizon) => ({ environment, horizon })),
  });
}

/** Experiment 2 (section 5.3): telemetry lines in every observation; `overrides` makes some of them claim new rules. */
export function noise(
  settings: Settings,
  environment: EnvironmentName,
  horizon: number,
  levels: readonly number[],
  overrides: boolean,
): readonly Job[] {
  return jobsOf(settings, {
    experiment: 'noise',
    specs: levels.map((level) => ({ environment, horizon, noise: level, ...(overrides && { overrides }) })),
  });
}

/** Experiment 3 (section 5.4): the world changes at half-time and an alert says so. */
export function recovery(settings: Settings, environment: EnvironmentName, horizon: number): readonly Job[] {
  const drifts: readonly string[] = environment === 'repository' ? REPOSITORY_DRIFTS : WAREHOUSE_DRIFTS;
  return jobsOf(settings, {
    experiment: 'recovery',
    specs: drifts.map((drift) => ({ environment, horizon, drift })),
  });
}

/**
 * Experiment 5 (section 5.6): the budget-matched arms over a sweep of budgets, beside the others. Without `budgets`: the
 * paper's 1,800, and from half to four times the mean prompt of `state`, at which an arm's id ends with `=state`.
 */
export async function budgets(
  settings: Settings,
  environments: readonly EnvironmentName[],
  horizon: number,
  unit: 'chars' | 'tokens',
  asked: readonly number[] | null,
  tokens: Measure,
): Promise<readonly Job[]> {
  const isMatched = ({ strategy }: ArmSpec): boolean => BUDGET_MATCHED.includes(strategy);
  const matched = settings.arms.filter(isMatched);
  const jobs: Job[] = [];
  for (const environment of environments) {
    const own = await sizeOfState(environment, horizon, unit, tokens);
    const sizes = new Set(asked ?? [PAPER_BUDGET, ...FACTORS.map((factor) => Math.round(own * factor))]);
    const swept = [...sizes]
      .toSorted((a, b) => a - b)
      .flatMap((budget) => matched.map((arm) => armOf(arm.strategy, { ...arm, budget, unit })))
      .map((arm) => (arm.budget === own ? { ...arm, id: `${arm.id}=state` } : arm));
    const arms = [...settings.arms.filter((arm) => !isMatched(arm)), ...swept];
    jobs.push(...jobsOf({ ...settings, arms }, { experiment: 'budget', specs: [{ environment, horizon }] }));
  }
  return jobs;
}

const FACTORS = [0.5, 1, 2, 4] as const;

/** Mean size of a prompt of `state`, by the closed form. */
async function sizeOfState(
  environment: EnvironmentName,
  horizon: number,
  unit: 'chars' | 'tokens',
  tokens: Measure,
): Promise<number> {
  const spec = { environment, horizon, seed: 1 };
  const thinking = { reasoning: 'none', seed: 1 } as const;
  const sizes = await expectedSizes(spec, armOf('state'), playTruth(spec), thinking, tokens);
  return Math.round((unit === 'chars' ? sizes.promptChars : sizes.inputTokens) / horizon);
}

/** Facts whose use comes 5 to 100 steps later, by the place that the state has for them. */
export function delayed(settings: Settings, horizon: number): readonly Job[] {
  return jobsOf(settings, {
    experiment: 'delayed',
    specs: DELAYED_CONDITIONS.map((condition) => ({ environment: 'delayed', horizon, condition })),
  });
}

/** Reply faults at total rates, 0 for none, in the shares of a mix (section 5.7); the same in every arm. For scripted models. */
export function faults(
  settings: Settings,
  environment: EnvironmentName,
  horizon: number,
  rates: readonly number[],
  mix: FaultRates = PAPER_MIX,
): readonly Job[] {
  return jobsOf(settings, {
    experiment: 'faults',
    specs: [{ environment, horizon }],
    faults: rates.map((rate) => (rate === 0 ? null : mixed(mix, rate))),
  });
}
