import { lstat, opendir, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KilledBy, ShellLimits } from './types.ts';

export interface Usage {
  bytes: number;
  entries: number;
}

/**
 * Allocated bytes and entries under some directories; a file with several names counts once, links are not followed.
 * Stops early once either limit is passed. Throws where a directory cannot be listed.
 */
export async function measureTrees(roots: readonly string[], stop: Usage): Promise<Usage> {
  const usage: Usage = { bytes: 0, entries: 0 };
  const seen = new Set<string>();
  const waiting = [...roots];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const directory = await ifPresent(opendir(at));
    if (directory === null) continue;
    for await (const child of directory) {
      const path = join(at, child.name);
      const info = await ifPresent(lstat(path));
      if (info === null) continue;
      usage.entries += 1;
      const key = `${info.dev}:${info.ino}`;
      if (info.nlink === 1 || !seen.has(key)) usage.bytes += info.blocks * 512;
      if (info.nlink > 1 && !info.isDirectory()) seen.add(key);
      if (usage.bytes > stop.bytes || usage.entries > stop.entries) return usage;
      if (info.isDirectory()) waiting.push(path);
    }
  }
  return usage;
}

/** The process and all that descend from it. Who lost a parent belongs to the namespace's first process. */
export async function descendants(first: number): Promise<number[]> {
  const found = [first];
  for (let i = 0; i < found.length; i++) {
    const pid = found[i];
    const tasks = await readdir(`/proc/${pid}/task`).catch(() => []);
    for (const task of tasks) {
      const children = await readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '');
      for (const child of children.split(' ')) if (child !== '') found.push(Number(child));
    }
  }
  return found;
}

/** Anonymous resident memory of some processes together, in bytes. */
export async function residentBytes(pids: readonly number[]): Promise<number> {
  let kib = 0;
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    kib += Number(/^RssAnon:\s+(\d+)/m.exec(text)?.[1] ?? 0);
  }
  return kib * 1024;
}

/** Bytes of deleted files on one device that some processes still hold open. */
export async function deletedBytes(pids: readonly number[], device: number): Promise<number> {
  const files = new Map<number, number>();
  for (const pid of pids) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const link = `/proc/${pid}/fd/${fd}`;
      const target = await readlink(link).catch(() => '');
      if (!target.endsWith(' (deleted)')) continue;
      const info = await stat(link).catch(() => null);
      if (info?.isFile() && info.dev === device && info.nlink === 0) files.set(info.ino, info.blocks * 512);
    }
  }
  return [...files.values()].reduce((sum, bytes) => sum + bytes, 0);
}

export interface Watched {
  /** Host directories that count as the workspace. */
  roots: readonly string[];
  /** First process of the sandbox; null while it is not known. */
  firstProcess: () => number | null;
  limits: Pick<ShellLimits, 'memoryBytes' | 'workspaceBytes' | 'workspaceEntries'>;
}

/** One look: the limit that is passed, or null. `watch` where the look itself was prevented. */
export async function overLimit({ roots, firstProcess, limits }: Watched): Promise<KilledBy | null> {
  const first = firstProcess();
  const pids = first === null ? [] : await descendants(first);
  if ((await residentBytes(pids)) > limits.memoryBytes) return 'memory';
  try {
    const stop = { bytes: limits.workspaceBytes, entries: limits.workspaceEntries };
    const usage = await measureTrees(roots, stop);
    if (usage.entries > stop.entries) return 'workspace';
    const root = roots[0];
    const hidden = root === undefined ? 0 : await deletedBytes(pids, (await stat(root)).dev);
    return usage.bytes + hidden > stop.bytes ? 'workspace' : null;
  } catch {
    return 'watch';
  }
}

/** Looks every 50 ms, or less often where a look takes long, until a limit is passed or `stop` is called. */
export function startWatch(watched: Watched, onOver: (by: KilledBy) => void): { stop: () => void } {
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;
  const look = async (): Promise<void> => {
    const started = performance.now();
    const by = await overLimit(watched);
    if (stopped) return;
    if (by !== null) return onOver(by);
    schedule(Math.max(50, 4 * (performance.now() - started)));
  };
  const schedule = (ms: number): void => {
    timer = setTimeout(() => void look(), ms);
  };
  schedule(20);
  return {
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

async function ifPresent<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
