import { chainEvents } from '../event/chain.ts';
import type { Redactor } from '../event/redact.ts';
import { eventText } from '../event/text.ts';
import type { Contract } from '../state/contract.ts';
import { jsonBytes } from '../state/size.ts';
import type {
  Clock,
  CommitPoint,
  EventBody,
  EventText,
  Issue,
  JsonObject,
  Lease,
  Model,
  Payload,
  RunEvent,
  RunHead,
  Skill,
  Store,
  Strategy,
  Subject,
  Turn,
  Usage,
} from '../types.ts';
import type { Ledger } from '../action/ledger/ledger.ts';
import type { Toolset } from '../action/toolset.ts';

/** What a person watching the run can be told while it goes; `event` entries are already durable. */
export type Progress =
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'asking'; readonly step: number; readonly attempt: number; readonly promptBytes: number }
  | { readonly kind: 'acting'; readonly step: number; readonly tool: string }
  | { readonly kind: 'waiting'; readonly until: number | null }
  /** A tool that cannot be used; the rest work. */
  | { readonly kind: 'disabled'; readonly issue: Issue };

/** One driver's hold on one run: the fixed parts, and the three that change (`head`, `state`, `deferred`). */
export type Session = {
  readonly store: Store;
  readonly model: Model;
  readonly strategy: Strategy;
  readonly skill: Skill;
  readonly contract: Contract;
  readonly toolset: Toolset;
  /** JSON Schema of a transition for the provider; null where replies are plain text. */
  readonly schema: JsonObject | null;
  readonly clock: Clock;
  readonly zone: string;
  readonly redactor: Redactor;
  readonly price: (usage: Usage) => number;
  readonly listen: (progress: Progress) => void;
  /** Aborted when the run is cancelled from this process or the lease is lost. */
  readonly abort: AbortController;
  readonly startedAt: number;
  /** A waiting run keeps this driver until then. */
  readonly stayUntil: number;
  readonly ledger: Ledger | null;
  /** Ends what this driver started (tool servers) when it lets go of the run. */
  readonly close: () => Promise<void>;
  /** What the run wrote and whether it is confirmed; changed by `mark` only. */
  readonly subjects: Map<string, Subject>;
  lease: Lease;
  head: RunHead;
  state: JsonObject;
  /** Earlier turns, kept only for a strategy with history. */
  turns: Turn[];
  /** What happened but is not worth a commit of its own (a read's result, received messages): part of the next one. */
  deferred: {
    bodies: EventBody[];
    payloads: Payload[];
    consumed: number[];
    subjects: Map<string, Subject | null>;
  };
};

export function nothingDeferred(): Session['deferred'] {
  return { bodies: [], payloads: [], consumed: [], subjects: new Map() };
}

/** The seq that the next recorded body will have. */
export function nextSeq(session: Session): number {
  return session.head.seq + session.deferred.bodies.length + 1;
}

/** Adds an event to the next commit; returns its seq. */
export function record(session: Session, body: EventBody): number {
  const seq = nextSeq(session);
  session.deferred.bodies.push(body);
  return seq;
}

/** Text for an event: redacted, inline where small, else a payload of the next commit. */
export function keepText(session: Session, text: string, inlineBytes?: number): EventText {
  const kept = eventText(session.redactor.text(text), inlineBytes);
  if (kept.payload !== null) session.deferred.payloads.push(kept.payload);
  return kept.text;
}

/**
 * One durable transaction at a named point (R16): everything deferred, the changed head, and now and then a snapshot
 * of Σ. Snapshots follow the deltas' size, so disk grows with deltas and not with steps × state, and a resume replays
 * a bounded number of events.
 */
export async function commit(
  session: Session,
  point: CommitPoint,
  change: Partial<RunHead>,
  state: JsonObject = session.state,
): Promise<void> {
  const { bodies, payloads, consumed, subjects } = session.deferred;
  const events = chainEvents(session.head, session.clock.now(), bodies);
  const last = events.at(-1);
  const grown = bodies.reduce((sum, body) => sum + deltaBytes(body), session.head.sinceSnapshot.bytes);
  const due =
    grown > 4 * session.head.snapshotBytes ||
    session.head.sinceSnapshot.events + events.length >= SNAPSHOT_EVENTS;
  const { ledger } = session;
  const facts = change.facts ?? session.head.facts;
  const head: RunHead = {
    ...session.head,
    ...change,
    facts: ledger === null ? facts : { ...facts, ledger: ledger.facts() },
    seq: last?.seq ?? session.head.seq,
    hash: last?.hash ?? session.head.hash,
    sinceSnapshot: due
      ? { bytes: 0, events: 0 }
      : { bytes: grown, events: session.head.sinceSnapshot.events + events.length },
    snapshotBytes: due ? jsonBytes(state) : session.head.snapshotBytes,
  };
  await session.store.commit(session.lease, {
    point,
    head,
    events,
    payloads,
    consumed,
    subjects: [...subjects],
    snapshot: due ? state : null,
  });
  session.head = head;
  session.state = state;
  session.deferred = nothingDeferred();
  for (const event of events) session.listen({ kind: 'event', event });
}

/** A resume replays at most this many events over a snapshot. */
const SNAPSHOT_EVENTS = 512;

function deltaBytes(body: EventBody): number {
  if (!('delta' in body) || body.delta.length === 0) return 0;
  return JSON.stringify(body.delta).length;
}
