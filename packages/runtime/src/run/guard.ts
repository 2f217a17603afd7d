import { actionHash, businessKey } from '../action/intent.ts';
import { canonicalJson, sha256 } from '../json/text.ts';
import type {
  Action,
  Intent,
  Issue,
  Json,
  JsonObject,
  Notice,
  RunHead,
  ToolResult,
  ToolSpec,
} from '../types.ts';
import { nextSeq, type Session } from './session.ts';

/** What a business key already led to, newest last. */
type Made = {
  readonly key: string;
  readonly tool: string;
  readonly call: string;
  readonly step: number;
  /** Of the event that holds its result: an old result comes back into a prompt only when it is asked for (R1). */
  readonly seq: number;
};

/** A plan that a tool made in this run: only its hash commits it. */
type Plan = { readonly commit: string; readonly hash: string; readonly step: number };

const MOST_MADE = 200;
const MOST_PLANS = 16;

function madeOf(head: RunHead): readonly Made[] {
  return (head.facts['made'] ?? []) as unknown as readonly Made[];
}

function plansOf(head: RunHead): readonly Plan[] {
  return (head.facts['plans'] ?? []) as unknown as readonly Plan[];
}

/**
 * Loop guards (R11): a second call with a business key that already led to something is refused with the address of the first's result,
 * a call whose earlier twin may have taken effect waits for a read-back, and a plan is committed only by its hash.
 */
export function guardRefusals(session: Session, action: Action): Issue[] {
  const spec = session.toolset.specs.find(({ name }) => name === action.tool);
  if (spec === undefined) return [];
  return [
    ...unresolvedTwin(session, action, spec),
    ...alreadyMade(session, action, spec),
    ...unplanned(session, action, spec),
  ];
}

function unresolvedTwin(session: Session, action: Action, spec: ToolSpec): Issue[] {
  if (session.head.unresolved.length === 0) return [];
  const hash = actionHash(action);
  const twin = session.head.unresolved.find((intent) => intent.hash === hash);
  if (twin === undefined || spec.idempotent || spec.declaration.key?.from !== undefined) return [];
  const hint =
    `the same call (${twin.call}, step ${twin.step}) may already have taken effect; its outcome is unknown. ` +
    'Read the world first; only a person can allow the repeat';
  return [{ code: 'action.unresolved', path: '/action', hint }];
}

function alreadyMade(session: Session, action: Action, spec: ToolSpec): Issue[] {
  const key = businessKey(action, spec);
  if (key === null) return [];
  const first = madeOf(session.head).find((made) => made.key === key);
  if (first === undefined) return [];
  const hint = `${first.tool} was already called for this (${spec.declaration.key?.from}) in step ${first.step} (${first.call}); what it gave is in e${first.seq} (read_payload opens it): use that, do not make it again`;
  return [{ code: 'action.repeated', path: '/action', hint }];
}

function unplanned(session: Session, action: Action, spec: ToolSpec): Issue[] {
  const makers = session.toolset.specs.filter(({ declaration }) => declaration.plan?.commit === spec.name);
  const argument = makers[0]?.declaration.plan?.argument;
  if (argument === undefined) return [];
  const given = action.args[argument];
  const plans = plansOf(session.head).filter(({ commit }) => commit === spec.name);
  if (plans.some(({ hash }) => hash === given)) return [];
  const known =
    plans.length === 0
      ? `no plan was made in this run; call ${makers.map(({ name }) => name).join(' or ')} first`
      : `plans: ${plans.map(({ hash }) => hash).join(', ')}`;
  const hint = `${argument} must be the hash of a plan made in this run and not yet committed (${known})`;
  return [{ code: 'action.plan', path: `/action/args/${argument}`, hint }];
}

/** What later calls are guarded with, as part of the outcome's commit. A new plan's hash is announced. */
export function guardFacts(
  session: Session,
  intent: Intent,
  result: ToolResult,
  note: string,
): { readonly facts: JsonObject; readonly notices: readonly Notice[] } {
  const { head } = session;
  const spec = session.toolset.specs.find(({ name }) => name === intent.action.tool);
  if (spec === undefined || result.status === 'error' || note === 'reused')
    return { facts: head.facts, notices: [] };
  const plan = result.status === 'ok' ? planOf(session, intent, result, spec) : null;
  const plans = remainingPlans(plansOf(head), intent, session.toolset.specs);
  const notices: Notice[] =
    plan === null
      ? []
      : [
          {
            kind: 'run',
            text: `plan ${plan.hash} is made; ${plan.commit} with ${spec.declaration.plan?.argument} ${plan.hash} commits exactly it`,
          },
        ];
  const facts = {
    ...head.facts,
    ...listFact('plans', head, plan === null ? plans : [...plans, plan].slice(-MOST_PLANS)),
    ...listFact('made', head, madeAfter(session, intent, result, spec)),
  };
  return { facts, notices };
}

function listFact(name: string, head: RunHead, list: readonly unknown[]): JsonObject {
  return list.length === 0 && head.facts[name] === undefined ? {} : { [name]: list as Json };
}

/** The plan's own hash where its result has one under the commit's argument, else SHA-256 over the RFC 8785 text of the result. */
function planOf(session: Session, intent: Intent, result: ToolResult, spec: ToolSpec): Plan | null {
  const declared = spec.declaration.plan;
  if (declared === undefined) return null;
  const value = session.redactor.json(result.structured ?? result.text);
  const named =
    value !== null && typeof value === 'object' ? (value as JsonObject)[declared.argument] : undefined;
  const hash = typeof named === 'string' && named.length <= 200 ? named : sha256(canonicalJson(value));
  return { commit: declared.commit, hash, step: intent.step };
}

/** A plan is committed once. */
function remainingPlans(plans: readonly Plan[], intent: Intent, specs: readonly ToolSpec[]): readonly Plan[] {
  const argument = specs.find(({ declaration }) => declaration.plan?.commit === intent.action.tool)
    ?.declaration.plan?.argument;
  if (argument === undefined) return plans;
  return plans.filter(
    ({ commit, hash }) => commit !== intent.action.tool || hash !== intent.action.args[argument],
  );
}

/** What was made may be gone after a destructive call; from then on the server's own deduplication by key decides. */
function madeAfter(session: Session, intent: Intent, result: ToolResult, spec: ToolSpec): readonly Made[] {
  if (spec.destructive) return [];
  const made = madeOf(session.head);
  if (spec.declaration.key?.from === undefined || result.status !== 'ok') return made;
  const { key, call, step, action } = intent;
  const first = { key, tool: action.tool, call, step, seq: nextSeq(session) };
  return [...made.filter((other) => other.key !== key), first].slice(-MOST_MADE);
}
