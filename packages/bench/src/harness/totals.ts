import { growthExponent } from '../statistics/exponent.ts';
import type { CallRecord, StepRecord, Totals } from './result.ts';

/** Sums over an episode's calls. `showsState`: Σ stands in the arm's prompts. */
export function totalsOf(
  calls: readonly CallRecord[],
  steps: readonly StepRecord[],
  { showsState }: { readonly showsState: boolean },
): Totals {
  const sum = (of: (call: CallRecord) => number, among = calls): number =>
    among.reduce((total, call) => total + of(call), 0);
  const kind = (wanted: CallRecord['kind']): readonly CallRecord[] =>
    calls.filter((call) => call.kind === wanted);
  const compressions = kind('compress');
  const growth = (size: (call: CallRecord) => number, among = kind('step')): number | null =>
    growthExponent(among.map((call) => ({ step: call.step, size: size(call) })));
  const stateAt = (step: number): number => steps[step - 1]?.stateChars ?? 0;
  return {
    calls: calls.length,
    retries: kind('retry').length,
    compressions: compressions.length,
    promptChars: sum(({ chars }) => chars),
    maxPromptChars: calls.reduce((most, { chars }) => Math.max(most, chars), 0),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cacheReadTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
    cacheWriteTokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    reasoningTokens: sum(({ reasoningTokens }) => reasoningTokens),
    compressTokens: sum((call) => call.inputTokens + call.outputTokens, compressions),
    stateWrites: steps.filter(({ wrote }) => wrote).length,
    exponent: growth(({ chars, fixedChars }) => chars - fixedChars),
    exponentBesideState: showsState
      ? growth(
          ({ step, chars, fixedChars }) => chars - fixedChars - stateAt(step),
          kind('step').filter(({ step }) => step <= steps.length),
        )
      : null,
    exponentWhole: growth(({ chars }) => chars),
  };
}

/** Refused replies by the group of their first issue: the part of its code before the dot. */
export function rejectionsOf(calls: readonly CallRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { rejected } of calls) {
    const group = groupOf(rejected[0]);
    if (group !== undefined) counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

/** The paper's modes (section 5.7): a value of another type is its schema violation, though it takes the place of an old one. */
function groupOf(code: string | undefined): string | undefined {
  return code === 'overwrite.type_replaced' ? 'schema' : code?.split('.')[0];
}
