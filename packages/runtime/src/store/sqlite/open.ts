import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../error.ts';
import { type Connection, connection, retrying } from './connection.ts';
import { ensureFile } from './create.ts';
import { fileError } from './fault.ts';
import { pragma, prepareFile } from './migrate.ts';
import { MIGRATIONS } from './schema.ts';

export type SqliteOptions = {
  /** `full` (default): a commit survives power loss. `process`: it survives a killed process only, and is faster. */
  readonly durability?: 'full' | 'process';
  /** Longest wait for other writers before `store.busy`; 30 s by default. */
  readonly busyMs?: number;
  /** Time of leases and of `updatedAt`; `Date.now` by default. */
  readonly now?: () => number;
  /** Told what works, but not as well as it should. Silent by default. */
  readonly warn?: (text: string) => void;
};

/** Opens or creates the file, brings it to the newest version and sets the connection up. `:memory:` is allowed. */
export async function connect(path: string, options: SqliteOptions): Promise<Connection> {
  const file = path === ':memory:' ? path : resolve(path);
  const busyMs = options.busyMs ?? 30_000;
  let db: DatabaseSync | null = null;
  try {
    if (file !== ':memory:') ensureFile(file);
    const opened = await retrying(() => new DatabaseSync(file, { timeout: 0 }), file, busyMs);
    db = opened;
    await retrying(() => prepareFile(opened, file, MIGRATIONS), file, busyMs);
    await retrying(() => configure(opened, file, options), file, busyMs);
    return connection(opened, file, { busyMs, now: options.now ?? Date.now });
  } catch (error) {
    db?.close();
    throw fileError(error, file);
  }
}

function configure(db: DatabaseSync, file: string, options: SqliteOptions): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode !== 'wal' && file !== ':memory:')
    options.warn?.(
      `${file}: write-ahead log unavailable here (${String(mode)}); commits work, readers wait for writers`,
    );
  const level = options.durability === 'process' ? 'NORMAL' : 'FULL';
  db.exec(`PRAGMA synchronous = ${level}; PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 8388608;
    PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;`);
  checkLength(db, file);
}

/** A file shorter than its own page count was cut off; SQLite itself would notice only on reading the lost pages. */
function checkLength(db: DatabaseSync, file: string): void {
  if (file === ':memory:' || (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const wanted = pragma(db, 'page_count') * pragma(db, 'page_size');
  const { size } = statSync(file);
  if (size < wanted)
    throw new StoreError(
      'store.corrupt',
      file,
      `the file was cut off: ${size} of ${wanted} bytes are left; export --salvage writes what can still be read`,
    );
}
