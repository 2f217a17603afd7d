import { currentDriver, isDeadLocal, type RunSummary } from '@skillstate/runtime';
import { ago } from '../output.ts';

/** Who holds a run. A process of this machine that is gone, or whose lease ended, drives nothing. */
export type Holder = {
  readonly pid: number;
  readonly host: string;
  readonly state: 'alive' | 'dead' | 'expired';
};

export function holderOf({ lease }: Pick<RunSummary, 'lease'>, now: number): Holder | null {
  if (lease === null) return null;
  const { pid, host } = lease.driver;
  const dead = isDeadLocal(lease.driver, currentDriver());
  return { pid, host, state: dead ? 'dead' : lease.expiresAt <= now ? 'expired' : 'alive' };
}

/** For a table: `pid 12`, `pid 12 on other`, with what became of it. */
export function holderCell(holder: Holder | null): string {
  if (holder === null) return '';
  const { pid, host, state } = holder;
  const place = host === currentDriver().host ? `pid ${pid}` : `pid ${pid} on ${host}`;
  return state === 'alive' ? place : `${place} (${state})`;
}

/** One line: who drives the run, and when it last moved. */
export function driverLine(summary: RunSummary, now: number): string {
  const { head, updatedAt } = summary;
  const holder = holderOf(summary, now);
  const moved = `last commit ${ago(now - updatedAt)}`;
  if (holder?.state === 'alive') return `driven by process ${holder.pid} on ${holder.host}; ${moved}`;
  const lost = holder === null ? '' : ` (process ${holder.pid} on ${holder.host} ${end(holder)})`;
  const next = head.status === 'running' ? `; skillstate resume ${head.run} goes on` : '';
  return `nobody drives it${lost}; ${moved}${next}`;
}

function end({ state }: Holder): string {
  return state === 'dead' ? 'ended without letting go' : 'was not heard of any more';
}
