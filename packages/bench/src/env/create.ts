import { createDelayed } from './delayed/delayed.ts';
import type { DelayedCondition } from './delayed/skill.ts';
import type { Episode } from './environment.ts';
import type { RepositoryDrift } from './repository/drift.ts';
import { createRepository } from './repository/repository.ts';
import type { WarehouseDrift } from './warehouse/drift.ts';
import { CROWDED, createWarehouse } from './warehouse/warehouse.ts';

export const ENVIRONMENTS = ['warehouse', 'warehouse-crowded', 'repository', 'delayed'] as const;
export type EnvironmentName = (typeof ENVIRONMENTS)[number];

export const WAREHOUSE_DRIFTS: readonly WarehouseDrift[] = [
  'secret-audit',
  'secret-barcode',
  'secret-move',
  'canceled-order',
];
export const REPOSITORY_DRIFTS: readonly RepositoryDrift[] = ['force-push', 'flaky-test', 'closed-pr'];
export const DELAYED_CONDITIONS: readonly DelayedCondition[] = [
  'none',
  'notes',
  'named',
  'reminder',
  'recall',
];

/** An episode by names and numbers alone, as a command line or a saved bench gives them. */
export type EpisodeSpec = {
  readonly environment: EnvironmentName;
  readonly seed: number;
  readonly horizon: number;
  readonly noise?: number;
  readonly overrides?: boolean;
  /** A drift scenario of the environment. */
  readonly drift?: string;
  /** For `delayed`. Default `none`. */
  readonly condition?: string;
};

/** Throws RangeError where a name is unknown or does not belong to the environment. */
export function createEnvironment(spec: EpisodeSpec): Episode {
  const { environment, seed, horizon } = spec;
  const noise = { events: spec.noise ?? 0, overrides: spec.overrides ?? false };
  const base = { seed, horizon, noise };
  switch (environment) {
    case 'warehouse':
    case 'warehouse-crowded':
      return createWarehouse({
        ...base,
        crowded: environment === 'warehouse' ? 0 : CROWDED,
        ...(spec.drift !== undefined && { drift: { scenario: oneOf(WAREHOUSE_DRIFTS, spec.drift) } }),
      });
    case 'repository':
      return createRepository({
        ...base,
        ...(spec.drift !== undefined && { drift: { scenario: oneOf(REPOSITORY_DRIFTS, spec.drift) } }),
      });
    case 'delayed':
      return createDelayed({ ...base, condition: oneOf(DELAYED_CONDITIONS, spec.condition ?? 'none') });
  }
}

export function oneOf<T extends string>(names: readonly T[], name: string): T {
  const found = names.find((known) => known === name);
  if (found === undefined) throw new RangeError(`${name} is none of ${names.join(', ')}`);
  return found;
}
