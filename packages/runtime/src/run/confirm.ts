import { checkAction } from '../action/check.ts';
import { createIntent } from '../action/intent.ts';
import { perform } from '../action/perform.ts';
import { confirm, type Confirmation, type ReadBack } from '../confirm/confirm.ts';
import { resultValue } from '../confirm/scope.ts';
import { compileExpression } from '../json/expression.ts';
import { resolvePatch } from '../state/resolve.ts';
import type {
  ConfirmationSpec,
  Delta,
  EventBody,
  Intent,
  Issue,
  Json,
  JsonObject,
  Notice,
  RunHead,
  Subject,
  ToolResult,
} from '../types.ts';
import { claimKey, mark, openSubjects, subjectOf } from './claims.ts';
import { recordedCall } from './recorded.ts';
import { commit, keepText, record, type Session } from './session.ts';
import { outcomeNote, settle } from './settle.ts';

/** A write that happened, or may have. */
type Call = {
  readonly action: Intent['action'];
  readonly call: string;
  readonly step: number;
  readonly result: ToolResult;
  readonly wroteAt: number;
  readonly notBefore: number;
};

/**
 * Runs the confirmations that follow this call (R12). A confirmed field is committed (`confirm`); a failed or unusable read
 * changes no field and becomes a notice. An effect of unknown outcome is decided by it, in the same commit.
 */
export async function confirmEffects(session: Session, intent: Intent, result: ToolResult): Promise<void> {
  if (result.status === 'error') return;
  const { action, call, step, deadline } = intent;
  const notBefore = result.status === 'unknown' ? deadline : 0;
  const write: Call = { action, call, step, result, wroteAt: session.clock.now(), notBefore };
  for (const spec of session.skill.confirmations) {
    if (spec.after.includes(action.tool) && !session.abort.signal.aborted)
      await confirmOne(session, spec, write);
  }
}

/**
 * Reads again for every write that is still unconfirmed: what a dead driver left unread (`unread`), or all of it before the
 * run may finish. True where something was decided.
 */
export async function recheckClaims(session: Session, which: 'unread' | 'all'): Promise<boolean> {
  let decided = false;
  for (const [key, claim] of openSubjects(session.subjects)) {
    const spec = session.skill.confirmations.find(({ name }) => name === claim.name);
    if (spec === undefined || (which === 'unread' && claim.checked) || session.abort.signal.aborted) continue;
    const write = await writeOf(session, claim);
    if (write === null) continue;
    const open = session.head.unresolved.length;
    const done = await confirmOne(session, spec, write);
    const confirmed = session.subjects.get(key)?.confirmed != null;
    decided ||= done || confirmed || session.head.unresolved.length < open;
  }
  return decided;
}

async function writeOf(session: Session, claim: Subject): Promise<Call | null> {
  const recorded = await recordedCall(session, claim.call, claim.seq);
  if (recorded === null) return null;
  const pending = session.head.unresolved.find(({ call }) => call === claim.call);
  const { action, result, endedAt } = recorded;
  return {
    action,
    call: claim.call,
    step: claim.step,
    result,
    wroteAt: endedAt,
    notBefore: pending?.deadline ?? 0,
  };
}

/** True where it was decided: confirmed, or proven absent. */
async function confirmOne(session: Session, spec: ConfirmationSpec, write: Call): Promise<boolean> {
  const { action, result, wroteAt, notBefore } = write;
  const claim = session.subjects.values().find(({ name, call }) => name === spec.name && call === write.call);
  const said =
    claim === undefined
      ? subjectOf(session, spec, action.args, result)
      : { ok: true as const, value: claim.subject };
  if (!said.ok)
    return unconfirmed(
      session,
      spec,
      write,
      { call: write.call },
      { kind: 'unchecked', reads: [], issues: said.issues },
    );
  const subject = said.value;
  const facts = session.redactor.json({
    args: action.args,
    result: resultValue(result),
    state: session.state,
  });
  const outcome = await confirm(
    spec,
    facts,
    { wroteAt, notBefore },
    {
      read: (tool, args) => readBack(session, write.step, tool, args),
      clock: session.clock,
      signal: session.abort.signal,
    },
  );
  if (session.abort.signal.aborted) return false;
  if (outcome.kind !== 'confirmed') return unconfirmed(session, spec, write, subject, outcome);
  return confirmed(session, spec, write, subject, outcome);
}

/** One call of a reading tool: never of one that may change something, and never through the journal. */
async function readBack(session: Session, step: number, name: string, args: JsonObject): Promise<ToolResult> {
  const tool = session.toolset.find(name);
  if (tool === undefined) return { status: 'error', text: `${name} is not available now` };
  if (!tool.readOnly)
    return { status: 'error', text: `${name} is not read-only; a confirmation may only read` };
  const checked = checkAction({ tool: name, args }, session.toolset.specs, session.state);
  if (!checked.ok)
    return { status: 'error', text: checked.issues.map(({ path, hint }) => `${path}: ${hint}`).join('; ') };
  const now = (): number => session.clock.now();
  const intent = createIntent(session.head.run, step, checked.value.action, tool, null, now());
  const result = await perform(tool, intent, session.head.run, session.abort.signal, now);
  const { structured } = result;
  const text = session.redactor.text(result.text);
  return {
    status: result.status,
    text,
    ...(structured === undefined ? {} : { structured: session.redactor.json(structured) }),
  };
}

type Confirmed = Extract<Confirmation, { kind: 'confirmed' }>;
type Unconfirmed = Exclude<Confirmation, Confirmed>;

async function confirmed(
  session: Session,
  spec: ConfirmationSpec,
  write: Call,
  subject: Json,
  outcome: Confirmed,
): Promise<boolean> {
  const { path, value, reads } = outcome;
  const patch = { dialect: 'operations', value: [{ op: 'set', path, value }] } as const;
  const resolved = resolvePatch(session.contract, session.state, patch, { actor: 'runtime', coerce: false });
  if (!resolved.ok)
    return unconfirmed(session, spec, write, subject, { kind: 'unchecked', reads, issues: resolved.issues });
  const { delta, state } = resolved.value;
  const seq = record(session, body(session, 'confirmed', spec, write, subject, reads, [], delta));
  const key = claimKey(spec.name, subject);
  const { call, step } = write;
  const before = session.subjects.get(key) ?? { name: spec.name, subject, call, step, seq };
  mark(session, key, { ...before, path, checked: true, confirmed: seq });
  const change: Partial<RunHead> = delta.length > 0 ? { repeat: { hashes: [], warned: false } } : {};
  const pending = session.head.unresolved.find(({ call }) => call === write.call);
  if (pending === undefined) await commit(session, 'confirm', change, state);
  else {
    session.head = { ...session.head, ...change };
    session.state = state;
    const text = `took effect: ${spec.name} is confirmed (event ${seq})`;
    await settle(session, pending, { status: 'ok', text }, outcomeNote(`decided by ${spec.name}`, true));
  }
  return true;
}

/** Nothing is committed to the state. What is proven absent settles an unknown effect as failed. */
async function unconfirmed(
  session: Session,
  spec: ConfirmationSpec,
  write: Call,
  subject: Json,
  outcome: Unconfirmed,
): Promise<boolean> {
  const issues = outcome.issues
    .slice(0, 20)
    .map((issue) => ({ ...issue, hint: session.redactor.text(issue.hint) }));
  const seq = record(session, body(session, 'unconfirmed', spec, write, subject, outcome.reads, issues, []));
  const absent = outcome.kind === 'failed' && outcome.absent;
  const pending = session.head.unresolved.find(({ call }) => call === write.call);
  if (absent && pending !== undefined) {
    const text = `did not take effect: ${spec.name} found it absent (event ${seq})`;
    await settle(session, pending, { status: 'error', text }, outcomeNote(`decided by ${spec.name}`, true));
    return true;
  }
  const destroyed = absent && session.toolset.find(write.action.tool)?.destructive === true;
  const key = claimKey(spec.name, subject);
  const before = session.subjects.get(key);
  if (before !== undefined) mark(session, key, destroyed ? null : { ...before, path: null, checked: true });
  const what = shortSubject(spec, subject);
  const others = session.head.notices.filter(
    (one) => !(one.kind === 'confirm' && one.text.startsWith(`${what} `)),
  );
  const notices = [...others, notice(what, outcome.kind, issues, seq)];
  await commit(session, 'confirm', { notices });
  return destroyed;
}

function body(
  session: Session,
  type: 'confirmed' | 'unconfirmed',
  spec: ConfirmationSpec,
  write: Call,
  subject: Json,
  reads: readonly ReadBack[],
  issues: readonly Issue[],
  delta: Delta,
): EventBody {
  const evidence = reads.map(({ tool, args, at, result }) => ({
    tool,
    args,
    at,
    result: keepText(session, evidenceText(result)),
  }));
  return {
    type,
    step: write.step,
    call: write.call,
    name: spec.name,
    subject,
    reads: evidence,
    issues,
    delta,
  };
}

function evidenceText(result: ToolResult): string {
  const text = result.structured === undefined ? result.text : JSON.stringify(result.structured);
  return result.status === 'ok' ? text : `${result.status}: ${text}`;
}

function shortSubject({ name }: ConfirmationSpec, subject: Json): string {
  return `${name} ${JSON.stringify(subject).slice(0, 80).toWellFormed()}`;
}

function notice(what: string, kind: Unconfirmed['kind'], issues: readonly Issue[], seq: number): Notice {
  const verdict =
    kind === 'failed'
      ? 'is not confirmed'
      : 'could not be checked, which is neither success nor failure: do not repeat the action for that';
  const why = issues.map(({ hint }) => hint).join('; ');
  return { kind: 'confirm', text: `${what} ${verdict} (event ${seq}): ${why}` };
}

/**
 * Required confirmations that are missing (R13): every written subject must be confirmed, and at least one where the skill
 * requires the confirmation always, or where its condition holds for the state.
 */
export function missingConfirmations(session: Session, state: JsonObject): Issue[] {
  return session.skill.confirmations
    .filter(({ required }) => isRequired(required, state))
    .flatMap((spec) => {
      const open = openSubjects(session.subjects).filter(([, { name }]) => name === spec.name);
      const any = session.subjects
        .values()
        .some(({ name, confirmed }) => name === spec.name && confirmed !== null);
      if (open.length === 0)
        return any
          ? []
          : [
              missing(
                `${spec.name}: nothing is confirmed yet. It is confirmed after ${spec.after.join(' or ')}, by reading back`,
              ),
            ];
      return open
        .slice(0, 10)
        .map(([, { subject, step, call }]) =>
          missing(
            `${shortSubject(spec, subject)} was written in step ${step} (${call}) and is not confirmed: ${hints(spec)}`,
          ),
        );
    });
}

function hints(spec: ConfirmationSpec): string {
  return `the read-back by ${spec.reads.map(({ tool }) => tool).join(', ')} must pass its checks`;
}

function missing(hint: string): Issue {
  return { code: 'confirm.missing', path: '/action', hint };
}

function isRequired(required: ConfirmationSpec['required'], state: JsonObject): boolean {
  if (typeof required === 'boolean') return required;
  const expression = compileExpression(required);
  return expression.ok && expression.value.holds({ state });
}
