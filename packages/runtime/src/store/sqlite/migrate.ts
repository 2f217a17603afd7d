import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../error.ts';
import { APPLICATION_ID } from './schema.ts';

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

/** From version `from` to the newest. */
export function migrate(db: DatabaseSync, from: number, migrations: readonly string[]): void {
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

/** The number that a pragma answers. */
export function pragma(db: DatabaseSync, name: string): number {
  return Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
}
