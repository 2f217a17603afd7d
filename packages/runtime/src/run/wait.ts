import { parseInstant } from '../json/instant.ts';
import type { Action, InboxItem, Issue, RunHead } from '../types.ts';
import { approvalReason, openApproval } from './approval.ts';
import { outcomeNote, settle } from './settle.ts';
import type { Session } from './session.ts';

/** A driver that stays looks at the inbox this often. */
const LOOK_MS = 200;

/** A time that cannot be read would be waited for without end (P52). */
export function waitRefusals({ tool, args }: Action): Issue[] {
  const { until } = args;
  if (tool !== 'wait' || typeof until !== 'string' || parseInstant(until) !== null) return [];
  const hint = `until is ISO 8601 with zone, e.g. 2026-03-29T09:00:00+02:00; got ${JSON.stringify(until)}`;
  return [{ code: 'action.argument', path: '/action/args/until', hint }];
}

/** The head of a run that accepted `wait`: until a message comes, or the time that was named. */
export function waitingChange(run: string, action: Action, from: number): Partial<RunHead> {
  const { seconds, until } = action.args;
  const byTime = typeof until === 'string' ? parseInstant(until) : null;
  const wakeAt = byTime ?? (typeof seconds === 'number' ? from + seconds * 1000 : null);
  const when =
    wakeAt === null ? 'an outside message' : `${new Date(wakeAt).toISOString()} or an outside message`;
  const reason = `waits for ${when}; skillstate send ${run} "…" then skillstate resume ${run}`;
  return { status: 'waiting', reason, wakeAt };
}

/** What a paused run goes back to waiting for: the answer of a person, or what its `wait` named; null: for nothing. */
export function waitsStill(head: RunHead): Partial<RunHead> | null {
  const { run, intent } = head;
  const approval = openApproval(head);
  if (intent === null) return null;
  if (approval !== null)
    return { status: 'waiting', reason: approvalReason(run, intent), wakeAt: approval.expires };
  return intent.action.tool === 'wait' ? waitingChange(run, intent.action, intent.startedAt) : null;
}

/**
 * A waiting run goes on where a message is there or its time has come. A driver that may stay sleeps for it;
 * otherwise the run is left waiting, to be resumed later. True: look again.
 */
export async function awaitWaking(session: Session, waiting: readonly InboxItem[]): Promise<boolean> {
  const { head } = session;
  const now = session.clock.now();
  const due = head.wakeAt !== null && head.wakeAt <= now;
  if (openApproval(head) !== null) {
    if (due) return expireApproval(session);
  } else if (head.intent?.action.tool === 'wait') {
    if (waiting.length > 0) return woken(session, 'a message came');
    if (due) return woken(session, 'the time has come');
  }
  if (now >= session.stayUntil) return false;
  session.listen({ kind: 'waiting', until: head.wakeAt });
  await session.clock.sleep(Math.min(LOOK_MS, session.stayUntil - now), session.abort.signal);
  return true;
}

async function woken(session: Session, why: string): Promise<true> {
  const { intent } = session.head;
  session.head = { ...session.head, status: 'running', reason: '', wakeAt: null };
  if (intent !== null) await settle(session, intent, { status: 'ok', text: why }, outcomeNote(''));
  return true;
}

async function expireApproval(session: Session): Promise<true> {
  const { intent } = session.head;
  const facts = { ...session.head.facts, approval: null };
  session.head = { ...session.head, status: 'running', reason: '', wakeAt: null, facts };
  const text = 'not run: nobody approved this call in time; ask again if it is still wanted';
  if (intent !== null)
    await settle(session, intent, { status: 'error', text }, outcomeNote('approval expired'));
  return true;
}
