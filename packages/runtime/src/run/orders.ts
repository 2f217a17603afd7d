import { textMember } from '../json/member.ts';
import { resolvePatch } from '../state/resolve.ts';
import type { InboxItem, Issue, JsonObject } from '../types.ts';
import { effectInFlight, openApproval } from './approval.ts';
import { commit, record, type Session } from './session.ts';
import { outcomeNote, settle } from './settle.ts';
import { ended, stopBody } from './stop.ts';

/**
 * Reads the inbox: orders from people (`set`, `cancel`, `pause`, `approve`, `deny`, `settle`) are carried out in
 * arrival order, each in one commit; messages are returned, to be shown in the next O.
 */
export async function takeOrders(session: Session): Promise<readonly InboxItem[]> {
  const items = await session.store.inbox(session.head.run, INBOX_PAGE);
  const taken = new Set(session.deferred.consumed);
  const messages: InboxItem[] = [];
  for (const item of items) {
    if (taken.has(item.id)) continue;
    if (item.kind === 'message') messages.push(item);
    else if (!ended(session.head.status)) await obey(session, redacted(session, item));
  }
  return messages;
}

/** A person's words are redacted like all others, before they reach Σ or the log (R15). */
function redacted({ redactor }: Session, item: InboxItem): InboxItem {
  return { ...item, from: redactor.text(item.from), body: redactor.json(item.body) };
}

export const INBOX_PAGE = 200;

async function obey(session: Session, item: InboxItem): Promise<void> {
  session.deferred.consumed.push(item.id);
  switch (item.kind) {
    case 'cancel':
      return end(session, 'cancelled', item, 'cancelled');
    case 'pause':
      return end(session, 'needs_attention', item, 'paused');
    case 'set':
      return setFields(session, item);
    case 'approve':
    case 'deny':
      return answerApproval(session, item, item.kind === 'approve');
    case 'settle':
      return settleByPerson(session, item);
    case 'message':
      return undefined;
    default:
      return item.kind satisfies never;
  }
}

function reasonOf(item: InboxItem): string {
  return typeof item.body['why'] === 'string' ? item.body['why'] : '';
}

async function end(
  session: Session,
  status: 'cancelled' | 'needs_attention',
  item: InboxItem,
  word: string,
): Promise<void> {
  const why = reasonOf(item);
  const hint = `${word} by ${item.from}${why === '' ? '' : `: ${why}`}`;
  const { body, change } = stopBody(status, { code: `run.${word}`, path: '', hint });
  record(session, body);
  const started = status === 'cancelled' ? effectInFlight(session.head) : null;
  const { unresolved } = session.head;
  // A run that ends says what may have happened (R11).
  const left =
    started === null ? {} : { intent: null, unresolved: [...unresolved, { ...started, unknown: true }] };
  await commit(session, 'stop', { ...change, ...left });
}

/** A person's change of user-owned fields, by the same ⊕ as the model's patches but with a person's rights. */
async function setFields(session: Session, item: InboxItem): Promise<void> {
  const patch = (item.body['patch'] ?? {}) as JsonObject;
  const resolved = resolvePatch(
    session.contract,
    session.state,
    { dialect: 'merge', value: patch },
    { actor: 'user', coerce: true },
  );
  if (!resolved.ok) return refused(session, item, resolved.issues);
  record(session, { type: 'state.set', who: item.from, delta: resolved.value.delta, why: reasonOf(item) });
  await commit(session, 'outcome', { repeat: { hashes: [], warned: false } }, resolved.value.state);
}

/** An order that cannot be carried out is logged with the reason and changes nothing. */
async function refused(session: Session, item: InboxItem, issues: readonly Issue[]): Promise<void> {
  const why = `refused: ${issues.map(({ path, hint }) => (path === '' ? hint : `${path}: ${hint}`)).join('; ')}`;
  record(session, { type: 'state.set', who: item.from, delta: [], why });
  await commit(session, 'outcome', {});
}

/** What a run that waited for an answer becomes; one that a person paused stays paused. */
const RUNNING = { status: 'running', reason: '', wakeAt: null } as const;

async function answerApproval(session: Session, item: InboxItem, yes: boolean): Promise<void> {
  const open = openApproval(session.head);
  const { intent } = session.head;
  const named = textMember(item.body, 'hash');
  const late = open?.expires != null && open.expires <= item.at;
  if (open === null || intent === null || named.length < 8 || !open.hash.startsWith(named) || late) {
    const hint = late ? 'the question had expired' : 'no open question has this hash';
    return refused(session, item, [{ code: 'run.approval', path: '', hint }]);
  }
  const answer = { call: intent.call, actionHash: open.hash, who: item.from, why: reasonOf(item) };
  record(session, { type: yes ? 'approval.given' : 'approval.denied', ...answer });
  const goesOn = session.head.status === 'waiting' ? RUNNING : {};
  if (yes) {
    const facts = { ...session.head.facts, approval: { hash: open.hash, expires: null, state: 'given' } };
    return commit(session, 'outcome', { ...goesOn, facts });
  }
  // The answer and what it means for the call are one commit: between two, a kill would leave a call that looks in flight.
  const facts = { ...session.head.facts, approval: null };
  session.head = { ...session.head, ...goesOn, facts };
  const text = `not run: ${item.from} denied it${answer.why === '' ? '' : ` (${answer.why})`}`;
  await settle(session, intent, { status: 'error', text }, outcomeNote('denied'));
  if (session.deferred.bodies.length > 0) await commit(session, 'outcome', {});
}

/** A person says whether an effect of unknown outcome happened. */
async function settleByPerson(session: Session, item: InboxItem): Promise<void> {
  const call = textMember(item.body, 'call');
  const intent = session.head.unresolved.find((other) => other.call === call);
  if (intent === undefined)
    return refused(session, item, [
      { code: 'run.settle', path: '', hint: `no call ${call} of unknown outcome` },
    ]);
  const happened = item.body['happened'] === true;
  const text = `${happened ? 'did take effect' : 'did not take effect'}, says ${item.from}: ${reasonOf(item)}`;
  await settle(
    session,
    intent,
    { status: happened ? 'ok' : 'error', text },
    outcomeNote('settled by a person', true),
  );
}
