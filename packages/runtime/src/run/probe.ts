import { checkAction } from '../action/check.ts';
import { renderState } from '../prompt/render.ts';
import { promptText } from '../prompt/text.ts';
import { byteLength } from '../json/wellformed.ts';
import { compileContract } from '../state/contract.ts';
import { resolvePatch } from '../state/resolve.ts';
import { transitionSchema } from '../state/transition-schema.ts';
import type {
  Dialect,
  Issue,
  JsonObject,
  Model,
  ModelReply,
  Notice,
  ReplyMode,
  Result,
  Skill,
  Strategy,
  StrategyInput,
  ToolSpec,
  Usage,
} from '../types.ts';
import { emptyUsage, sumUsage } from '../usage/usage.ts';
import { parseTransition, refusedFragment } from '../model/transition.ts';
import { type Answered, probeInput, type ProbeSituation, probeSituations } from './situations.ts';

/** What came of one situation. `issues` are those of the first reply that was refused. */
export type ProbeOutcome = {
  readonly id: string;
  /** `failed`: the provider gave no reply. */
  readonly verdict: 'accepted' | 'repaired' | 'refused' | 'failed';
  readonly issues: readonly Issue[];
  /** Why a valid answer is not a right one; null where it is, or there is none. */
  readonly wrong: string | null;
  readonly promptBytes: number;
};

type WithoutHistory = Extract<Strategy, { readonly history: false }>;
const STATE: WithoutHistory = { name: 'state', history: false, render: renderState, parse: parseTransition };

/** Rates are shares from 0 to 1 of what was asked; null where nothing counts. */
export type ProbeReport = {
  readonly model: string;
  readonly mode: ReplyMode;
  readonly dialect: Dialect;
  readonly outcomes: readonly ProbeOutcome[];
  /** Accepted at the first try, of all that were answered. */
  readonly firstTry: number | null;
  /** Accepted at the second try, of those refused at the first. */
  readonly repair: number | null;
  /** Right, of the valid answers. */
  readonly right: number | null;
  readonly usage: Usage;
};

export type ProbeOptions = {
  readonly tools: readonly ToolSpec[];
  readonly strategy?: WithoutHistory;
  readonly signal?: AbortSignal;
  readonly listen?: (outcome: ProbeOutcome) => void;
};

type Prober = {
  readonly model: Model;
  readonly strategy: WithoutHistory;
  readonly about: Pick<StrategyInput, 'skill' | 'tools' | 'mode' | 'dialect'>;
  readonly schema: JsonObject | null;
  readonly signal: AbortSignal;
  usage: Usage;
};

/**
 * Asks a model the fixed set of situations, each at most twice (the second time with the issues of the first), and reports
 * how often it was understood. Runs no tool and stores nothing. Stops at the first failure that asking again cannot help.
 */
export async function probeModel(model: Model, skill: Skill, options: ProbeOptions): Promise<ProbeReport> {
  const { mode, dialect } = model;
  const about = { skill, tools: options.tools, mode, dialect };
  const prober: Prober = {
    model,
    about,
    strategy: options.strategy ?? STATE,
    schema: schemaFor(about),
    signal: options.signal ?? new AbortController().signal,
    usage: emptyUsage(),
  };
  const outcomes: ProbeOutcome[] = [];
  for (const situation of probeSituations(skill, options.tools)) {
    const { outcome, hopeless } = await probeOne(prober, situation);
    outcomes.push(outcome);
    options.listen?.(outcome);
    if (hopeless || prober.signal.aborted) break;
  }
  return { model: model.name, mode, dialect, outcomes, ...rates(outcomes), usage: prober.usage };
}

function schemaFor({ skill, tools, mode, dialect }: Prober['about']): JsonObject | null {
  return mode === 'text' ? null : transitionSchema(skill, tools, dialect, { strict: mode === 'structured' });
}

function rates(outcomes: readonly ProbeOutcome[]): Pick<ProbeReport, 'firstTry' | 'repair' | 'right'> {
  const count = (...verdicts: ProbeOutcome['verdict'][]): number =>
    outcomes.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const valid = outcomes.filter(({ verdict }) => verdict === 'accepted' || verdict === 'repaired');
  return {
    firstTry: share(count('accepted'), count('accepted', 'repaired', 'refused')),
    repair: share(count('repaired'), count('repaired', 'refused')),
    right: share(valid.filter(({ wrong }) => wrong === null).length, valid.length),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

type Probed = { readonly outcome: ProbeOutcome; readonly hopeless: boolean };

async function probeOne(prober: Prober, situation: ProbeSituation): Promise<Probed> {
  const input = probeInput(situation, prober.about);
  const first = await ask(prober, input);
  const { id } = situation;
  const { promptBytes } = first;
  const failed = (issue: Issue, temporary: boolean): Probed => ({
    outcome: { id, verdict: 'failed', issues: [issue], wrong: null, promptBytes },
    hopeless: !temporary,
  });
  if (!first.reply.ok) return failed(first.reply.issue, first.reply.temporary);
  const verdict = judgeReply(prober.strategy, first.reply, input);
  if (verdict.ok) {
    const wrong = situation.wrong(verdict.value);
    return { outcome: { id, verdict: 'accepted', issues: [], wrong, promptBytes }, hopeless: false };
  }
  const again = await ask(prober, { ...input, notices: [rejection(first.reply, verdict.issues, input)] });
  if (!again.reply.ok) return failed(again.reply.issue, again.reply.temporary);
  const second = judgeReply(prober.strategy, again.reply, input);
  const wrong = second.ok ? situation.wrong(second.value) : null;
  const outcome = {
    id,
    verdict: second.ok ? 'repaired' : 'refused',
    issues: verdict.issues,
    wrong,
    promptBytes,
  } as const;
  return { outcome, hopeless: false };
}

function rejection(reply: ModelReply & { ok: true }, issues: readonly Issue[], input: StrategyInput): Notice {
  const left = Math.max(0, input.skill.limits.rejections - 1);
  return { kind: 'rejected', attempt: 1, left, issues, fragment: refusedFragment(reply, input) };
}

async function ask(
  prober: Prober,
  input: StrategyInput,
): Promise<{ reply: ModelReply; promptBytes: number }> {
  const prompt = prober.strategy.render(input);
  const { schema, signal } = prober;
  const reply = await prober.model.ask({
    prompt,
    schema,
    cacheKey: `probe-${input.skill.digest.slice(0, 16)}`,
    signal,
  });
  prober.usage = sumUsage(prober.usage, reply.usage);
  return { reply, promptBytes: byteLength(promptText(prompt)) };
}

/**
 * What the runtime would make of a reply, without a run: the new state and the action, or every issue (R5 to R8 and the
 * check of the action). Pure.
 */
export function judgeReply(
  strategy: Strategy,
  reply: ModelReply & { ok: true },
  input: StrategyInput,
): Result<Answered> {
  const parsed = strategy.parse(reply, input);
  if (!parsed.ok) return parsed;
  const { patch, action } = parsed.value.transition;
  const { skill, state, tools } = input;
  const resolved = resolvePatch(compileContract(skill.state), state, patch, {
    actor: 'model',
    coerce: skill.coerce,
  });
  const checked = checkAction(action, tools, resolved.ok ? resolved.value.state : state);
  if (resolved.ok && checked.ok)
    return { ok: true, value: { state: resolved.value.state, action: checked.value.action } };
  return {
    ok: false,
    issues: [...(resolved.ok ? [] : resolved.issues), ...(checked.ok ? [] : checked.issues)],
  };
}
