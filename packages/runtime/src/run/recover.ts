import { approved } from './approval.ts';
import { commit, record, type Session } from './session.ts';
import { confirmEffects, recheckClaims } from './confirm.ts';
import { outcomeNote, settle } from './settle.ts';
import type { Intent, ToolResult } from '../types.ts';

/**
 * What a new driver does first: says that it took over, and settles a call that was in flight. A read, or an effect
 * that is safe to repeat with the same key, is left to run again. Any other is `unknown`: never repeated in silence,
 * never forgotten (R11); its confirmation decides, or a person. Writes that the last driver did not read back are read now.
 */
export async function recover(session: Session, facts: Session['head']['facts']): Promise<void> {
  const { intent, status } = session.head;
  const inFlight = intent !== null && status === 'running' && !approved(session.head);
  const again = inFlight && canRepeat(session, intent);
  const note = !inFlight
    ? ''
    : again
      ? `${intent.call} ${intent.action.tool} was in flight; it is safe to repeat and runs again`
      : `${intent.call} ${intent.action.tool} was in flight; its outcome is unknown`;
  const { name: model, mode, dialect } = session.model;
  record(session, { type: 'run.resumed', driver: session.lease.driver.id, note, model, mode, dialect });
  await commit(session, 'outcome', { facts });
  if (inFlight && !again) await settleUnknown(session, intent);
  await recheckClaims(session, 'unread');
}

/** Where an effect's tool is gone, what its first attempt did stays unknown. */
function canRepeat({ toolset }: Session, { readOnly, repeatable, action }: Intent): boolean {
  return readOnly || (repeatable && toolset.find(action.tool) !== undefined);
}

async function settleUnknown(session: Session, intent: Intent): Promise<void> {
  const text = `started before the runtime was stopped; outcome unknown. Check the world before repeating it`;
  const result: ToolResult = { status: 'unknown', text };
  await settle(session, intent, result, outcomeNote('in flight when the driver ended'));
  await confirmEffects(session, intent, result);
}
