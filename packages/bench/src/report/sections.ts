import type { ArmSpec } from '../harness/result.ts';
import type { Digest } from './digest.ts';

export type SectionKind = 'scaling' | 'noise' | 'recovery' | 'budget' | 'delayed';

/** What an episode was run under, apart from seed and arm. */
export type Condition = {
  readonly horizon: number;
  readonly noise: number;
  readonly overrides: boolean;
  readonly drift: string | null;
  /** Of `delayed`. */
  readonly condition: string | null;
  /** Total rate of reply faults of a scripted model. */
  readonly faults: number;
  /** Refused replies that a step may have. */
  readonly retries: number;
};

/** All episodes of one arm under one condition. */
export type Cell = {
  readonly condition: Condition;
  readonly arm: ArmSpec;
  /** Finished episodes only. */
  readonly results: readonly Digest[];
};

/** The episodes of one experiment in one environment with one model: a table. */
export type Section = {
  readonly kind: SectionKind;
  readonly experiment: string;
  readonly environment: string;
  readonly model: Digest['model'];
  readonly cells: readonly Cell[];
  /** Ended by a budget or an unreachable model; in no figure. */
  readonly stopped: readonly Digest[];
};

/** Sections in the order in which their first episodes come; cells by condition, then in the order of their arms. */
export function sectionsOf(results: readonly Digest[]): Section[] {
  const groups = groupBy(results, ({ experiment, spec, model }) =>
    JSON.stringify([experiment, spec.environment, model.name, model.mode, model.reasoning]),
  );
  return groups.map((members) => {
    const [first] = members as [Digest];
    const arms = [...new Set(members.map(({ arm }) => JSON.stringify(arm)))];
    const over = members.filter(({ ended }) => ended === 'over');
    const cells = groupBy(over, (result) => JSON.stringify([conditionOf(result), result.arm])).map(
      (list): Cell => {
        const [one] = list as [Digest];
        return { condition: conditionOf(one), arm: one.arm, results: list.toSorted(bySeed) };
      },
    );
    return {
      kind: kindOf(members),
      experiment: first.experiment,
      environment: first.spec.environment,
      model: first.model,
      cells: cells.toSorted(
        (a, b) =>
          compareConditions(a.condition, b.condition) ||
          arms.indexOf(JSON.stringify(a.arm)) - arms.indexOf(JSON.stringify(b.arm)),
      ),
      stopped: members.filter(({ ended }) => ended === 'stopped'),
    };
  });
}

export function conditionOf({ spec, model, limits: { retries } }: Digest): Condition {
  const { horizon, noise = 0, overrides = false, drift = null, condition = null } = spec;
  const faults = Object.values(model.faults ?? {}).reduce((sum, rate) => sum + rate, 0);
  return { horizon, noise, overrides, drift, condition, faults: Math.round(faults * 1e9) / 1e9, retries };
}

/** The parts of a condition that differ between the cells of a section; the horizon where nothing does. */
export function conditionLabel(condition: Condition, cells: readonly Cell[]): string {
  const varies = (key: keyof Condition): boolean =>
    new Set(cells.map((cell) => cell.condition[key])).size > 1;
  const { horizon, noise, overrides, drift, condition: delayed, faults, retries } = condition;
  const labels = [
    ...(varies('horizon') ? [`T=${horizon}`] : []),
    ...(varies('noise') ? [`${noise} noise events`] : []),
    ...(overrides ? ['with rule overrides'] : []),
    ...(drift === null ? [] : [drift]),
    ...(delayed === null ? [] : [delayed]),
    ...(varies('faults') ? [`${(faults * 100).toFixed(0)}% faults`] : []),
    ...(varies('retries') ? [`${retries} retries`] : []),
  ];
  return labels.length === 0 ? `T=${horizon}` : labels.join(', ');
}

export function sameCondition(a: Condition, b: Condition): boolean {
  return compareConditions(a, b) === 0;
}

function compareConditions(a: Condition, b: Condition): number {
  const text = (x: string | null, y: string | null): number => (x ?? '').localeCompare(y ?? '', 'en');
  return (
    a.faults - b.faults ||
    text(a.drift, b.drift) ||
    text(a.condition, b.condition) ||
    Number(a.overrides) - Number(b.overrides) ||
    a.noise - b.noise ||
    a.retries - b.retries ||
    a.horizon - b.horizon
  );
}

function kindOf(members: readonly Digest[]): SectionKind {
  if (members.some(({ spec }) => spec.drift !== undefined)) return 'recovery';
  if (members.some(({ spec }) => spec.environment === 'delayed')) return 'delayed';
  if (members.some(({ spec }) => (spec.noise ?? 0) > 0)) return 'noise';
  if (members.some(({ arm }) => arm.budget !== undefined)) return 'budget';
  return 'scaling';
}

function bySeed(a: Digest, b: Digest): number {
  return a.spec.seed - b.spec.seed || a.repetition - b.repetition;
}

function groupBy<T>(list: readonly T[], key: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
