import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Driver } from '../types.ts';

/**
 * This process as a driver, with a new id on every call: keep the value for the whole run. `boot` names the boot and,
 * on Linux, the process namespace, so that a pid is only ever compared with pids of the same kind. `startedAt` is not
 * a clock time: it is the kernel's start time of the process (ticks since boot), 0 where the system has none.
 */
export function currentDriver(): Driver {
  const pid = process.pid;
  return {
    id: randomUUID(),
    host: hostname(),
    boot: bootId(),
    pid,
    startedAt: processStart(pid)?.ticks ?? 0,
  };
}

/**
 * Whether `driver` is known to be dead, as seen by `observer`: same host and boot, and its process is gone or is
 * another one. A driver elsewhere, or one that cannot be looked at, counts as alive until its lease expires.
 */
export function isDeadLocal(driver: Driver, observer: Driver): boolean {
  if (driver.host !== observer.host || driver.boot !== observer.boot) return false;
  if (!isAlive(driver.pid)) return true;
  const now = processStart(driver.pid);
  if (now === null) return false;
  return now.ended || (driver.startedAt !== 0 && now.ticks !== driver.startedAt);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Fields 3 and 22 of proc_pid_stat(5); the name before them may hold spaces and brackets. */
function processStart(pid: number): { readonly ticks: number; readonly ended: boolean } | null {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[19]);
  return Number.isSafeInteger(ticks) ? { ticks, ended: fields[0] === 'Z' || fields[0] === 'X' } : null;
}

function bootId(): string {
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown';
  try {
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return boot;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
