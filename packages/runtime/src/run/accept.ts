import { isBuiltin } from '../action/builtin.ts';
import { createIntent } from '../action/intent.ts';
import { jsonBytes } from '../state/size.ts';
import type { Action, Intent, Json, Notice, RunHead, StrategyInput, ToolSpec } from '../types.ts';
import { approvalNeeded, askApproval } from './approval.ts';
import type { Answer } from './ask.ts';
import type { Verdict } from './judge.ts';
import { observationRef } from './observe.ts';
import { commit, keepText, record, type Session } from './session.ts';
import { stopBody } from './stop.ts';
import { waitingChange } from './wait.ts';

/**
 * The commit point `accept` (R10): Σ', the event and the intent to act in one transaction, together with the previous
 * read's result. Only after it returns may the action run.
 */
export async function accept(
  session: Session,
  input: StrategyInput,
  answer: Answer,
  verdict: Verdict,
): Promise<void> {
  const { resolved, action } = verdict;
  const step = input.observation.step;
  const intent = intentFor(session, action, step, resolved.pending);
  recordStep(session, input, answer, verdict, intent);
  if (session.strategy.history)
    session.turns.push({ observation: answer.prompt.observed, response: answer.reply.text });
  const progressed = resolved.delta.length > 0 || input.observation.messages.length > 0;
  const change: Partial<RunHead> = {
    step,
    intent,
    result: null,
    resultSeq: null,
    messages: [],
    rejections: 0,
    rejected: null,
    notices: fullNotices(resolved.full),
    repeat: progressed ? { hashes: [], warned: false } : session.head.repeat,
  };
  await commit(session, 'accept', { ...change, ...consequence(session, action, intent) }, resolved.state);
}

function recordStep(
  session: Session,
  input: StrategyInput,
  answer: Answer,
  verdict: Verdict,
  intent: Intent,
): void {
  const { transition, resolved, action, remarks } = verdict;
  const turn = { observation: answer.prompt.observed, response: answer.reply.text };
  record(session, {
    type: 'step.accepted',
    step: intent.step,
    observation: observationRef(session, input.observation),
    notices: input.notices,
    reasoning: keepText(session, transition.reasoning),
    patch: transition.patch.value as Json,
    delta: resolved.delta,
    action,
    call: intent.call,
    remarks,
    usage: answer.prompt.usage,
    promptBytes: answer.prompt.bytes,
    stateBytes: jsonBytes(resolved.state),
    atCap: session.head.rejections + 1 >= session.skill.limits.rejections,
    turn: session.strategy.history ? keepText(session, JSON.stringify(turn)) : null,
  });
}

function intentFor(session: Session, action: Action, step: number, pending: Intent['pending']): Intent {
  const spec = session.toolset.specs.find((tool) => tool.name === action.tool) as ToolSpec;
  const { run, startedAt } = session.head;
  // A later run of the same name is another run: its calls must not meet the keys of this one (P32).
  return createIntent(`${run} ${startedAt}`, step, action, spec, pending, session.clock.now());
}

/** What else the same commit says: the run is finished, waits for a time or message, or waits for a person. */
function consequence(session: Session, action: Action, intent: Intent): Partial<RunHead> {
  if (action.tool === 'finish') return finishChange(session, action);
  if (action.tool === 'wait') return waitingChange(session.head.run, action, intent.startedAt);
  if (!isBuiltin(action.tool) && approvalNeeded(session, intent)) return askApproval(session, intent);
  return {};
}

function finishChange(session: Session, action: Action): Partial<RunHead> {
  const summary = typeof action.args['summary'] === 'string' ? action.args['summary'] : 'the skill finished';
  const open = session.head.unresolved;
  const names = open.map((intent) => `${intent.call} ${intent.action.tool}`).join(', ');
  const { body, change } =
    open.length === 0
      ? stopBody('finished', { code: 'run.finished', path: '', hint: summary })
      : stopBody('needs_attention', {
          code: 'run.unresolved_effects',
          path: '',
          hint: `finished, but whether these took effect is unknown: ${names}; check them, then: skillstate settle ${session.head.run} CALL --happened|--not-happened`,
        });
  record(session, body);
  return { ...change, intent: null };
}

function fullNotices(full: Verdict['resolved']['full']): Notice[] {
  return full.map(({ path, used, limit }) => ({
    kind: 'full',
    text: `${path} is nearly full: ${used} of ${limit} bytes; shorten it before it is refused`,
  }));
}
