import { evaluate, resultValue } from '../confirm/scope.ts';
import { getAt } from '../json/pointer.ts';
import { canonicalJson } from '../json/text.ts';
import { resolvePatch } from '../state/resolve.ts';
import type {
  ConfirmationSpec,
  Delta,
  Intent,
  Json,
  JsonObject,
  Operation,
  Pointer,
  Result,
  Subject,
  Subjects,
  ToolResult,
} from '../types.ts';
import type { Session } from './session.ts';

/** Subjects that no confirmation backs. */
export function openSubjects(subjects: Subjects): readonly (readonly [string, Subject])[] {
  return [...subjects].filter(([, { confirmed }]) => confirmed === null);
}

/** Changes a subject with the next commit; null removes it. */
export function mark(session: Session, key: string, subject: Subject | null): void {
  if (subject === null) session.subjects.delete(key);
  else session.subjects.set(key, subject);
  session.deferred.subjects.set(key, subject);
}

export function claimKey(name: string, subject: Json): string {
  return `${name} ${canonicalJson(subject)}`;
}

/** What a confirmation of this call is about, or why that cannot be said. */
export function subjectOf(
  session: Session,
  spec: ConfirmationSpec,
  args: JsonObject,
  result: ToolResult,
): Result<Json> {
  const scope = session.redactor.json({ args, result: resultValue(result), state: session.state });
  return evaluate(spec.subject, scope, '/subject');
}

type Written = { readonly delta: Delta; readonly state: JsonObject };

/**
 * What the outcome of a write means for confirmations, as part of the outcome's own commit: those of the same subject are
 * cleared and their fields reset, and the subject is unconfirmed until the world was read. A late outcome claims nothing.
 */
export function wrote(
  session: Session,
  intent: Intent,
  result: ToolResult,
  at: { seq: number; late: boolean },
  state: JsonObject,
): Written {
  if (result.status === 'error')
    for (const [key, { call }] of session.subjects) if (call === intent.call) mark(session, key, null);
  if (at.late || result.status === 'error') return { delta: [], state };
  const stale: Pointer[] = [];
  for (const spec of session.skill.confirmations.filter(({ after }) => after.includes(intent.action.tool))) {
    const found = subjectOf(session, spec, intent.action.args, result);
    if (!found.ok && result.status !== 'ok') continue;
    const subject = found.ok ? found.value : { call: intent.call };
    const key = claimKey(spec.name, subject);
    const before = session.subjects.get(key);
    if (before !== undefined && before.path !== null && before.confirmed !== null) stale.push(before.path);
    const { call, step } = intent;
    mark(session, key, {
      name: spec.name,
      subject,
      call,
      step,
      seq: at.seq,
      path: null,
      checked: false,
      confirmed: null,
    });
  }
  return reset(session, state, stale);
}

/** Fields whose confirmation is gone get their initial value back, or go. */
function reset(
  session: Session,
  state: JsonObject,
  paths: readonly Pointer[],
): { delta: Delta; state: JsonObject } {
  const operations = paths.map((path): Operation => {
    const value = getAt(session.skill.initial, path);
    return value === undefined ? { op: 'delete', path } : { op: 'set', path, value };
  });
  if (operations.length === 0) return { delta: [], state };
  const resolved = resolvePatch(
    session.contract,
    state,
    { dialect: 'operations', value: operations },
    { actor: 'runtime', coerce: false },
  );
  return resolved.ok ? { delta: resolved.value.delta, state: resolved.value.state } : { delta: [], state };
}
