import { type ArmSpec, STRATEGY_NAMES, type StrategyName } from '../harness/result.ts';

export type ArmSettings = {
  readonly budget?: number;
  readonly unit?: 'chars' | 'tokens';
  readonly interval?: number;
};

/** The arms that keep to a size. */
export const BUDGET_MATCHED: readonly StrategyName[] = ['truncated', 'summary-capped', 'llmlingua'];

const SUMMARISING: readonly StrategyName[] = ['memory', 'summary-capped'];

export function armOf(strategy: StrategyName, { budget, unit, interval }: ArmSettings = {}): ArmSpec {
  const matched = BUDGET_MATCHED.includes(strategy);
  return {
    id: matched && budget !== undefined ? `${strategy}@${budget}${unit === 'tokens' ? 't' : ''}` : strategy,
    strategy,
    ...(matched && budget !== undefined && { budget }),
    ...(matched && unit !== undefined && { unit }),
    ...(SUMMARISING.includes(strategy) && interval !== undefined && { interval }),
  };
}

/** Names as a command line gives them. Throws RangeError for an unknown one. */
export function armsOf(names: readonly string[], settings: ArmSettings = {}): readonly ArmSpec[] {
  return names.map((name) => {
    const known = STRATEGY_NAMES.find((strategy) => strategy === name);
    if (known === undefined) throw new RangeError(`no arm ${name}; there are ${STRATEGY_NAMES.join(', ')}`);
    return armOf(known, settings);
  });
}
