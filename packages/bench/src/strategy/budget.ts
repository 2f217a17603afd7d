import type { Prompt, PromptPart } from '@skillstate/runtime';

/** Size of a text in characters or tokens. */
export type Measure = (text: string) => number;

/** How much a budget-matched arm may show: the whole prompt, blank lines between parts included. */
export type Budget = { readonly size: number; readonly unit: 'chars' | 'tokens'; readonly measure: Measure };

/** The blank line between two parts. */
export const JOINT = '\n\n';

/** What is left of a budget beside some parts; never below 0. */
export function roomBeside(budget: Budget, parts: Prompt): number {
  const joint = budget.measure(JOINT);
  const used = parts.reduce((sum, { text }) => sum + budget.measure(text) + joint, 0);
  return Math.max(0, budget.size - used);
}

/** The newest parts that fit, in order: the oldest go first. Looks at no more parts than fit. */
export function newestThatFit(
  parts: readonly PromptPart[],
  room: number,
  measure: Measure,
  most = Infinity,
): readonly PromptPart[] {
  const joint = measure(JOINT);
  let from = parts.length;
  let left = room;
  while (from > 0 && parts.length - from < most) {
    left -= measure((parts[from - 1] as PromptPart).text) + joint;
    if (left < 0) break;
    from -= 1;
  }
  return parts.slice(from);
}

/** The longest prefix of a text that fits. */
export function cutTo(text: string, room: number, measure: Measure): string {
  if (measure(text) <= room) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(text.slice(0, middle)) <= room) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low);
}
