import { resolvePending } from '../state/resolve.ts';
import type { Blob, Delta, Intent, JsonObject, Notice, RunHead, ToolResult } from '../types.ts';
import { INLINE_BYTES, toPayload } from '../event/text.ts';
import { decodeUtf8, wellFormed } from '../json/wellformed.ts';
import { showResult } from './observe.ts';
import { noticeRepeat } from './progress.ts';
import { wrote } from './claims.ts';
import { guardFacts } from './guard.ts';
import { commit, keepText, nextSeq, record, type Session } from './session.ts';

/** Note of an outcome that the ledger took from an earlier one: nothing was run. */
export const REUSED = 'reused';

/** `late`: an earlier call of unknown outcome is settled now; the current O keeps its result and a notice tells of this one. */
export type Outcome = { readonly durationMs: number; readonly note: string; readonly late: boolean };

/** An outcome that took no time: nothing was run. */
export function outcomeNote(note: string, late = false): Outcome {
  return { durationMs: 0, note, late };
}

/**
 * Records how a call ended and makes its result the next O. `x-commit: success` fields are applied, dropped or kept
 * pending with it (R10). An effect is committed at once; a read waits for the next commit.
 */
export async function settle(
  session: Session,
  intent: Intent,
  result: ToolResult,
  about: Outcome,
): Promise<void> {
  const endedAt = session.clock.now();
  const whole = wellFormed(session.redactor.text(withBlobs(session, result)));
  const { handle, resultSeq, applied } = recordOutcome(session, intent, result, whole, endedAt, about);
  const shown = showResult(
    { text: whole, handle },
    {
      action: intent.action,
      source: intent.action.tool,
      trust: intent.action.tool === 'wait' ? 'runtime' : 'tool',
      status: result.status,
      at: endedAt,
    },
    session.skill.observation.resultBytes,
  );
  if (about.late) session.ledger?.changed();
  else if (intent.action.tool === 'wait') session.ledger?.lapse();
  const unknown = result.status === 'unknown' && !intent.readOnly;
  const open = session.head.unresolved.filter((other) => other.call !== intent.call);
  const seen = about.late
    ? { notices: [...session.head.notices, ...applied.notices, lateNotice(intent, whole)] }
    : { intent: null, result: shown, resultSeq, notices: [...session.head.notices, ...applied.notices] };
  const change: Partial<RunHead> = {
    ...seen,
    facts: applied.facts,
    unresolved: unknown ? [...open, { ...intent, unknown: true }] : open,
    ...(applied.delta.length > 0
      ? { repeat: { hashes: [], warned: false } }
      : about.late
        ? {}
        : noticeRepeat(session, intent, result, seen.notices)),
  };
  if (intent.readOnly && applied.delta.length === 0) session.head = { ...session.head, ...change };
  else await commit(session, 'outcome', change, applied.state);
}

function recordOutcome(
  session: Session,
  intent: Intent,
  result: ToolResult,
  whole: string,
  endedAt: number,
  about: Outcome,
): { handle: string | null; resultSeq: number; applied: Applied } {
  const text = keepText(session, whole, Math.min(INLINE_BYTES, session.skill.observation.resultBytes));
  const structured =
    result.structured === undefined ? null : keepText(session, JSON.stringify(result.structured));
  const applied = consequences(session, intent, result, about);
  const { call, step, action } = intent;
  const resultSeq = record(session, {
    type: 'action.finished',
    step,
    call,
    tool: action.tool,
    endedAt,
    effect: !intent.readOnly,
    status: result.status,
    result: text,
    structured,
    delta: applied.delta,
    durationMs: about.durationMs,
    note: about.note,
  });
  return { handle: typeof text === 'string' ? null : text.handle, resultSeq, applied };
}

function lateNotice(intent: Intent, text: string): Notice {
  return {
    kind: 'pending',
    text: `${intent.call} ${intent.action.tool} (step ${intent.step}): ${text}`,
  };
}

/** All that an outcome means besides itself: fields that waited for it, confirmations it clears, what guards later calls. */
function consequences(session: Session, intent: Intent, result: ToolResult, about: Outcome): Applied {
  const applied = applyPending(session, intent, result);
  const guarded = guardFacts(session, intent, result, about.note);
  const notices = [...applied.notices, ...guarded.notices];
  if (intent.readOnly || about.note === REUSED) return { ...applied, notices, facts: guarded.facts };
  const written = wrote(session, intent, result, { seq: nextSeq(session), late: about.late }, applied.state);
  const { facts } = guarded;
  return { notices, facts, delta: [...applied.delta, ...written.delta], state: written.state };
}

type Applied = Pending & Pick<RunHead, 'facts'>;

type Pending = { readonly delta: Delta; readonly state: JsonObject; readonly notices: Notice[] };

/** What becomes of the fields that waited for this call's success. */
function applyPending(session: Session, intent: Intent, result: ToolResult): Pending {
  const nothing = { delta: [], state: session.state, notices: [] };
  if (intent.pending === null || result.status === 'unknown') return nothing;
  const fields = Object.keys(intent.pending).join(', ');
  const dropped = (why: string): Pending => ({
    ...nothing,
    notices: [{ kind: 'dropped', text: `${fields}: not stored, because ${why}` }],
  });
  if (result.status === 'error') return dropped(`${intent.action.tool} failed`);
  const resolved = resolvePending(session.contract, session.state, intent.pending);
  if (!resolved.ok) return dropped(resolved.issues.map((issue) => `${issue.path}: ${issue.hint}`).join('; '));
  return { delta: resolved.value.delta, state: resolved.value.state, notices: [] };
}

/** Binary parts become payloads, named in the text so that nothing vanishes unseen (P55). */
function withBlobs(session: Session, result: ToolResult): string {
  const names = (result.blobs ?? []).map((blob) => blobLine(session, blob));
  return [result.text, ...names].filter((line) => line !== '').join('\n');
}

function blobLine(session: Session, blob: Blob): string {
  const payload = toPayload(withoutSecrets(session, blob.bytes), blob.mimeType);
  if (!session.deferred.payloads.some((known) => known.ref.handle === payload.ref.handle))
    session.deferred.payloads.push(payload);
  return `[${blob.name}: ${blob.mimeType}, ${payload.ref.bytes} bytes, handle ${payload.ref.handle}]`;
}

/** Bytes that are text are redacted like text; others cannot be. */
function withoutSecrets({ redactor }: Session, bytes: Uint8Array): Uint8Array {
  const { text, lossless } = decodeUtf8(bytes);
  const clean = lossless ? redactor.text(text) : text;
  return clean === text ? bytes : new TextEncoder().encode(clean);
}
