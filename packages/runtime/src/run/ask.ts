import { promptBytes } from '../prompt/text.ts';
import type {
  JsonObject,
  ModelReply,
  Notice,
  Observation,
  Prompt,
  RunHead,
  Skill,
  StrategyInput,
  Usage,
} from '../types.ts';
import { sumUsage } from '../usage/usage.ts';
import { commit, record, type Session } from './session.ts';

/** A reply and what it cost, with the size of the prompt that got it. */
export type Answer = {
  readonly reply: ModelReply & { ok: true };
  readonly prompt: { readonly bytes: number; readonly observed: string; readonly usage: Usage };
};

type Asked = { readonly input: StrategyInput; readonly reply: ModelReply; readonly prompt: Answer['prompt'] };

/** Renders the prompt from (P, Σ, O, notices) and asks the model once; its retries and failures go to the log. */
export async function ask(session: Session, observation: Observation): Promise<Asked> {
  const input = strategyInput(session, observation);
  const calls: Usage[] = [];
  const one = async (prompt: Prompt, schema: JsonObject | null): Promise<ModelReply> => {
    const reply = await session.model.ask({
      prompt,
      schema,
      cacheKey: session.head.run,
      signal: session.abort.signal,
      redact: (text) => session.redactor.text(text),
    });
    calls.push(reply.usage);
    return redacted(session, reply);
  };
  const prompt = await render(session, input, (asked) => one(asked, null));
  const bytes = promptBytes(prompt);
  const attempt = session.head.rejections + 1;
  session.listen({ kind: 'asking', step: observation.step, attempt, promptBytes: bytes });
  const reply = await one(prompt, session.schema);
  bill(session, observation.step, reply, calls);
  const observed = session.strategy.history ? session.strategy.observe(input) : '';
  return { input, reply, prompt: { bytes, observed, usage: sumUsage(...calls) } };
}

/** A reply or its failure is redacted before anything reads it, so that an echoed secret reaches neither Σ nor the log (R15). */
function redacted({ redactor }: Session, reply: ModelReply): ModelReply {
  const retries = reply.retries.map((retry) => ({ ...retry, hint: redactor.text(retry.hint) }));
  if (!reply.ok)
    return { ...reply, retries, issue: { ...reply.issue, hint: redactor.text(reply.issue.hint) } };
  const { text, json } = reply;
  return {
    ...reply,
    retries,
    text: redactor.text(text),
    json: json === null ? null : redactor.text(json),
  };
}

/** What the strategy is given: P, Σ, O and the notices, and nothing through which the log can be reached (R1). */
export function strategyInput(session: Session, observation: Observation): StrategyInput {
  const { skill, state, model } = session;
  const notices = noticesFor(session.head, skill, session.ledger?.view() ?? '');
  return {
    skill,
    tools: session.toolset.specs,
    state,
    observation,
    notices,
    mode: model.mode,
    dialect: model.dialect,
  };
}

/** The notices of the next prompt: a prompt shows only so many, so effects of unknown outcome come first (R11). */
export function noticesFor(head: RunHead, skill: Skill, ledgerView: string): readonly Notice[] {
  const notices: Notice[] = head.unresolved.map(({ call, action, step }) => ({
    kind: 'pending',
    text: `${call} ${action.tool} (step ${step}): started, outcome unknown; check before repeating`,
  }));
  notices.push(...head.notices);
  if (head.rejected !== null)
    notices.push({
      kind: 'rejected',
      attempt: head.rejections,
      left: Math.max(0, skill.limits.rejections - head.rejections),
      issues: head.rejected.issues,
      fragment: head.rejected.fragment,
    });
  if (ledgerView !== '') notices.push({ kind: 'ledger', text: ledgerView });
  return notices;
}

async function render(
  session: Session,
  input: StrategyInput,
  one: (prompt: Prompt) => Promise<ModelReply>,
): Promise<Prompt> {
  const { strategy } = session;
  if (!strategy.history) return strategy.render(input);
  const { prompt, memo } = await strategy.render(
    input,
    session.turns,
    session.head.facts['memo'] ?? null,
    one,
  );
  session.head = { ...session.head, facts: { ...session.head.facts, memo } };
  return prompt;
}

/** Adds every call's usage to the run's total; records retries and a final failure. */
function bill(session: Session, step: number, reply: ModelReply, calls: readonly Usage[]): void {
  const spent = sumUsage(...calls);
  const usage = sumUsage(session.head.usage, spent);
  session.head = { ...session.head, usage, costUsd: session.head.costUsd + session.price(spent) };
  if (!reply.ok)
    record(session, { type: 'model.failed', step, issue: reply.issue, retries: reply.retries, usage: spent });
  else if (reply.retries.length > 0) record(session, { type: 'model.retried', step, retries: reply.retries });
}

/**
 * A driver that was told to stop while the model answered uses no answer, but what the call used is part of the run: it is
 * committed before the driver lets go. An answer that nobody used is in the log as a call without a reply.
 */
export async function keepCost(
  session: Session,
  step: number,
  reply: ModelReply,
  usage: Usage,
): Promise<void> {
  if (usage.source === 'none' && usage.unreported === undefined) return;
  const hint = 'the driver was told to stop while the model answered; the answer was not used';
  if (reply.ok)
    record(session, {
      type: 'model.failed',
      step,
      issue: { code: 'model.aborted', path: '', hint },
      retries: [],
      usage,
    });
  await commit(session, 'stop', {});
}
