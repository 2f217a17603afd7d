import assert from 'node:assert/strict';
import { verifyRun } from '../../event/verify.ts';
import type { EventQuery, RunEvent, Store } from '../../types.ts';

export type StoreUnderTest = {
  readonly store: Store;
  /** A second connection to the same data, as after a restart. */
  readonly reopen: () => Promise<Store>;
  readonly dispose: () => Promise<void>;
};

/** Name and body of each case; every one gets a store of its own. */
export type Checks = Readonly<Record<string, (store: Store, subject: StoreUnderTest) => Promise<void>>>;

export async function refused(code: string, work: Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error: Error & { code?: string; hint?: string }) => {
    assert.equal(error.code, code);
    assert.ok((error.hint ?? '').length > 10, 'a refusal says what to do');
    return true;
  });
}

export async function all(store: Store, run: string, query?: EventQuery): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.events(run, query)) events.push(event);
  return events;
}

export async function verified(store: Store, run: string): Promise<void> {
  assert.deepEqual((await verifyRun(store, run)).issues, []);
}
