import type { Store } from '../../types.ts';
import { type Connection } from './connection.ts';
import { claimRun, releaseLease, renewLease } from './lease.ts';
import { connect, type SqliteOptions } from './open.ts';
import { pruneRun } from './prune.ts';
import { listRuns, loadRun, readDocument, readEvents, readInbox, readPayload, readSubjects } from './read.ts';
import { searchEvents } from './search.ts';
import { commitRun, createRun, keepDocument, sendItem } from './write.ts';

/**
 * A store in one SQLite file (`:memory:` for one that vanishes), made where there is none. Safe to share between
 * processes of one machine. Rejects with `StoreError`: `store.newer`, `store.corrupt`, `store.readonly`, `store.full`,
 * `store.unreachable`, `store.busy`.
 */
export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  return sqliteStore(await connect(path, options));
}

/** The store around an open connection. */
export function sqliteStore(conn: Connection): Store {
  const { transact, once } = conn;
  return {
    create: (first, documents, inbox) => transact(() => createRun(conn, first, documents, inbox)),
    keep: (digest, name, document) => transact(() => keepDocument(conn, digest, name, document)),
    document: (digest) => once(() => readDocument(conn, digest)),
    load: (run, atSeq) => once(() => loadRun(conn, run, atSeq)),
    subjects: (run) => once(() => readSubjects(conn, run)),
    claim: (run, driver, ttlMs) => transact(() => claimRun(conn, run, driver, ttlMs)),
    renew: (lease, ttlMs) => once(() => renewLease(conn, lease, ttlMs)),
    release: (lease) => once(() => releaseLease(conn, lease)),
    commit: (lease, commit) => transact(() => commitRun(conn, lease, commit)),
    events: (run, query) => readEvents(conn, run, query),
    payload: (run, handle) => once(() => readPayload(conn, run, handle)),
    send: (run, item) => once(() => sendItem(conn, run, item)),
    inbox: (run, limit) => once(() => readInbox(conn, run, limit)),
    runs: () => once(() => listRuns(conn)),
    search: (run, text, limit, within) => searchEvents(conn, run, text, limit, within),
    prune: (run, what) => pruneRun(conn, run, what),
    close: () => once(() => closeFile(conn)),
  };
}

/** Leaves one file behind: the log is moved into it, unless others use it or there is no room. Nothing is lost then. */
function closeFile({ db }: Connection): void {
  if (!db.isOpen) return;
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // What was committed is in the log and will be read from there.
  }
  db.close();
}
