import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreError } from '../error.ts';
import { isBusy, toStoreError } from './fault.ts';
import { SEQ_SPAN } from './schema.ts';

/** The only things ever bound: an object as a lone parameter would be stored as NULL in silence. */
export type SqlValue = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

export type Connection = {
  readonly path: string;
  readonly db: DatabaseSync;
  now(): number;
  /** Prepared once, kept. */
  run(sql: string, ...values: SqlValue[]): number;
  get(sql: string, ...values: SqlValue[]): Row | undefined;
  all(sql: string, ...values: SqlValue[]): Row[];
  /** Calls `work` between BEGIN IMMEDIATE and COMMIT; waits for other writers without blocking the event loop. */
  readonly transact: <T>(work: () => T) => Promise<T>;
  /** Calls `work`, a single reading or writing statement; waits as above. */
  readonly once: <T>(work: () => T) => Promise<T>;
};

export type Waiting = {
  /** How long to wait for other writers before `store.busy`. */
  readonly busyMs: number;
  readonly now: () => number;
};

export function connection(db: DatabaseSync, path: string, waiting: Waiting): Connection {
  const kept = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const made = db.prepare(sql);
    kept.set(sql, made);
    return made;
  };
  const once = <T>(work: () => T): Promise<T> => retrying(work, path, waiting.busyMs);
  const attempt = <T>(work: () => T): T => {
    statement('BEGIN IMMEDIATE').run();
    try {
      const value = work();
      statement('COMMIT').run();
      return value;
    } catch (error) {
      // SQLite has rolled back by itself after some faults (disk full).
      if (db.isTransaction) statement('ROLLBACK').run();
      throw error;
    }
  };
  return {
    path,
    db,
    now: waiting.now,
    run: (sql, ...values) => Number(statement(sql).run(...values).changes),
    get: (sql, ...values) => statement(sql).get(...values) as Row | undefined,
    all: (sql, ...values) => statement(sql).all(...values) as Row[],
    transact: (work) => once(() => attempt(work)),
    once,
  };
}

/** Calls `work` until it is not refused for a lock: pauses from 1 ms, doubling to 64 ms, with jitter, up to `busyMs`. */
export async function retrying<T>(work: () => T, path: string, busyMs: number): Promise<T> {
  const started = performance.now();
  for (let pause = 1; ; pause = Math.min(pause * 2, 64)) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw toStoreError(error, path);
      const waited = performance.now() - started;
      if (waited > busyMs)
        throw new StoreError(
          'store.busy',
          path,
          `another process held the write lock for ${Math.round(waited)} ms; nothing was changed, try again`,
          error,
        );
    }
    await sleep(pause * (0.5 + Math.random()));
  }
}

/** First and last id of a run's events and snapshots. */
export function idRange(key: number): readonly [number, number] {
  const first = key * SEQ_SPAN;
  if (!Number.isSafeInteger(first + SEQ_SPAN - 1))
    throw new RangeError('one store holds at most 2,097,151 runs');
  return [first, first + SEQ_SPAN - 1];
}

/** The key of a run, or null. */
export function runKey(conn: Connection, run: string): number | null {
  const row = conn.get('SELECT id FROM runs WHERE run = ?', run);
  return row === undefined ? null : Number(row['id']);
}

export function needKey(conn: Connection, run: string): number {
  const key = runKey(conn, run);
  if (key === null) throw missing(conn, run);
  return key;
}

export function missing(conn: Connection, run: string): StoreError {
  return new StoreError('store.missing', conn.path, `there is no run ${JSON.stringify(run)} in this store`);
}
