import { readdirSync, readFileSync, statSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { release } from 'node:os';

/** The user that a sandbox runs as; null: the user of this process. */
export interface Identity {
  uid: number;
  gid: number;
}

/** The range systemd keeps for users that exist only while something runs. */
const firstFree = 61_184;
const lastFree = 65_519;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** As root: the workspace's owner where that is not root, else a user that nothing else uses. Otherwise null. */
export function identityFor(owner: Identity | null): Identity | null {
  if (!isRoot()) return null;
  if (owner !== null && owner.uid !== 0)
    return { uid: owner.uid, gid: owner.gid === 0 ? owner.uid : owner.gid };
  const taken = new Set([...passwdIds(), ...runningIds()]);
  for (let tries = 0; tries < 1000; tries++) {
    const uid = randomInt(firstFree, lastFree + 1);
    if (!taken.has(uid)) return { uid, gid: uid };
  }
  throw new Error(`no unused user id between ${firstFree} and ${lastFree}`);
}

/**
 * RLIMIT_NPROC counts the tasks of a user id. Since Linux 5.14 it counts them per user namespace, so the limit is the
 * sandbox's own; before, every task of that user on the host counts, and is added here so that the limit means the same.
 */
export function processLimit(wanted: number, identity: Identity | null, kernel = release()): number {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  if (major > 5 || (major === 5 && minor >= 14)) return wanted;
  return wanted + tasksOf(identity?.uid ?? process.getuid?.() ?? 0);
}

function passwdIds(): number[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => Number(line.split(':')[2]));
  } catch {
    return [];
  }
}

function runningIds(): number[] {
  return processIds().flatMap((pid) => ownerOf(pid) ?? []);
}

function tasksOf(uid: number): number {
  return processIds()
    .filter((pid) => ownerOf(pid) === uid)
    .reduce((sum, pid) => sum + countEntries(`/proc/${pid}/task`), 0);
}

function processIds(): string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
}

function ownerOf(pid: string): number | null {
  try {
    return statSync(`/proc/${pid}`).uid;
  } catch {
    return null;
  }
}

function countEntries(path: string): number {
  try {
    return readdirSync(path).length;
  } catch {
    return 0;
  }
}
