import type { Checks, StoreUnderTest } from './conformance/check.ts';
import { CONTENT } from './conformance/content.ts';
import { DRIVERS } from './conformance/drivers.ts';
import { EVENTS } from './conformance/events.ts';
import { PRUNE } from './conformance/prune.ts';
import { RUNS } from './conformance/runs.ts';
import { SEARCH } from './conformance/search.ts';

export type { StoreUnderTest };
export type StoreCase = { readonly name: string; readonly run: () => Promise<void> };

/** What every `Store` must do. Each case makes a store of its own; a broken promise rejects with an AssertionError. */
export function storeConformance(makeStore: () => Promise<StoreUnderTest>): StoreCase[] {
  const checks: Checks = { ...RUNS, ...DRIVERS, ...EVENTS, ...CONTENT, ...SEARCH, ...PRUNE };
  return Object.entries(checks).map(([name, check]) => ({
    name,
    run: async () => {
      const subject = await makeStore();
      try {
        await check(subject.store, subject);
      } finally {
        await subject.dispose();
      }
    },
  }));
}
