import type { EventBody, Issue, RunHead, RunStatus } from '../types.ts';
import { commit, record, type Session } from './session.ts';

/** The event and the change of head that end or pause a run, with a reason that a person can act on. */
export function stopBody(status: RunStatus, why: Issue): { body: EventBody; change: Partial<RunHead> } {
  return {
    body: { type: 'run.stopped', status, reason: why.hint, code: why.code },
    change: { status, reason: why.hint, wakeAt: null },
  };
}

/** Ends or pauses the run durably. */
export async function stop(session: Session, status: RunStatus, why: Issue): Promise<void> {
  const { body, change } = stopBody(status, why);
  record(session, body);
  await commit(session, 'stop', change);
}

/** Whether nothing reaches a run of this status any more. */
export function ended(status: RunStatus): boolean {
  return status === 'finished' || status === 'cancelled' || status === 'failed';
}
