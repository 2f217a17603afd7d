import { genesis } from '../../event/chain.ts';
import { decodeEvent, type StoredEvent } from '../../event/codec.ts';
import { sha256 } from '../../json/text.ts';
import type {
  EventQuery,
  InboxItem,
  Json,
  JsonObject,
  LoadedRun,
  Payload,
  RunEvent,
  RunHead,
} from '../../types.ts';
import type { RunSummary, Subject, Subjects } from '../../types.ts';
import { StoreError } from '../error.ts';
import { type Connection, idRange, missing, type Row, runKey, type SqlValue } from './connection.ts';
import { leaseOf } from './lease.ts';

const PAGE = 128;

/** Text as it was written, or `store.corrupt`: a flipped bit never becomes a fact (P21, P25). */
function vouched<T>(conn: Connection, place: string, text: unknown, digest: unknown): T {
  const where = `${conn.path} ${place}`;
  if (typeof text !== 'string' || sha256(text) !== digest)
    throw new StoreError('store.corrupt', where, 'the stored text is not what was written; use salvage');
  return JSON.parse(text) as T;
}

/** The newest snapshot that is what was written; where none is left, the empty state before the first event. */
export function loadRun(conn: Connection, run: string, atSeq?: number): LoadedRun | null {
  const row = conn.get('SELECT id, head, head_hash FROM runs WHERE run = ?', run);
  if (row === undefined) return null;
  const head = vouched<RunHead>(conn, `run ${run} head`, row['head'], row['head_hash']);
  const [base] = idRange(Number(row['id']));
  const upTo = Math.min(atSeq ?? head.seq, head.seq);
  const warnings: string[] = [];
  const found = conn.all(
    'SELECT id, hash FROM snapshots WHERE id > ? AND id <= ? ORDER BY id DESC',
    base,
    base + upTo,
  );
  for (const { id, hash } of found) {
    const seq = Number(id) - base;
    try {
      const text = conn.get('SELECT state FROM snapshots WHERE id = ?', id as number)?.['state'];
      const state = vouched<JsonObject>(conn, `run ${run} snapshot ${seq}`, text, hash);
      return { head, snapshot: { seq, state }, ...(warnings.length > 0 ? { warnings } : {}) };
    } catch (error) {
      warnings.push(`snapshot ${seq} is damaged, an older one and the log stand in (${String(error)})`);
    }
  }
  // `run.started` holds the first state, so the log alone can stand in.
  return { head, snapshot: { seq: 0, state: {} }, ...(warnings.length > 0 ? { warnings } : {}) };
}

/** SQL that limits `e` (events) to a query, and its values. */
export function eventFilter(base: number, query: EventQuery): { where: string; values: SqlValue[] } {
  const { from = 1, to, types, tool, since, until } = query;
  const [first, last] = idRange(base / 2 ** 32);
  const parts = ['e.id >= ? AND e.id <= ?'];
  // A seq may come from a model: no number may reach into another run's range.
  const values: SqlValue[] = [Math.max(first, base + from), Math.min(last, base + (to ?? last))];
  if (types !== undefined) {
    parts.push("e.body ->> '$.type' IN (SELECT value FROM json_each(?))");
    values.push(JSON.stringify(types));
  }
  if (tool !== undefined) {
    parts.push("coalesce(e.body ->> '$.action.tool', e.body ->> '$.tool') = ?");
    values.push(tool);
  }
  if (since !== undefined) {
    parts.push('e.at >= ?');
    values.push(since);
  }
  if (until !== undefined) {
    parts.push('e.at <= ?');
    values.push(until);
  }
  return { where: parts.join(' AND '), values };
}

export async function* readEvents(
  conn: Connection,
  run: string,
  query: EventQuery = {},
): AsyncGenerator<RunEvent> {
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  const start = await conn.once(() => runKey(conn, run));
  if (start === null) return;
  const [base] = idRange(start);
  let from = query.from ?? 1;
  while (left > 0) {
    const page = Math.min(PAGE, left);
    const rows = await conn.once(() => eventPage(conn, base, { ...query, from }, page));
    for (const row of rows) yield decodeRow(conn, run, base, row);
    if (rows.length < page) return;
    left -= rows.length;
    from = Number(rows.at(-1)?.['id']) - base + 1;
  }
}

function eventPage(conn: Connection, base: number, query: EventQuery, limit: number): Row[] {
  const { where, values } = eventFilter(base, query);
  return conn.all(
    `SELECT e.id, e.v, e.at, e.hash, e.body, (SELECT p.hash FROM events p WHERE p.id = e.id - 1) AS prev
     FROM events e WHERE ${where} ORDER BY e.id LIMIT ?`,
    ...values,
    limit,
  );
}

export function storedEvent(run: string, base: number, row: Row): StoredEvent {
  const seq = Number(row['id']) - base;
  const prev = seq === 1 ? genesis(run).hash : String(row['prev'] ?? '');
  return {
    v: Number(row['v']),
    seq,
    at: Number(row['at']),
    prev,
    hash: String(row['hash']),
    body: String(row['body']),
  };
}

function decodeRow(conn: Connection, run: string, base: number, row: Row): RunEvent {
  const decoded = decodeEvent(storedEvent(run, base, row));
  if (decoded.ok) return decoded.value;
  const issue = decoded.issues[0];
  const code = issue?.code === 'store.newer' ? 'store.newer' : 'store.corrupt';
  throw new StoreError(
    code,
    `${conn.path} run ${run} ${issue?.path ?? ''}`,
    issue?.hint ?? 'unreadable event',
  );
}

export function readPayload(conn: Connection, run: string, handle: string): Payload | 'pruned' | null {
  const row = conn.get(
    `SELECT r.sha256, r.bytes, r.mime, r.payload, p.data
     FROM run_payloads r LEFT JOIN payloads p ON p.id = r.payload
     WHERE r.run = (SELECT id FROM runs WHERE run = ?) AND r.handle = ?`,
    run,
    handle,
  );
  if (row === undefined) return null;
  if (row['payload'] === null) return 'pruned';
  const data = row['data'];
  const digest = String(row['sha256']);
  if (!(data instanceof Uint8Array) || sha256(data) !== digest)
    throw new StoreError(
      'store.corrupt',
      `${conn.path} run ${run} payload ${handle}`,
      'its bytes are damaged or lost',
    );
  return {
    ref: { handle, sha256: digest, bytes: Number(row['bytes']), mimeType: String(row['mime']) },
    bytes: data,
  };
}

export function readDocument(conn: Connection, digest: string): Json | null {
  const row = conn.get('SELECT hash, document FROM documents WHERE digest = ?', digest);
  return row === undefined ? null : vouched<Json>(conn, `document ${digest}`, row['document'], row['hash']);
}

export function readSubjects(conn: Connection, run: string): Subjects {
  const rows = conn.all(
    'SELECT s.key, s.hash, s.subject FROM subjects s JOIN runs r ON r.id = s.run WHERE r.run = ?',
    run,
  );
  return new Map(
    rows.map(({ key, hash, subject }) => {
      const digest = hash ?? sha256(String(subject));
      return [String(key), vouched<Subject>(conn, `run ${run} subject ${String(key)}`, subject, digest)];
    }),
  );
}

/** One statement, for it is run before every step. A bare `LIMIT ?` would make SQLite plan it anew each time. */
/** Orders of people before messages, each in arrival order: a flood of messages holds up no cancel. */
export function readInbox(conn: Connection, run: string, limit: number): InboxItem[] {
  const rows = conn.all(
    `SELECT i.id, i.at, i.kind, i.sender, i.body FROM runs r LEFT JOIN inbox i ON i.run = r.id
     WHERE r.run = ? ORDER BY i.kind = 'message', i.id LIMIT CAST(? AS INTEGER)`,
    run,
    Math.max(1, limit),
  );
  if (rows.length === 0) throw missing(conn, run);
  return rows
    .filter((row) => row['id'] !== null)
    .map((row) => ({
      id: Number(row['id']),
      at: Number(row['at']),
      kind: row['kind'] as InboxItem['kind'],
      from: String(row['sender']),
      body: JSON.parse(String(row['body'])) as JsonObject,
    }));
}

/** In the order in which they were made. */
export function listRuns(conn: Connection): RunSummary[] {
  const rows = conn.all(
    `SELECT r.run, r.head, r.head_hash, r.created_at, r.updated_at, r.token, r.driver, r.expires_at, d.name
     FROM runs r LEFT JOIN documents d ON d.digest = r.head ->> '$.skill' ORDER BY r.id`,
  );
  return rows.map((row) => {
    const run = String(row['run']);
    return {
      head: vouched<RunHead>(conn, `run ${run} head`, row['head'], row['head_hash']),
      skillName: String(row['name'] ?? ''),
      createdAt: Number(row['created_at']),
      updatedAt: Number(row['updated_at']),
      lease: leaseOf(conn, run, row),
    };
  });
}
