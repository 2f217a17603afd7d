import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../types.ts';

/** The machine's clock; a sleep ends early, without error, when the signal is aborted. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal }).catch(() => undefined);
  },
};
