/** What must be known before a saving may be printed (R23). */
export type Evidence = {
  /** Steps in which Σ changed. */
  readonly stateWrites: number;
  /** Both sides answered the same events. */
  readonly tasksEqual: boolean;
  readonly samples: number;
  readonly enough: number;
};

/** Why no saving may be printed; null: it may. */
export function whyNoSaving({ stateWrites, tasksEqual, samples, enough }: Evidence): string | null {
  if (stateWrites === 0)
    return 'the state was never written, so whatever was saved, it was not saved by the state';
  if (!tasksEqual) return 'the two sides did not answer the same events';
  if (samples < enough)
    return `${samples} ${samples === 1 ? 'sample' : 'samples'}; at least ${enough} are needed`;
  return null;
}
