import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Takes a bench's folder for this process, so that no episode is played and paid twice; returns what gives it back. The lock
 * is SQLite's on the file `bench.lock`: the system gives it back when a process dies, so that none is ever left over;
 * `bench.pid` says who holds it. Throws an Error that names the holder.
 */
export function lockFolder(folder: string): () => void {
  const lock = new DatabaseSync(join(folder, 'bench.lock'), { timeout: 0 });
  const holder = join(folder, 'bench.pid');
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new Error(
      `another bench (process ${holderIn(holder)}) writes to ${folder}; wait for it, or name another folder`,
      { cause: error },
    );
  }
  writeFileSync(holder, `${process.pid} on ${hostname()}\n`);
  return () => {
    rmSync(holder, { force: true });
    lock.close();
  };
}

const SQLITE_BUSY = 5;

function holderIn(path: string): string {
  try {
    return /^\d{1,10} on [\w.-]{1,253}(?=\n)/.exec(readFileSync(path, 'utf8'))?.[0] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
