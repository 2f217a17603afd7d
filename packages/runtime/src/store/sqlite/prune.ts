import type { RunStatus } from '../../types.ts';
import { StoreError } from '../error.ts';
import { type Connection, idRange, needKey, runKey } from './connection.ts';

export type Pruned = { readonly payloads: number; readonly bytes: number };

const ENDED: readonly RunStatus[] = ['finished', 'failed', 'cancelled'];

/**
 * Removes the payloads of a run, leaving tombstones, or a whole ended run with all that belongs to it. Either way in
 * one transaction, and harmless to repeat (P32). Payloads that the head of an unfinished run still shows stay. The
 * freed bytes are overwritten and given back to the disk.
 */
export async function pruneRun(conn: Connection, run: string, what: 'payloads' | 'run'): Promise<Pruned> {
  const pruned = await conn.transact(() =>
    what === 'run' ? removeRun(conn, run) : removePayloads(conn, run),
  );
  await conn.once(() => shrink(conn));
  return pruned;
}

function removePayloads(conn: Connection, run: string): Pruned {
  const key = needKey(conn, run);
  return withOverwriting(conn, () => {
    const pruned = dropPayloads(conn, key, isEnded(conn, key));
    if (pruned.payloads > 0) dropIndex(conn, key);
    return pruned;
  });
}

function removeRun(conn: Connection, run: string): Pruned {
  const key = runKey(conn, run);
  if (key === null) return { payloads: 0, bytes: 0 };
  if (!isEnded(conn, key))
    throw new StoreError(
      'store.unfinished',
      `${conn.path} run ${run}`,
      'only an ended run can be removed: cancel it first',
    );
  return withOverwriting(conn, () => {
    const pruned = dropPayloads(conn, key, true);
    dropIndex(conn, key);
    const range = idRange(key);
    conn.run('DELETE FROM run_payloads WHERE run = ?', key);
    conn.run('DELETE FROM events WHERE id BETWEEN ? AND ?', ...range);
    conn.run('DELETE FROM snapshots WHERE id BETWEEN ? AND ?', ...range);
    conn.run('DELETE FROM inbox WHERE run = ?', key);
    conn.run('DELETE FROM subjects WHERE run = ?', key);
    conn.run('DELETE FROM runs WHERE id = ?', key);
    dropDocuments(conn);
    return pruned;
  });
}

function isEnded(conn: Connection, key: number): boolean {
  const status = conn.get("SELECT head ->> '$.status' AS status FROM runs WHERE id = ?", key)?.['status'];
  return ENDED.some((ended) => ended === status);
}

/** Counts what the run lets go; bytes that another run still holds stay for that run. */
function dropPayloads(conn: Connection, key: number, all: boolean): Pruned {
  const chosen = `run = ? AND payload IS NOT NULL${
    all
      ? ''
      : ' AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = run_payloads.run AND instr(r.head, handle) > 0)'
  }`;
  const count = conn.get(
    `SELECT count(*) AS n, total(bytes) AS bytes FROM run_payloads WHERE ${chosen}`,
    key,
  );
  const ids = conn
    .all(`SELECT payload FROM run_payloads WHERE ${chosen}`, key)
    .map((row) => Number(row['payload']));
  conn.run(`UPDATE run_payloads SET payload = NULL WHERE ${chosen}`, key);
  for (const id of ids)
    conn.run(
      'DELETE FROM payloads WHERE id = ? AND NOT EXISTS (SELECT 1 FROM run_payloads WHERE payload = ?)',
      id,
      id,
    );
  return { payloads: Number(count?.['n']), bytes: Number(count?.['bytes']) };
}

/** What a run is or was bound to: by its head, its first event and every change (R15). */
const BOUND = `
  SELECT head ->> '$.skill' FROM runs UNION SELECT head ->> '$.tools' FROM runs
  UNION SELECT e.body ->> '$.skill' FROM runs r JOIN events e ON e.id = r.id * 4294967296 + 1
  UNION SELECT e.body ->> '$.tools' FROM runs r JOIN events e ON e.id = r.id * 4294967296 + 1
  UNION SELECT d.value FROM events e, json_tree(e.body) d
    WHERE instr(e.body, 'skill.changed') > 0 AND e.body ->> '$.type' = 'skill.changed' AND d.key IN ('skill', 'tools')`;

/**
 * Skills and tool lists that no run refers to any more. They stay while a run is driven, for a driver stores them before the
 * event that names them, and where a damaged row hides what it refers to; the next removal takes them.
 */
function dropDocuments(conn: Connection): void {
  const driven = 'SELECT 1 FROM runs WHERE driver IS NOT NULL AND expires_at > ?';
  if (conn.get(driven, conn.now()) !== undefined) return;
  try {
    conn.run(`DELETE FROM documents WHERE digest NOT IN (${BOUND})`);
  } catch {
    // The statement is undone as a whole; the rest of the removal stands.
  }
}

/** The index holds enough of a text to rebuild it, so it goes too; the next search makes it anew. */
function dropIndex(conn: Connection, key: number): void {
  conn.run('DELETE FROM search WHERE rowid BETWEEN ? AND ?', ...idRange(key));
  conn.run("INSERT INTO search (search) VALUES ('optimize')");
  conn.run('UPDATE runs SET indexed = 0 WHERE id = ?', key);
}

function withOverwriting<T>(conn: Connection, work: () => T): T {
  conn.db.exec('PRAGMA secure_delete = ON');
  try {
    return work();
  } finally {
    conn.db.exec('PRAGMA secure_delete = OFF');
  }
}

function shrink(conn: Connection): void {
  conn.db.exec('PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE)');
}
