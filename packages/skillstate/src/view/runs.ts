import type { RunSummary } from '@skillstate/runtime';
import { ago, clean } from '../output.ts';
import { holderCell, holderOf } from './driver.ts';
import { table } from './table.ts';

const REASON = 60;

/** All runs, one a line; `driver` is empty where nobody drives. */
export function runsTable(runs: readonly RunSummary[], now: number): string {
  const rows = runs.map((summary) => {
    const { head, skillName, updatedAt } = summary;
    const reason = clean(head.reason);
    const short = reason.length > REASON ? `${reason.slice(0, REASON - 1)}…` : reason;
    return [
      head.run,
      skillName,
      head.status,
      head.step,
      holderCell(holderOf(summary, now)),
      ago(now - updatedAt),
      short,
    ];
  });
  return table(['run', 'skill', 'status', 'steps', 'driver', 'last commit', 'reason'], rows);
}

/** One run for scripts. Times are milliseconds since the epoch. */
export function runJson(summary: RunSummary, now: number): Readonly<Record<string, unknown>> {
  const { head, skillName, createdAt, updatedAt, lease } = summary;
  const { run, status, reason, step: steps, costUsd } = head;
  return {
    run,
    status,
    reason,
    steps,
    costUsd,
    skillName,
    createdAt,
    updatedAt,
    driver: holderOf({ lease }, now),
    lease,
  };
}
