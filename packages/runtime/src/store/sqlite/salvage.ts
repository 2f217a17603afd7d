import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { chainChecker } from '../../event/chain.ts';
import { decodeEvent } from '../../event/codec.ts';
import { replayEvent } from '../../event/replay.ts';
import { sha256 } from '../../json/text.ts';
import type { JsonObject, Payload, RunEvent, RunHead } from '../../types.ts';
import { isStoreError } from '../error.ts';
import { type Connection, connection, idRange, type Row, type SqlValue } from './connection.ts';
import { toStoreError } from './fault.ts';
import { readPayload, storedEvent } from './read.ts';

/** What is left of a run. `problems` names everything that could not be read. */
export type SalvagedRun = {
  readonly run: string;
  readonly head: RunHead | null;
  /** The newest state that can be proved: a good snapshot and every event after it up to `seq`. */
  readonly state: { readonly seq: number; readonly state: JsonObject } | null;
  readonly problems: readonly string[];
  /** The readable events whose hash is right, in order. */
  readonly events: () => Iterable<RunEvent>;
  readonly payload: (handle: string) => Promise<Payload | 'pruned' | null>;
};

export type Salvage = { readonly runs: Iterable<SalvagedRun>; readonly close: () => void };

/** After this many unreadable events in a row, a log whose end cannot be read counts as ended; and so the list of runs. */
const PATIENCE = 10_000;

/**
 * Opens a damaged store for reading only and goes through it row by row, so that one bad page costs the rows on it and
 * nothing else. The file is not changed; where its folder cannot be written either, it is read as it stands, without what
 * only its write-ahead log holds. Throws `StoreError` where not even the list of tables can be read.
 */
export function salvage(path: string): Salvage {
  const asItStands = pathToFileURL(path);
  asItStands.search = 'immutable=1';
  try {
    return salvageFrom(path, path);
  } catch (error) {
    if (!isStoreError(error, 'store.readonly')) throw error;
    return salvageFrom(asItStands, path);
  }
}

function salvageFrom(source: string | URL, path: string): Salvage {
  let db: DatabaseSync | null = null;
  try {
    const opened = new DatabaseSync(source, { readOnly: true, timeout: 1000 });
    db = opened;
    // Without this a file that was cut off could not be read at all.
    opened.enableDefensive(false);
    opened.exec('PRAGMA writable_schema = ON');
    const conn = connection(opened, path, { busyMs: 1000, now: Date.now });
    conn.get('SELECT count(*) FROM sqlite_schema');
    return { runs: runsOf(conn), close: () => opened.close() };
  } catch (error) {
    db?.close();
    throw toStoreError(error, path);
  }
}

/** A row, undefined where there is none, or the reason why it cannot be read. */
function attempt(conn: Connection, sql: string, ...values: SqlValue[]): Row | undefined | string {
  try {
    return conn.get(sql, ...values);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function number(row: Row | undefined | string, name: string): number | null {
  return typeof row === 'object' && typeof row[name] === 'number' ? row[name] : null;
}

/** Every key that could be a run's is tried, for the table's own order may be what is damaged. */
function* runsOf(conn: Connection): Generator<SalvagedRun> {
  const last = attempt(conn, "SELECT seq FROM sqlite_sequence WHERE name = 'runs'");
  const newest = attempt(conn, 'SELECT max(id) / 4294967296 AS id FROM events');
  const end = Math.max(number(last, 'seq') ?? 0, number(newest, 'id') ?? 0);
  let unread = 0;
  for (let key = 1; key <= end && unread < PATIENCE; key++) {
    const row = attempt(conn, 'SELECT run, seq, head, head_hash FROM runs WHERE id = ?', key);
    const found = row === undefined ? null : salvageRun(conn, key, row);
    unread = found === null ? unread + 1 : 0;
    if (found !== null) yield found;
  }
}

function salvageRun(conn: Connection, key: number, row: Row | string): SalvagedRun | null {
  const problems: string[] = [];
  const known = typeof row === 'string' ? null : row;
  if (typeof row === 'string') problems.push(`the run's own row cannot be read (${row}); its name is lost`);
  const run = known === null ? `lost-${key}` : String(known['run']);
  const head = known === null ? null : readHead(known, problems);
  const upTo = number(known ?? undefined, 'seq') ?? lastSeq(conn, key);
  const log = { conn, key, run, upTo };
  const state = provenState(log, problems);
  if (known === null && state === null && events(log).next().done === true) return null;
  return {
    run,
    head,
    state,
    problems,
    events: () => events(log),
    payload: async (handle) => salvagePayload(conn, run, handle),
  };
}

function salvagePayload(conn: Connection, run: string, handle: string): Payload | 'pruned' | null {
  try {
    return readPayload(conn, run, handle);
  } catch {
    return null;
  }
}

function readHead(row: Row, problems: string[]): RunHead | null {
  const text = String(row['head']);
  if (sha256(text) === row['head_hash']) return JSON.parse(text) as RunHead;
  problems.push('the head was changed or damaged');
  return null;
}

function lastSeq(conn: Connection, key: number): number {
  const [first, last] = idRange(key);
  const row = attempt(
    conn,
    'SELECT id FROM events WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1',
    first,
    last,
  );
  const id = number(row, 'id');
  return id === null ? Number.POSITIVE_INFINITY : id - first;
}

type Log = { readonly conn: Connection; readonly key: number; readonly run: string; readonly upTo: number };

const EVENT = `SELECT id, v, at, hash, body,
  (SELECT p.hash FROM events p WHERE p.id = e.id - 1) AS prev FROM events e WHERE e.id = ?`;
const LONE_EVENT = 'SELECT id, v, at, hash, body FROM events WHERE id = ?';

function* events(log: Log, lost: (seq: number, why: string) => void = () => undefined): Generator<RunEvent> {
  const [base] = idRange(log.key);
  const patience = Number.isFinite(log.upTo) ? Number.POSITIVE_INFINITY : PATIENCE;
  let unread = 0;
  for (let seq = 1; seq <= log.upTo && unread < patience; seq++) {
    let row = attempt(log.conn, EVENT, base + seq);
    if (typeof row === 'string') row = attempt(log.conn, LONE_EVENT, base + seq);
    unread = typeof row === 'object' ? 0 : unread + 1;
    if (row === undefined || typeof row === 'string') lost(seq, row ?? 'is missing');
    else {
      const read = checkedEvent(log.run, base, row);
      if (typeof read === 'string') lost(seq, read);
      else yield read;
    }
  }
}

/** An event behind a lost one cannot be checked against it; its own content is still checked where `prev` is known. */
function checkedEvent(run: string, base: number, row: Row): RunEvent | string {
  const decoded = decodeEvent(storedEvent(run, base, row));
  if (!decoded.ok) return decoded.issues[0]?.hint ?? 'cannot be decoded';
  const event = decoded.value;
  if (event.prev === '' || (event.seq === 1 && run.startsWith('lost-'))) return event;
  const checker = chainChecker({ run: null });
  checker.next(event);
  const report = checker.end();
  return report.ok ? event : report.hint;
}

/** Replays from the first event; a gap is bridged only by a good snapshot behind it. */
function provenState(log: Log, problems: string[]): SalvagedRun['state'] {
  const [base] = idRange(log.key);
  let proven: { seq: number; state: JsonObject } | null = { seq: 0, state: {} };
  let best: SalvagedRun['state'] = null;
  const gaps: string[] = [];
  let more = 0;
  const lost = (seq: number, why: string): void => {
    if (gaps.length < 20) gaps.push(`event ${seq}: ${why}`);
    else more++;
  };
  for (const event of events(log, lost)) {
    if (proven === null || event.seq !== proven.seq + 1) proven = goodSnapshot(log, base, event.seq);
    else proven = stepOn(proven.state, event);
    if (proven !== null) best = proven;
  }
  if (gaps.length > 0 && !Number.isFinite(log.upTo)) problems.push('where its log ended cannot be read');
  problems.push(...gaps, ...(more > 0 ? [`and ${more} more events`] : []));
  return best;
}

function stepOn(state: JsonObject, event: RunEvent): { seq: number; state: JsonObject } | null {
  try {
    return { seq: event.seq, state: replayEvent(state, event) };
  } catch {
    return null;
  }
}

function goodSnapshot(log: Log, base: number, seq: number): { seq: number; state: JsonObject } | null {
  const row = attempt(log.conn, 'SELECT hash, state FROM snapshots WHERE id = ?', base + seq);
  if (typeof row !== 'object' || sha256(String(row['state'])) !== row['hash']) return null;
  return { seq, state: JSON.parse(String(row['state'])) as JsonObject };
}
