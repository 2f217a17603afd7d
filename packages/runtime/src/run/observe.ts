import { textMember } from '../json/member.ts';
import { INLINE_BYTES } from '../event/text.ts';
import { capText } from '../json/wellformed.ts';
import type {
  ActionResult,
  InboxItem,
  Limits,
  Message,
  Observation,
  ObservationRef,
  RunHead,
} from '../types.ts';
import { keepText, record, type Session } from './session.ts';

/**
 * O_t: the last action's result exactly once, then up to k queued messages in arrival order. After a rejection the
 * step keeps the observation it had (R9): messages taken on the first attempt stay in `head.messages`.
 */
export function observe(session: Session, waiting: readonly InboxItem[]): Observation {
  const first = session.head.rejections === 0 && session.head.messages.length === 0;
  const limit = session.skill.observation.messages;
  const taken = first ? waiting.slice(0, limit).map((item) => receive(session, item)) : [];
  if (taken.length > 0) session.head = { ...session.head, messages: taken };
  return {
    step: session.head.step + 1,
    now: session.clock.now(),
    zone: session.zone,
    result: session.head.result,
    messages: session.head.messages,
    queued: waiting.length - taken.length,
    budget: budgetLeft(session.head, session.skill.limits),
  };
}

function receive(session: Session, item: InboxItem): Message {
  const whole = session.redactor.text(textMember(item.body, 'text'));
  const text = keepText(session, whole, Math.min(INLINE_BYTES, session.skill.observation.messageBytes));
  const seq = record(session, {
    type: 'message.received',
    id: item.id,
    from: item.from,
    sentAt: item.at,
    text,
  });
  session.deferred.consumed.push(item.id);
  const handle = typeof text === 'string' ? null : text.handle;
  return showMessage(
    { seq, from: item.from, at: item.at, text: whole, handle },
    session.skill.observation.messageBytes,
  );
}

/** A message as O shows it, capped like a result. */
export function showMessage(
  message: Pick<Message, 'seq' | 'from' | 'at' | 'text' | 'handle'>,
  maxBytes: number,
): Message {
  const { text, shownBytes, totalBytes, cut } = capText(message.text, maxBytes);
  const trust = message.from === 'user' ? 'user' : 'outside';
  return { ...message, trust, text, shownBytes, totalBytes, handle: cut ? message.handle : null };
}

/** What is left of the run's limits. */
export function budgetLeft(head: RunHead, limits: Limits): Observation['budget'] {
  const { steps, tokens, costUsd } = limits;
  const { step, usage, costUsd: spent } = head;
  return {
    steps: steps === null ? null : Math.max(0, steps - step),
    tokens: tokens === null ? null : Math.max(0, tokens - usage.inputTokens - usage.outputTokens),
    costUsd: costUsd === null ? null : Math.max(0, costUsd - spent),
  };
}

/** The observation as an event keeps it: by reference to the events it was made of. */
export function observationRef(session: Session, observation: Observation): ObservationRef {
  return {
    now: observation.now,
    zone: observation.zone,
    result: session.head.resultSeq,
    messages: observation.messages.map((message) => message.seq),
    queued: observation.queued,
    budget: observation.budget,
  };
}

/** A result as O shows it: capped head and tail, with a handle to the whole where something was cut (R18). */
export function showResult(
  whole: { readonly text: string; readonly handle: string | null },
  about: Pick<ActionResult, 'action' | 'source' | 'trust' | 'status' | 'at'>,
  maxBytes: number,
): ActionResult {
  const capped = capText(whole.text, maxBytes);
  return {
    ...about,
    text: capped.text,
    shownBytes: capped.shownBytes,
    totalBytes: capped.totalBytes,
    handle: capped.cut ? whole.handle : null,
  };
}
