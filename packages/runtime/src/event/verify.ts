import { jsonEqual } from '../json/equal.ts';
import { sha256 } from '../json/text.ts';
import type { Issue, JsonObject, PayloadRef, RunEvent, Store } from '../types.ts';
import { type ChainEnd, type ChainReport, chainChecker } from './chain.ts';
import { payloadRefs } from './payload.ts';
import { replayEvent } from './replay.ts';

export type VerifyReport = {
  readonly run: string;
  readonly ok: boolean;
  readonly events: number;
  /** Keep its hash elsewhere: given to a later check, it proves that nothing up to here was lost or rewritten. */
  readonly head: ChainEnd;
  /** Snapshots that the replay of the deltas agreed with. */
  readonly snapshots: number;
  readonly payloads: { readonly present: number; readonly pruned: number };
  readonly issues: readonly Issue[];
};

const MAX_ISSUES = 100;

/**
 * Proves a run from its log alone (R15): the chain is whole and ends at the run's head, the deltas replay to every
 * stored snapshot, every payload has the hash that its event names or was pruned, and the skill and tools it was bound
 * to are kept. `head` is a hash kept elsewhere. Never throws for what is wrong with the run.
 */
export async function verifyRun(
  store: Store,
  run: string,
  expected: { readonly head?: string | undefined } = {},
): Promise<VerifyReport> {
  const issues: Issue[] = [];
  const note: Note = (code, path, hint) => {
    if (issues.length < MAX_ISSUES) issues.push({ code: `store.${code}`, path, hint });
  };
  const report = {
    run,
    events: 0,
    head: { seq: 0, hash: '' },
    snapshots: 0,
    payloads: { present: 0, pruned: 0 },
  };
  await guarded(note, '', async () => {
    const loaded = await store.load(run);
    if (loaded === null) return note('missing', '', `there is no run ${JSON.stringify(run)}`);
    for (const warning of loaded.warnings ?? []) note('corrupt', '/snapshots', warning);
    const snapshots = await snapshotSeqs(store, run, loaded.snapshot.seq);
    const checker = chainChecker({ run, head: expected.head, end: loaded.head });
    const replay = replayer(store, run, snapshots, note);
    await guarded(note, '/events', async () => {
      for await (const event of store.events(run)) {
        checker.next(event);
        await replay.next(event);
        await checkPayloads(store, run, event, report.payloads, note);
        await checkDocuments(store, event, note);
      }
    });
    Object.assign(report, { ...chainResult(checker.end(), loaded.head, note), snapshots: replay.agreed() });
  });
  return { ...report, ok: issues.length === 0, issues };
}

type Note = (code: string, path: string, hint: string) => void;

/** A failure of the store is a finding here. */
async function guarded(note: Note, path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { code, hint } = error as { code?: unknown; hint?: unknown };
    if (typeof code !== 'string' || !code.startsWith('store.')) throw error;
    note(code.slice('store.'.length), path, String(hint));
  }
}

function chainResult(chain: ChainReport, end: ChainEnd, note: Note): { events: number; head: ChainEnd } {
  if (chain.ok) return { events: chain.events, head: chain.head };
  note(chain.fault, `/events/${chain.seq}`, chain.hint);
  return { events: chain.seq - 1, head: { seq: end.seq, hash: end.hash } };
}

/** Newest first, found by asking for the state before each. */
async function snapshotSeqs(store: Store, run: string, newest: number): Promise<ReadonlySet<number>> {
  const seqs = new Set<number>();
  for (let seq = newest; seq > 0; ) {
    seqs.add(seq);
    seq = (await store.load(run, seq - 1))?.snapshot.seq ?? 0;
  }
  return seqs;
}

type Replayer = { next(event: RunEvent): Promise<void>; agreed(): number };

function replayer(store: Store, run: string, snapshots: ReadonlySet<number>, note: Note): Replayer {
  let state: JsonObject | null = {};
  let agreed = 0;
  return {
    async next(event) {
      if (state === null) return;
      try {
        state = replayEvent(state, event);
      } catch (error) {
        state = null;
        return note(
          'replay',
          `/events/${event.seq}`,
          `its delta does not fit the state before it: ${String(error)}`,
        );
      }
      if (!snapshots.has(event.seq)) return;
      const stored = await store.load(run, event.seq);
      if (stored?.snapshot.seq !== event.seq) return;
      if (jsonEqual(stored.snapshot.state, state)) agreed++;
      else
        note('replay', `/snapshots/${event.seq}`, 'the deltas give another state than the stored snapshot');
    },
    agreed: () => agreed,
  };
}

async function checkPayloads(
  store: Store,
  run: string,
  event: RunEvent,
  count: { present: number; pruned: number },
  note: Note,
): Promise<void> {
  for (const ref of payloadRefs(event)) {
    const path = `/events/${event.seq}/${ref.handle}`;
    await guarded(note, path, async () => {
      const state = await payloadState(store, run, ref);
      if (state === 'present' || state === 'pruned') count[state]++;
      else note('payload', path, state);
    });
  }
}

async function payloadState(store: Store, run: string, ref: PayloadRef): Promise<string> {
  const payload = await store.payload(run, ref.handle);
  if (payload === 'pruned') return 'pruned';
  if (payload === null) return 'the payload is missing and was not pruned';
  return sha256(payload.bytes) === ref.sha256 ? 'present' : 'the payload is not the one that the event names';
}

async function checkDocuments(store: Store, event: RunEvent, note: Note): Promise<void> {
  const digests =
    event.type === 'run.started'
      ? [event.skill, event.tools]
      : event.type === 'skill.changed'
        ? [event.to.skill, event.to.tools]
        : [];
  for (const digest of digests)
    await guarded(note, `/documents/${digest}`, async () => {
      if ((await store.document(digest)) === null)
        note('missing', `/documents/${digest}`, `event ${event.seq} binds the run to it, but it is not kept`);
    });
}
