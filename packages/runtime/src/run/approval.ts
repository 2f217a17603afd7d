import type { Intent, JsonObject, RunHead } from '../types.ts';
import { commit, record, type Session } from './session.ts';

/** Whether this call must wait for a person (R14): listed by the skill, or destructive where the skill says so. */
export function approvalNeeded(session: Session, intent: Intent): boolean {
  const { approvals } = session.skill;
  const tool = session.toolset.find(intent.action.tool);
  return (
    approvals.tools.includes(intent.action.tool) || (approvals.destructive && tool?.destructive === true)
  );
}

/** The run waits; the question names the hash that an answer must bind to. */
export function askApproval(session: Session, intent: Intent): Partial<RunHead> {
  const { expireMs } = session.skill.approvals;
  const expires = expireMs === null ? null : session.clock.now() + expireMs;
  const { call, action, hash, step } = intent;
  record(session, { type: 'approval.asked', step, call, action, actionHash: hash, expires });
  const reason = approvalReason(session.head.run, intent);
  const approval: JsonObject = { hash, expires, state: 'asked' };
  return { status: 'waiting', reason, wakeAt: expires, facts: { ...session.head.facts, approval } };
}

/** Why the run waits, and what a person can do about it. */
export function approvalReason(run: string, { action, hash }: Intent): string {
  return `${action.tool} waits for approval: skillstate approve ${run} --hash ${hash.slice(0, 12)} --who NAME --why "…" (or deny)`;
}

/** Whether this call was approved and has not been started. */
export function approved(head: RunHead): boolean {
  const approval = head.facts['approval'] as { hash: string; state: string } | null | undefined;
  return approval?.state === 'given' && approval.hash === head.intent?.hash;
}

/** An approved call is about to start: from this commit on a kill leaves its outcome unknown. */
export async function startApproved(session: Session, intent: Intent): Promise<Intent> {
  const now = session.clock.now();
  const started = { ...intent, startedAt: now, deadline: now + (intent.deadline - intent.startedAt) };
  await commit(session, 'outcome', { intent: started, facts: { ...session.head.facts, approval: null } });
  return started;
}

/** The open question, if the run waits for a person. */
export function openApproval(
  head: RunHead,
): { readonly hash: string; readonly expires: number | null } | null {
  const approval = head.facts['approval'] as
    | { hash: string; expires: number | null; state: string }
    | null
    | undefined;
  return approval?.state === 'asked' ? approval : null;
}

/** The effect that the run's driver had started, or was about to: where that driver is dead, its outcome is unknown. */
export function effectInFlight(head: RunHead): Intent | null {
  const { intent } = head;
  return intent === null || intent.readOnly || openApproval(head) !== null || approved(head) ? null : intent;
}
