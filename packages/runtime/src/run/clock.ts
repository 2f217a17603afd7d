import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../types.ts';

/** A longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's clock; a sleep ends early, without error, when the signal is aborted, or after 24 days: ask the time again. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await delay(Math.min(ms, LONGEST_TIMER), undefined, { signal }).catch(() => undefined);
  },
};
