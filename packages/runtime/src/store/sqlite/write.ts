import { type ChainEnd, genesis } from '../../event/chain.ts';
import { bodyText } from '../../event/codec.ts';
import { sha256 } from '../../json/text.ts';
import type { Commit, InboxItem, Json, JsonObject, Lease, Payload, RunHead, Subject } from '../../types.ts';
import { StoreError } from '../error.ts';
import { type Connection, idRange, missing } from './connection.ts';

/** Every n-th snapshot stays for looking back, besides the first and the newest two. */
const KEEP_EVERY = 16;
/** Leases that one run can give. */
const TOKEN_SPAN = 2 ** 24;

export type NamedDocument = { readonly digest: string; readonly name: string; readonly document: Json };
type NewItem = Omit<InboxItem, 'id'>;

/** Call in a transaction. */
export function createRun(
  conn: Connection,
  first: Commit,
  documents: readonly NamedDocument[],
  inbox: readonly NewItem[],
): void {
  const { head } = first;
  const start = genesis(head.run);
  needChain(first, start);
  if (first.snapshot === null) throw new TypeError('the first commit of a run needs a snapshot of its state');
  if (conn.get('SELECT 1 FROM runs WHERE run = ?', head.run) !== undefined)
    throw new StoreError(
      'store.exists',
      conn.path,
      `there is already a run ${JSON.stringify(head.run)}: resume it, choose another name, or prune it first`,
    );
  const text = JSON.stringify(head);
  const now = conn.now();
  const row = conn.get(
    `INSERT INTO runs (run, seq, hash, head, head_hash, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    head.run,
    head.seq,
    head.hash,
    text,
    sha256(text),
    head.startedAt,
    now,
  );
  const key = Number(row?.['id']);
  // Tokens of a run never return, not even in a later run of the same name.
  conn.run('UPDATE runs SET token = ? WHERE id = ?', key * TOKEN_SPAN, key);
  for (const { digest, name, document } of documents) keepDocument(conn, digest, name, document);
  writeParts(conn, key, first);
  for (const item of inbox) sendItem(conn, head.run, item);
}

/** Call in a transaction. The update finds the run only while the token and the chain's end are what they must be. */
export function commitRun(conn: Connection, lease: Lease, commit: Commit): void {
  const { head } = commit;
  if (head.run !== lease.run)
    throw new TypeError(`the lease is for ${lease.run}, the commit for ${head.run}`);
  const first = commit.events[0];
  const before = first === undefined ? head : { seq: first.seq - 1, hash: first.prev };
  needChain(commit, before);
  const text = JSON.stringify(head);
  const row = conn.get(
    `UPDATE runs SET seq = ?, hash = ?, head = ?, head_hash = ?, updated_at = ?
     WHERE run = ? AND token = ? AND seq = ? AND hash = ? RETURNING id`,
    head.seq,
    head.hash,
    text,
    sha256(text),
    conn.now(),
    head.run,
    lease.token,
    before.seq,
    before.hash,
  );
  if (row === undefined) throw refusal(conn, lease, before);
  writeParts(conn, Number(row['id']), commit);
}

/** A commit that does not hang together is a fault of the caller, not of the store. */
function needChain(commit: Commit, before: ChainEnd): void {
  let end = before;
  for (const event of commit.events) {
    if (event.seq !== end.seq + 1 || event.prev !== end.hash)
      throw new TypeError(
        `event ${event.seq} does not continue event ${end.seq} (see chainEvents and genesis)`,
      );
    end = event;
  }
  if (commit.head.seq !== end.seq || commit.head.hash !== end.hash)
    throw new TypeError(`the head must stand at event ${end.seq}, it stands at ${commit.head.seq}`);
}

function refusal(conn: Connection, lease: Lease, before: ChainEnd): StoreError {
  const row = conn.get('SELECT token, seq FROM runs WHERE run = ?', lease.run);
  if (row === undefined) return missing(conn, lease.run);
  const place = `${conn.path} run ${lease.run}`;
  if (row['token'] !== lease.token)
    return new StoreError('store.fenced', place, 'another driver has taken the run over; this one must stop');
  return new StoreError(
    'store.conflict',
    place,
    `the commit builds on event ${before.seq}, the log stands at ${Number(row['seq'])}: load the run again and redo the step`,
  );
}

function writeParts(conn: Connection, key: number, commit: Commit): void {
  const [base] = idRange(key);
  for (const event of commit.events)
    conn.run(
      'INSERT INTO events (id, v, at, hash, body) VALUES (?, ?, ?, ?, ?)',
      base + event.seq,
      event.v,
      event.at,
      event.hash,
      bodyText(event),
    );
  for (const payload of commit.payloads) writePayload(conn, key, payload);
  for (const id of commit.consumed)
    if (conn.run('DELETE FROM inbox WHERE id = ? AND run = ?', id, key) !== 1)
      throw new StoreError(
        'store.conflict',
        conn.path,
        `inbox item ${id} was consumed before: load the run again`,
      );
  for (const [subject, about] of commit.subjects ?? []) writeSubject(conn, key, subject, about);
  if (commit.snapshot !== null) writeSnapshot(conn, base, commit.head, commit.snapshot);
}

function writePayload(conn: Connection, key: number, { ref, bytes }: Payload): void {
  conn.run('INSERT INTO payloads (sha256, data) VALUES (?, ?) ON CONFLICT DO NOTHING', ref.sha256, bytes);
  const stored = conn.run(
    `INSERT INTO run_payloads (run, handle, sha256, bytes, mime, payload)
     SELECT ?, ?, ?, ?, ?, id FROM payloads WHERE sha256 = ?
     ON CONFLICT DO UPDATE SET payload = excluded.payload WHERE sha256 = excluded.sha256`,
    key,
    ref.handle,
    ref.sha256,
    ref.bytes,
    ref.mimeType,
    ref.sha256,
  );
  if (stored !== 1)
    throw new StoreError('store.conflict', conn.path, `the handle ${ref.handle} already names other content`);
}

function writeSubject(conn: Connection, run: number, key: string, subject: Subject | null): void {
  if (subject === null) {
    conn.run('DELETE FROM subjects WHERE run = ? AND key = ?', run, key);
    return;
  }
  const text = JSON.stringify(subject);
  conn.run(
    `INSERT INTO subjects (run, key, hash, subject) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET hash = excluded.hash, subject = excluded.subject`,
    run,
    key,
    sha256(text),
    text,
  );
}

function writeSnapshot(conn: Connection, base: number, head: RunHead, state: JsonObject): void {
  const text = JSON.stringify(state);
  const newest = conn.get(
    'SELECT n FROM snapshots WHERE id > ? AND id <= ? ORDER BY id DESC',
    base,
    base + head.seq,
  );
  const n = newest === undefined ? 0 : Number(newest['n']) + 1;
  conn.run(
    'INSERT INTO snapshots (id, n, hash, state) VALUES (?, ?, ?, ?)',
    base + head.seq,
    n,
    sha256(text),
    text,
  );
  if (n > 2 && (n - 2) % KEEP_EVERY !== 0)
    conn.run('DELETE FROM snapshots WHERE id > ? AND id < ? AND n = ?', base, base + head.seq, n - 2);
}

/** Once per digest: a second text under the same digest changes nothing. */
export function keepDocument(conn: Connection, digest: string, name: string, document: Json): void {
  if (conn.get('SELECT 1 FROM documents WHERE digest = ?', digest) !== undefined) return;
  const text = JSON.stringify(document);
  conn.run(
    'INSERT INTO documents (digest, name, hash, document) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    digest,
    name,
    sha256(text),
    text,
  );
}

/** One statement: the item's id. */
export function sendItem(conn: Connection, run: string, item: NewItem): number {
  const row = conn.get(
    `INSERT INTO inbox (run, at, kind, sender, body) SELECT id, ?, ?, ?, ? FROM runs WHERE run = ? RETURNING id`,
    item.at,
    item.kind,
    item.from,
    JSON.stringify(item.body),
    run,
  );
  if (row === undefined) throw missing(conn, run);
  return Number(row['id']);
}
