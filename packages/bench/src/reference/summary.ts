/** The summariser's prompt of the memory strategies. The paper prints none; this one is shared by all that summarise. */
export type SummaryRequest = {
  readonly instructions: string;
  readonly previous: string;
  /** Turns to fold in, oldest first, as they stand in the transcript. */
  readonly turns: string;
  /** Hard limit of the summary in characters; null: none. */
  readonly cap: number | null;
};

const ASK = 'Rewrite the summary so that it covers the new turns too';

export function buildSummaryPrompt({ instructions, previous, turns, cap }: SummaryRequest): string {
  const limit = cap === null ? '' : ` Use at most ${cap} characters.`;
  return `Instructions:\n${instructions}\n\nSummary so far:\n${previous === '' ? '(none)' : previous}\n\nNew turns:\n${turns}\n\n${ASK}. Keep every fact that later steps may need.${limit} Reply with the summary only.`;
}

export type ReadSummaryRequest = {
  readonly previous: string;
  readonly turns: string;
  readonly cap: number | null;
};

/** Reads such a prompt back; null for any other prompt. */
export function readSummaryPrompt(prompt: string): ReadSummaryRequest | null {
  const ask = prompt.lastIndexOf(ASK);
  if (ask < 0) return null;
  const turnsAt = prompt.lastIndexOf('\nNew turns:\n', ask);
  const previousAt = prompt.lastIndexOf('\nSummary so far:\n', turnsAt < 0 ? ask : turnsAt);
  const cap = /Use at most (\d+) characters/.exec(prompt.slice(ask))?.[1];
  return {
    previous: previousAt < 0 || turnsAt < 0 ? '' : prompt.slice(previousAt, turnsAt),
    turns: turnsAt < 0 ? '' : prompt.slice(turnsAt, ask),
    cap: cap === undefined ? null : Number(cap),
  };
}

/**
 * `Known: entry; entry.` with the least recently changed entry first. Under a cap the entries at the front are dropped
 * and their number is told at the end: ` (12 older facts dropped)`.
 */
export function writeSummary(entries: readonly string[], cap: number | null): string {
  const text = (from: number): string => {
    const kept = entries.slice(from);
    const body = kept.length === 0 ? 'Known: nothing.' : `Known: ${kept.join('; ')}.`;
    return from === 0 ? body : `${body} (${from} older facts dropped)`;
  };
  let from = 0;
  while (cap !== null && text(from).length > cap && from < entries.length) from += 1;
  return cap === null ? text(from) : text(from).slice(0, cap);
}
