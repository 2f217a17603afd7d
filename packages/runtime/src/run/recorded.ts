import { parseJson } from '../json/parse.ts';
import type { Action, EventText, RunEvent, ToolResult } from '../types.ts';
import type { Session } from './session.ts';

type Finished = RunEvent & { readonly type: 'action.finished' };

/** The result that the log holds at `seq`; null where there is none, or its payload was pruned. */
export async function recordedResult(
  session: Session,
  seq: number,
): Promise<(ToolResult & { readonly endedAt: number }) | null> {
  const event = await finishedAt(session, seq);
  if (event === null) return null;
  const text = await wholeText(session, event.result);
  const structured = event.structured === null ? undefined : await wholeText(session, event.structured);
  if (text === null || structured === null) return null;
  const value = structured === undefined ? undefined : parseJson(structured);
  if (value !== undefined && !value.ok) return null;
  const { status, endedAt } = event;
  return { status, text, endedAt, ...(value === undefined ? {} : { structured: value.value }) };
}

/** A call as the log holds it: what was asked and what came of it at `seq`. */
export async function recordedCall(
  session: Session,
  call: string,
  seq: number,
): Promise<{ readonly action: Action; readonly result: ToolResult; readonly endedAt: number } | null> {
  const result = await recordedResult(session, seq);
  if (result === null) return null;
  for await (const event of session.store.events(session.head.run, { types: ['step.accepted'], to: seq }))
    if (event.type === 'step.accepted' && event.call === call)
      return { action: event.action, result, endedAt: result.endedAt };
  return null;
}

async function finishedAt(session: Session, seq: number): Promise<Finished | null> {
  for await (const event of session.store.events(session.head.run, { from: seq, to: seq }))
    if (event.type === 'action.finished') return event;
  return null;
}

async function wholeText(session: Session, text: EventText): Promise<string | null> {
  if (typeof text === 'string') return text;
  const payload = await session.store.payload(session.head.run, text.handle);
  return payload === null || payload === 'pruned' ? null : new TextDecoder().decode(payload.bytes);
}
