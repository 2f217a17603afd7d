import type { ArmCost } from './bill.ts';

/**
 * The first step from which `arm` has cost less than `other`, and stays so for as long as both are known; null: never.
 * `raw`: without any caching; `cached`: both with it.
 */
export function breakEvenStep(arm: ArmCost, other: ArmCost, column: 'raw' | 'cached'): number | null {
  const key = column === 'raw' ? 'rawUsd' : 'cachedUsd';
  const theirs = new Map(other.steps.map((step) => [step.step, step[key]]));
  let since: number | null = null;
  for (const step of arm.steps) {
    const their = theirs.get(step.step);
    if (their === undefined) continue;
    if (step[key] < their) since ??= step.step;
    else since = null;
  }
  return since;
}
