import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const FILE = 'bench.lock';

/**
 * Takes a bench's folder for this process, so that no episode is played and paid twice; returns what gives it back. A lock
 * of a process of this machine that is gone is taken over. Throws an Error that names the holder.
 */
export function lockFolder(folder: string): () => void {
  const path = join(folder, FILE);
  const holder = `${process.pid} ${hostname()}`;
  try {
    writeFileSync(path, holder, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const other = readFileSync(path, 'utf8').slice(0, 300);
    if (!isGone(other))
      throw new Error(
        `another bench (process ${other}) writes to ${folder}; wait for it, or delete ${path} if there is none`,
      );
    writeFileSync(path, holder);
  }
  return () => rmSync(path, { force: true });
}

function isGone(holder: string): boolean {
  const [pid = '', host = ''] = holder.split(' ');
  if (host !== hostname() || !/^\d{1,9}$/.test(pid)) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
