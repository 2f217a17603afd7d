import { readFileSync, readlinkSync } from 'node:fs';

/** What makes a pid exact: the kernel's start time in ticks since boot. `ended`: a zombie, of which nothing runs. */
export type ProcessStart = { readonly ticks: number; readonly ended: boolean };

/**
 * Fields 3 and 22 of proc_pid_stat(5); the name before them may hold spaces and brackets. null: the process is gone, or
 * the system has no /proc.
 */
export function processStart(pid: number): ProcessStart | null {
  const stat = procText(`${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[19]);
  return Number.isSafeInteger(ticks) ? { ticks, ended: fields[0] === 'Z' || fields[0] === 'X' } : null;
}

/** The boot and, on Linux, the process namespace: pids are comparable where both are the same. */
export function bootId(): string {
  const boot = procText('sys/kernel/random/boot_id')?.trim() ?? 'unknown';
  try {
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return boot;
  }
}

/** A file below /proc, byte by byte; null where it cannot be read. */
export function procText(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return null;
  }
}
