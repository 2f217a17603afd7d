import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { bootId, processStart } from '../process.ts';
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
