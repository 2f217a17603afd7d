import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { bootId, processStart, procText } from '../../process.ts';
import type { Json, JsonObject } from '../../types.ts';

/** Environment variable that every process of one drive's servers inherits; found again in /proc. */
const MARK = 'SKILLSTATE_SERVERS';

/**
 * A server process as journalled. A pid alone may have been given to another program since: `start` (the kernel's start
 * ticks) and `boot` make it exact. `mark` also finds what it started itself, and a server restarted later.
 */
export type ServerProcess = {
  readonly server: string;
  readonly pid: number;
  readonly start: number;
  readonly boot: string;
  readonly mark: string;
};

/** The mark of one drive's servers. */
export function newMark(): string {
  return randomUUID();
}

export function markEnv(mark: string): Record<string, string> {
  return { [MARK]: mark };
}

/** The record of a running process; null where it is gone or the system has no /proc. */
export function describeProcess(server: string, pid: number, mark: string): ServerProcess | null {
  const start = startOf(pid);
  return start === null ? null : { server, pid, start, boot: bootId(), mark };
}

/**
 * Ends the servers that a killed driver left running, by its journalled facts: those very processes (pid and start
 * time), and what carries their mark. Asks with SIGTERM, after a second kills. Resolves when none runs any more, so
 * that a read-back afterwards sees the world at rest; rejects where one cannot be ended. Linux only; elsewhere a
 * server ends by the end of its input.
 */
export async function endLeftoverServers(facts: JsonObject): Promise<void> {
  const records = readRecords(facts['servers']);
  if (records.length === 0) return;
  for (const [signal, patience] of [
    ['SIGTERM', 1000],
    ['SIGKILL', 5000],
  ] as const) {
    const until = performance.now() + patience;
    for (const pid of running(records)) send(pid, signal);
    while (performance.now() < until) {
      if (running(records).length === 0) return;
      await pause(10);
    }
  }
  const pids = running(records).join(', ');
  throw new Error(`processes ${pids} of a killed run's MCP servers cannot be ended; end them, then resume`);
}

function readRecords(value: Json | undefined): ServerProcess[] {
  if (!Array.isArray(value)) return [];
  const boot = bootId();
  return (value as readonly Json[]).filter((entry): entry is ServerProcess => {
    if (entry === null || typeof entry !== 'object' || Array.isArray(entry)) return false;
    const { pid, start, mark, boot: from } = entry as JsonObject;
    return (
      Number.isSafeInteger(pid) &&
      Number(pid) > 1 &&
      typeof start === 'number' &&
      typeof mark === 'string' &&
      from === boot
    );
  });
}

function running(records: readonly ServerProcess[]): number[] {
  const exact = records.filter(({ pid, start }) => startOf(pid) === start).map(({ pid }) => pid);
  const marks = new Set(records.map(({ mark }) => `${MARK}=${mark}`));
  const marked = processes().filter(
    (pid) => startOf(pid) !== null && environment(pid).some((entry) => marks.has(entry)),
  );
  return [...new Set([...exact, ...marked])].filter((pid) => pid !== process.pid);
}

/** Start ticks of a process that still runs. */
function startOf(pid: number): number | null {
  const found = processStart(pid);
  return found === null || found.ended ? null : found.ticks;
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function environment(pid: number): string[] {
  return procText(`${pid}/environ`)?.split('\0') ?? [];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone since, or not ours to end: the caller looks again.
  }
}
