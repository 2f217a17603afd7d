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
  RunHead,
  ToolResult,
} from '../types.ts';
import type { Session } from './session.ts';

/**
 * A subject that was written through an action with a confirmation: what was executed. It is confirmed while
 * `head.confirmed` has its key; `path` is the field that this confirmation filled.
 */
export type Claim = {
  readonly name: string;
  readonly subject: Json;
  readonly call: string;
  readonly step: number;
  /** Seq of the outcome's event. */
  readonly seq: number;
  readonly path: Pointer | null;
  /** Whether the world was read since. */
  readonly checked: boolean;
};

export type Claims = Readonly<Record<string, Claim>>;

export function claimsOf(head: RunHead): Claims {
  return (head.facts['claims'] ?? {}) as unknown as Claims;
}

export function withClaims(facts: JsonObject, claims: Claims): JsonObject {
  return facts['claims'] === undefined && Object.keys(claims).length === 0
    ? facts
    : { ...facts, claims: claims as unknown as Json };
}

/** Claims that no confirmation backs. */
export function openClaims(head: RunHead): readonly (readonly [string, Claim])[] {
  return Object.entries(claimsOf(head)).filter(([key]) => !Object.hasOwn(head.confirmed, key));
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

export type Written = Pick<RunHead, 'confirmed'> & {
  readonly claims: Claims;
  readonly delta: Delta;
  readonly state: JsonObject;
};

/**
 * What the outcome of a write means for confirmations, as part of the outcome's own commit: those of the same subject are
 * cleared and their fields reset, and the subject is claimed until the world was read. A late outcome claims only.
 */
export function wrote(
  session: Session,
  intent: Intent,
  result: ToolResult,
  at: { seq: number; late: boolean },
  state: JsonObject,
): Written {
  const { head, skill } = session;
  const claims: Record<string, Claim> = { ...claimsOf(head) };
  const confirmed: Record<string, number> = { ...head.confirmed };
  const stale: Pointer[] = [];
  if (at.late || result.status === 'error') {
    if (result.status === 'error')
      for (const [key, { call }] of Object.entries(claims)) if (call === intent.call) delete claims[key];
    return { confirmed, claims, delta: [], state };
  }
  for (const spec of skill.confirmations.filter(({ after }) => after.includes(intent.action.tool))) {
    const found = subjectOf(session, spec, intent.action.args, result);
    if (!found.ok && result.status !== 'ok') continue;
    const subject = found.ok ? found.value : { call: intent.call };
    const key = claimKey(spec.name, subject);
    const before = claims[key];
    if (before?.path != null && Object.hasOwn(confirmed, key)) stale.push(before.path);
    delete confirmed[key];
    claims[key] = {
      name: spec.name,
      subject,
      call: intent.call,
      step: intent.step,
      seq: at.seq,
      path: null,
      checked: false,
    };
  }
  return { confirmed, claims, ...reset(session, state, stale) };
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
