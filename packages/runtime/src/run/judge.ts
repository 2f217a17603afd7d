import { checkAction } from '../action/check.ts';
import { compileExpression } from '../json/expression.ts';
import { resolvePatch, resolvePending, type Resolved } from '../state/resolve.ts';
import type { Action, Issue, JsonObject, ModelReply, Result, StrategyInput, Transition } from '../types.ts';
import { missingConfirmations } from './confirm.ts';
import { guardRefusals } from './guard.ts';
import type { Session } from './session.ts';
import { waitRefusals } from './wait.ts';

/** What the runtime decided about one reply that it accepts: Σ', its delta, and the action to take. */
export type Verdict = {
  readonly transition: Transition;
  readonly resolved: Resolved;
  readonly action: Action;
  readonly remarks: readonly string[];
};

/**
 * Validates one reply: exactly one transition (R5), a patch whose whole result is valid (R6 to R8), an action that may
 * run. Pure but for the session it reads. Every problem is reported at once; nothing is half-applied.
 */
export function judge(
  session: Session,
  reply: ModelReply & { ok: true },
  input: StrategyInput,
): Result<Verdict> {
  const parsed = session.strategy.parse(reply, input);
  if (!parsed.ok) return parsed;
  const { transition } = parsed.value;
  const resolved = resolveFor(session, transition);
  const candidate = resolved.ok ? resolved.value.state : session.state;
  const checked = checkAction(transition.action, input.tools, candidate);
  const issues: Issue[] = [...(resolved.ok ? [] : resolved.issues), ...(checked.ok ? [] : checked.issues)];
  if (checked.ok) issues.push(...actionRefusals(session, checked.value.action, candidate));
  if (!resolved.ok || !checked.ok || issues.length > 0) return { ok: false, issues };
  const remarks = [...parsed.value.remarks, ...resolved.value.remarks, ...checked.value.remarks];
  return { ok: true, value: { transition, resolved: resolved.value, action: checked.value.action, remarks } };
}

/** `finish` succeeds by being accepted: with it, fields that wait for success are part of the same commit (R10). */
function resolveFor({ contract, state, skill }: Session, { patch, action }: Transition): Result<Resolved> {
  const first = resolvePatch(contract, state, patch, { actor: 'model', coerce: skill.coerce });
  if (!first.ok || first.value.pending === null || action.tool !== 'finish') return first;
  const rest = resolvePending(contract, first.value.state, first.value.pending);
  if (!rest.ok) return rest;
  const { remarks } = first.value;
  return { ok: true, value: { ...rest.value, remarks, delta: [...first.value.delta, ...rest.value.delta] } };
}

function actionRefusals(session: Session, action: Action, candidate: JsonObject): Issue[] {
  if (action.tool === 'finish') return finishRefusals(session, candidate);
  return [...waitRefusals(action), ...guardRefusals(session, action)];
}

/** `finish` waits for the skill's `done` and for required confirmations (R13). */
function finishRefusals(session: Session, candidate: JsonObject): Issue[] {
  const { done } = session.skill;
  if (done === null) return missingConfirmations(session, candidate);
  const expression = compileExpression(done);
  if (expression.ok && expression.value.holds({ state: candidate }))
    return missingConfirmations(session, candidate);
  const hint = `finish is refused until this holds for the state: ${done}`;
  return [{ code: 'action.not_done', path: '/action', hint }, ...missingConfirmations(session, candidate)];
}

/** Whether only a look at the world stands between this verdict and the end of the run. */
export function waitsForReading(session: Session, verdict: Result<Verdict>): boolean {
  if (!verdict.ok) return verdict.issues.every(({ code }) => code === 'confirm.missing');
  return verdict.value.action.tool === 'finish' && session.head.unresolved.length > 0;
}
