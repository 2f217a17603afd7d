import { PAPER_BUDGET } from '../strategy/create.ts';
import { type ArmSpec, STRATEGY_NAMES, type StrategyName } from '../harness/result.ts';

export type ArmSettings = {
  readonly budget?: number;
  readonly unit?: 'chars' | 'tokens';
  readonly interval?: number;
  /** Of `llmlingua`: the causal model's name; absent: the n-gram model of the episode. */
  readonly surprise?: string;
};

/** The arms that keep to a size. */
export const BUDGET_MATCHED: readonly StrategyName[] = ['truncated', 'summary-capped', 'llmlingua'];

const SUMMARISING: readonly StrategyName[] = ['memory', 'summary-capped'];

/** An arm whose id says every parameter that is not the usual. */
export function armOf(
  strategy: StrategyName,
  { budget, unit, interval, surprise }: ArmSettings = {},
): ArmSpec {
  const matched = BUDGET_MATCHED.includes(strategy);
  const scorer = strategy === 'llmlingua' ? surprise : undefined;
  const every = SUMMARISING.includes(strategy) ? interval : undefined;
  const name = scorer === undefined ? strategy : `${strategy}+${plainName(scorer)}`;
  return {
    id: `${name}${matched ? sizeName(budget, unit) : ''}${every === undefined ? '' : `-every-${every}`}`,
    strategy,
    ...(matched && budget !== undefined && { budget }),
    ...(matched && unit !== undefined && { unit }),
    ...(every !== undefined && { interval: every }),
    ...(scorer !== undefined && { surprise: scorer }),
  };
}

function sizeName(budget: number | undefined, unit: ArmSettings['unit']): string {
  if (unit === 'tokens') return `@${budget ?? PAPER_BUDGET}t`;
  return budget === undefined ? '' : `@${budget}`;
}

/** The last part of a path or an id, in characters that every file and run name may have. */
function plainName(name: string): string {
  return (name.split(/[\\/]/).findLast((part) => part !== '') ?? name).replace(/[^\w.-]+/g, '-').slice(0, 40);
}

/** Names as a command line gives them, each once. Throws RangeError for an unknown one. */
export function armsOf(names: readonly string[], settings: ArmSettings = {}): readonly ArmSpec[] {
  return [...new Set(names)].map((name) => {
    const known = STRATEGY_NAMES.find((strategy) => strategy === name);
    if (known === undefined) throw new RangeError(`no arm ${name}; there are ${STRATEGY_NAMES.join(', ')}`);
    return armOf(known, settings);
  });
}
