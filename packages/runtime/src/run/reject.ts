import { capText } from '../json/wellformed.ts';
import { refusedFragment } from '../model/transition.ts';
import type { Issue, StrategyInput } from '../types.ts';
import type { Answer } from './ask.ts';
import { observationRef } from './observe.ts';
import { commit, keepText, record, type Session } from './session.ts';
import { stopBody } from './stop.ts';

/**
 * A rejected reply (R9): Σ untouched, no action, the attempt recorded. The next prompt has the same O and the issues of
 * this attempt only. At the cap the run stops and asks for a person; nothing is accepted because tries ran out.
 */
export async function reject(
  session: Session,
  input: StrategyInput,
  answer: Answer,
  issues: readonly Issue[],
): Promise<void> {
  const attempt = session.head.rejections + 1;
  const whole = answer.reply.json ?? answer.reply.text;
  const { observation, notices } = input;
  const known = issues.slice(0, 50).map((issue) => ({ ...issue, hint: session.redactor.text(issue.hint) }));
  record(session, {
    type: 'step.rejected',
    step: observation.step,
    attempt,
    observation: observationRef(session, observation),
    notices,
    reply: keepText(session, whole),
    issues: known,
    usage: answer.prompt.usage,
    promptBytes: answer.prompt.bytes,
  });
  const change = {
    rejections: attempt,
    rejected: { issues: known, fragment: fragmentOf(session, input, answer, issues) },
  };
  if (attempt < session.skill.limits.rejections) return commit(session, 'reject', change);

  const first = known[0];
  const reason = `${attempt} replies in a row were rejected in step ${observation.step}; the last: ${first?.code} at ${first?.path || '/'}: ${first?.hint}`;
  const { body, change: stopped } = stopBody('needs_attention', {
    code: 'run.rejections',
    path: '',
    hint: reason,
  });
  record(session, body);
  return commit(session, 'reject', { ...change, ...stopped });
}

/** What the next prompt shows again of a refused reply: the transition it tried, never its reasoning, never a cut text (P04). */
function fragmentOf(
  session: Session,
  input: StrategyInput,
  answer: Answer,
  issues: readonly Issue[],
): string {
  if (issues.some((issue) => issue.code === 'syntax.truncated')) return '';
  if (session.strategy.history) return capText(answer.reply.text, 1024).text;
  return refusedFragment(answer.reply, input);
}
