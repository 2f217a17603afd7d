import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
} from 'node:fs';
import { rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../error.ts';
import { connection, retrying, type Connection } from './connection.ts';
import { toStoreError } from './fault.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

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
  if (file !== ':memory:') ensureFile(file);
  const db = await retrying(() => new DatabaseSync(file, { timeout: 0 }), file, busyMs);
  try {
    await retrying(() => prepareFile(db, file, MIGRATIONS), file, busyMs);
    await retrying(() => configure(db, file, options), file, busyMs);
  } catch (error) {
    db.close();
    throw error;
  }
  return connection(db, file, { busyMs, now: options.now ?? Date.now });
}

/** A new store appears under its name complete or not at all, so an empty file there is always a damaged one (P25). */
function ensureFile(file: string): void {
  try {
    if (!existsSync(file)) createFile(file);
  } catch (error) {
    throw fileError(error, file);
  }
  if (statSync(file).size === 0)
    throw new StoreError(
      'store.corrupt',
      file,
      'the file is empty: restore a copy, or delete it to start anew',
    );
}

function createFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const made = `${file}.${randomUUID()}.new`;
  try {
    const db = new DatabaseSync(made);
    db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;');
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    migrate(db, 0, MIGRATIONS);
    db.close();
    sync(made);
    place(made, file);
    sync(dirname(file));
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(made + end, { force: true });
  }
}

/** Never replaces a file that another process put there meanwhile. */
function place(made: string, file: string): void {
  try {
    linkSync(made, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP' && code !== 'ENOSYS') throw error;
    copyFileSync(made, file, constants.COPYFILE_EXCL);
    sync(file);
  }
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function fileError(error: unknown, file: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new StoreError(
      'store.readonly',
      file,
      `its folder cannot be written (${message}); choose another one`,
      error,
    );
  if (code === 'ENOSPC') return new StoreError('store.full', file, `the disk is full (${message})`, error);
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'EISDIR')
    return new StoreError('store.unreachable', file, `its folder cannot be made (${message})`, error);
  return toStoreError(error, file);
}

/** Refuses foreign and newer files untouched; migrates older ones, each version in a transaction of its own. */
export function prepareFile(db: DatabaseSync, file: string, migrations: readonly string[]): void {
  const version = pragma(db, 'user_version');
  if (pragma(db, 'application_id') !== APPLICATION_ID) {
    if (pragma(db, 'schema_version') !== 0 && file !== ':memory:')
      throw new StoreError(
        'store.corrupt',
        file,
        'it is a SQLite database of another program; choose another file',
      );
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  }
  if (version > migrations.length)
    throw new StoreError(
      'store.newer',
      file,
      `it has version ${version}, this program knows ${migrations.length}: update skillstate; the file was not changed`,
    );
  migrate(db, version, migrations);
}

function migrate(db: DatabaseSync, from: number, migrations: readonly string[]): void {
  for (let version = from; version < migrations.length; version++) {
    db.exec('BEGIN IMMEDIATE');
    try {
      // Another process may have been faster.
      if (pragma(db, 'user_version') === version)
        db.exec(`${migrations[version]}; PRAGMA user_version = ${version + 1}`);
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
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
      `the file was cut off: ${size} of ${wanted} bytes are left; use salvage to export what can still be read`,
    );
}

function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}
