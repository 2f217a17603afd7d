import { sha256 } from '../json/text.ts';
import type { EventBody, RunEvent } from '../types.ts';
import { bodyText, EVENT_VERSION } from './codec.ts';

/** Where a chain stands: the seq and hash of its newest event. */
export type ChainEnd = { readonly seq: number; readonly hash: string };

/** Before the first event. The hash is of the run's name, so that one run's log cannot be passed off as another's. */
export function genesis(run: string): ChainEnd {
  return { seq: 0, hash: sha256(`skillstate run\n${run}`) };
}

/** SHA-256, hex, over the UTF-8 of `prev`, `seq`, `at`, `v` and the stored text of the body, joined by newlines. */
export function eventHash(prev: string, seq: number, at: number, v: number, body: string): string {
  return sha256(`${prev}\n${seq}\n${at}\n${v}\n${body}`);
}

type Keys<T> = T extends unknown ? keyof T : never;
/** A body whose members have the names of the chain's own could not be stored: a mistake that does not compile. */
type Body = Extract<Keys<EventBody>, 'v' | 'seq' | 'at' | 'prev' | 'hash'> extends never ? EventBody : never;

/** Appends `bodies` behind `prev`. All of them happened at `at` (whole milliseconds). */
export function chainEvents(prev: ChainEnd, at: number, bodies: readonly Body[]): RunEvent[] {
  if (!Number.isSafeInteger(at))
    throw new TypeError(`an event needs a time in whole milliseconds, got ${at}`);
  let end = prev;
  return bodies.map((body) => {
    const seq = end.seq + 1;
    const hash = eventHash(end.hash, seq, at, EVENT_VERSION, JSON.stringify(body));
    const event: RunEvent = { ...body, v: EVENT_VERSION, seq, at, prev: end.hash, hash };
    end = { seq, hash };
    return event;
  });
}

/** `edited`: content and hash disagree; `removed`: a seq is missing; `truncated`: the tail, or the expected head, is. */
export type ChainFault = 'edited' | 'removed' | 'reordered' | 'truncated' | 'foreign';

export type ChainReport =
  | { readonly ok: true; readonly events: number; readonly head: ChainEnd }
  | { readonly ok: false; readonly seq: number; readonly fault: ChainFault; readonly hint: string };

export type ChainExpectation = {
  /** The name of the run, or null where the events are the middle of a chain. */
  readonly run: string | null;
  /** A hash kept elsewhere at any earlier time: an event with it must still be there. */
  readonly head?: string | undefined;
  /** The seq and hash that the log must end with. */
  readonly end?: ChainEnd | undefined;
};

export type ChainChecker = {
  /** Looks at the next event; after the first fault only its kind may still become clearer. */
  next(event: RunEvent): void;
  end(): ChainReport;
};

/** Checks a chain event by event in constant memory. */
export function chainChecker(expected: ChainExpectation): ChainChecker {
  let last: ChainEnd | null = expected.run === null ? null : genesis(expected.run);
  let fault: (ChainReport & { ok: false }) | null = null;
  let events = 0;
  let headSeen = false;
  return {
    next(event) {
      if (fault !== null) {
        if (fault.fault === 'removed' && event.seq === fault.seq)
          fault = { ...fault, fault: 'reordered', hint: `event ${event.seq} stands behind a later one` };
        return;
      }
      fault = linkFault(last, event);
      last = { seq: event.seq, hash: event.hash };
      headSeen ||= event.hash === expected.head;
      events++;
    },
    end() {
      const at = last ?? { seq: 0, hash: '' };
      return fault ?? endFault(at, headSeen, expected) ?? { ok: true, events, head: at };
    },
  };
}

/** The whole chain at once; names the first bad event. */
export function verifyChain(events: Iterable<RunEvent>, expected: ChainExpectation): ChainReport {
  const checker = chainChecker(expected);
  for (const event of events) checker.next(event);
  return checker.end();
}

function bad(seq: number, fault: ChainFault, hint: string): ChainReport & { ok: false } {
  return { ok: false, seq, fault, hint };
}

function linkFault(last: ChainEnd | null, event: RunEvent): (ChainReport & { ok: false }) | null {
  const { seq, prev, hash } = event;
  if (last !== null && seq > last.seq + 1)
    return bad(last.seq + 1, 'removed', `events ${last.seq + 1} to ${seq - 1} are missing`);
  if (last !== null && seq <= last.seq)
    return bad(seq, 'reordered', `event ${seq} stands behind event ${last.seq}`);
  if (eventHash(prev, seq, event.at, event.v, bodyText(event)) !== hash)
    return bad(
      seq,
      'edited',
      `event ${seq}, or its link to event ${seq - 1}, was changed after it was written`,
    );
  if (last === null || prev === last.hash) return null;
  if (seq === 1) return bad(1, 'foreign', 'the log belongs to a run of another name');
  return bad(seq - 1, 'edited', `event ${seq - 1} is not the one that event ${seq} was written behind`);
}

function endFault(
  last: ChainEnd,
  headSeen: boolean,
  expected: ChainExpectation,
): (ChainReport & { ok: false }) | null {
  const { head, end } = expected;
  const next = last.seq + 1;
  if (end !== undefined && (end.seq !== last.seq || end.hash !== last.hash))
    return bad(
      next,
      'truncated',
      `the log ends with event ${last.seq}, the run's head is event ${end.seq} (${end.hash})`,
    );
  if (head !== undefined && !headSeen)
    return bad(
      next,
      'truncated',
      `no event has the expected head hash ${head}: the tail was lost or rewritten`,
    );
  return null;
}
