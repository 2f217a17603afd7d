import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../folder.ts';
import { StoreError } from '../error.ts';
import { migrate } from './migrate.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

/** A new store appears under its name complete or not at all, so an empty file there is always a damaged one (P25). */
export function ensureFile(file: string): void {
  if (!existsSync(file)) createFile(file);
  if (statSync(file).size === 0)
    throw new StoreError(
      'store.corrupt',
      file,
      'the file is empty: restore a copy, or delete it to start anew',
    );
}

function createFile(file: string): void {
  makeFolder(dirname(file));
  const made = `${file}.${randomUUID()}.new`;
  try {
    const db = new DatabaseSync(made);
    // Nobody knows this file yet: it is made durable as a whole, below.
    db.exec('PRAGMA synchronous = OFF; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;');
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
