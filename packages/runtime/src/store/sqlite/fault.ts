import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError, type StoreErrorCode } from '../error.ts';

/** Primary result codes of SQLite (https://sqlite.org/rescode.html) that mean something to a user. */
const CODES: Readonly<Record<number, readonly [StoreErrorCode, string]>> = {
  3: ['store.readonly', 'no permission to open it; check the rights of the file and its folder'],
  5: ['store.busy', 'another process kept it locked; try again, nothing was changed'],
  6: ['store.busy', 'another connection kept it locked; try again, nothing was changed'],
  8: [
    'store.readonly',
    'it cannot be written; make the file and its folder writable, or work on a copy (export --salvage reads it as it is)',
  ],
  10: ['store.unreachable', 'the disk reported an error; check the disk, nothing was half-applied'],
  11: ['store.corrupt', 'the file is damaged; export --salvage writes what can still be read'],
  13: ['store.full', 'the disk is full; free some space and resume, nothing was half-applied'],
  14: ['store.unreachable', 'it cannot be opened; check that the folder exists and can be written'],
  18: ['store.full', 'a value is larger than SQLite can hold (1 GB); nothing was half-applied'],
  26: [
    'store.corrupt',
    'it is no SQLite database, or its start is damaged; try export --salvage, or restore a copy',
  ],
};

type SqliteError = Error & { readonly errcode: number };

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && typeof (error as Partial<SqliteError>).errcode === 'number';
}

/** SQLITE_BUSY and SQLITE_LOCKED with all their extended codes. */
export function isBusy(error: unknown): boolean {
  const primary = isSqliteError(error) ? error.errcode & 0xff : 0;
  return primary === 5 || primary === 6;
}

/** What a user can act on; an error that is not SQLite's, or a fault of ours, comes back as it is. */
export function toStoreError(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  const known = CODES[error.errcode & 0xff];
  if (known !== undefined)
    return new StoreError(known[0], path, `${known[1]} (SQLite: ${error.message})`, error);
  if (/malformed/i.test(error.message))
    return new StoreError('store.corrupt', path, `stored text is damaged (SQLite: ${error.message})`, error);
  return error;
}

/** As above for opening and creating `file`, where the file system speaks too. */
export function fileError(error: unknown, file: string): unknown {
  const known = toStoreError(error, file);
  if (known instanceof StoreError)
    return known.code === 'store.unreachable' && isReadOnly(dirname(file)) ? readOnly(known, file) : known;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return readOnly(known, file);
  if (code === 'ENOSPC') return new StoreError('store.full', file, `the disk is full (${message})`, error);
  if (code === 'ENOTDIR' || code === 'EEXIST' || code === 'EISDIR')
    return new StoreError('store.unreachable', file, `its folder cannot be made (${message})`, error);
  return known;
}

function readOnly(cause: unknown, file: string): StoreError {
  const hint = 'its folder cannot be written; make it writable, choose another one, or work on a copy';
  return new StoreError('store.readonly', file, hint, cause);
}

function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
