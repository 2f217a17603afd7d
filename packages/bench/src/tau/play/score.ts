import type { Json, JsonObject, RunReport } from '@skillstate/runtime';
import type { Recorder } from '../../harness/recorder.ts';
import { rejectionsOf, totalsOf } from '../../harness/totals.ts';
import { contentOf, respondAction, type TauAction } from '../call.ts';
import type { TauEnvironment, TraceEntry } from '../environment.ts';
import type { Split } from '../task.ts';
import { knownBadTasks } from '../gold.ts';
import { dictFromPlain, toPlain } from '../python/value.ts';
import { replayGold } from '../reward.ts';
import { type DomainName, transferTool } from '../tool.ts';
import { verifyOutcome } from '../verified.ts';
import type { TauOptions } from './episode.ts';
import type { TauEnd, TauResult } from './result.ts';
import type { Failure } from '../../outcome/outcome.ts';
import { type EpisodeUser, isUserProblem } from './user.ts';

/** An episode that came to rest. */
export type Finished = {
  readonly environment: TauEnvironment;
  readonly user: EpisodeUser;
  readonly recorder: Recorder;
  readonly compressor: string | null;
  readonly opening: string | null;
  /** null: the user never opened the conversation. */
  readonly report: RunReport | null;
  readonly state: JsonObject;
  /** The user or a hand-off ended it. */
  readonly over: boolean;
  /** What the environment or the user threw. */
  readonly error: unknown;
};

/** The result of an episode: the official reward, our verified outcome beside it, and who is to blame for a 0. */
export function tauResult(
  options: TauOptions,
  key: string,
  finished: Finished,
  timing: { readonly startedAt: string; readonly wallMs: number },
): TauResult {
  const { recorder, report, compressor, opening, environment } = finished;
  const official = environment.score();
  const reward = finished.over ? official.reward : 0;
  const ended = endOf(finished, options.steps);
  const counted = recorder.sources.has('counted') || !recorder.sources.has('provider');
  return {
    v: 1,
    benchmark: 'tau-bench',
    key,
    ...requestOf(options),
    ended,
    reason: report?.reason ?? messageOf(finished.error),
    official: { reward, info: toPlain(official.info) as Json },
    verified: verifiedOf(options, finished),
    failure: reward === 1 ? null : blame(options, finished, ended),
    opening,
    actions: environment.trace().map(actionOf),
    ...measured(options, recorder),
    userUsage: finished.user.spent(),
    tokensBy: counted ? options.tokensBy : 'provider',
    compressor,
    timing: { ...timing, at: recorder.at, ms: recorder.ms },
  };
}

function requestOf({ domain, split, task, trial, arm, model, user, steps, retries }: TauOptions) {
  return {
    revision: domain.revision,
    domain: domain.name,
    split,
    task: task.index,
    trial,
    arm,
    model: model.facts,
    user: user.facts(trial),
    limits: { steps, retries },
    knownBad: isKnownBad(domain.name, split, task.index),
  };
}

function isKnownBad(domain: DomainName, split: Split, task: number): boolean {
  return knownBadTasks[domain][split]?.includes(task) ?? false;
}

function verifiedOf({ domain, task }: TauOptions, { environment, state }: Finished): TauResult['verified'] {
  const episode = { database: environment.database(), trace: environment.trace(), claims: claimsOf(state) };
  const { verdict, reward, checks } = verifyOutcome(domain, task, episode);
  return { verdict, reward, failed: checks.filter((check) => !check.confirmed) };
}

function measured({ arm }: TauOptions, { calls, steps, parts }: Recorder) {
  const showsState = arm.strategy === 'state' || arm.strategy === 'state-paper';
  return {
    steps,
    calls,
    parts: parts.records,
    rejections: rejectionsOf(calls),
    totals: totalsOf(calls, steps, { showsState }),
  };
}

function actionOf({ action, observation }: TraceEntry): TauResult['actions'][number] {
  const said = action.name === respondAction ? observation : null;
  return { tool: action.name, args: toPlain(action.kwargs) as JsonObject, said };
}

/** The calls that the agent says, in Σ, that it made. */
export function claimsOf(state: JsonObject): TauAction[] {
  const claims = (state['claims'] ?? []) as readonly { readonly tool: string; readonly args: JsonObject }[];
  return claims.map(({ tool, args }) => ({ name: tool, kwargs: dictFromPlain(args) }));
}

function endOf({ environment, report, over, error }: Finished, steps: number): TauEnd {
  if (over) return environment.trace().at(-1)?.action.name === transferTool ? 'hand-off' : 'user';
  if (error !== null || report === null) return 'broken';
  return report.steps >= steps ? 'steps' : 'refused';
}

/**
 * Who is to blame for a reward of 0 (P82). `provider`: a model could not be asked or answered with nothing. `simulator`:
 * the user's model kept no form, ended the conversation before the agent could act, or went on when all was done.
 * `harness`: the environment threw, or the task's own ground truth fails. All else is the agent's.
 */
function blame(options: TauOptions, finished: Finished, ended: TauEnd): Failure {
  const { recorder, environment, error, report } = finished;
  const { failure } = recorder;
  if (failure !== null) return { who: 'provider', why: `${failure.code}: ${failure.hint}` };
  if (isUserProblem(error)) return { who: error.who, why: error.message };
  if (error !== null) return { who: 'harness', why: messageOf(error) };
  const raised = environment.trace().find(({ observation }) => observation === null);
  if (raised !== undefined)
    return { who: 'harness', why: `${raised.action.name}: the original's own step raises here` };
  if (ended === 'refused') return refusal(recorder, report);
  const inOrder = environment.database().hash() === replayGold(options.domain, options.task).hash;
  if (ended === 'user' && endedAtOnce(environment))
    return { who: 'simulator', why: 'the user ended the conversation at the agent’s first question' };
  if (ended === 'steps' && inOrder && environment.score().reward === 1)
    return { who: 'simulator', why: 'all was done, but the user did not end the conversation' };
  if (isKnownBad(options.domain.name, options.split, options.task.index))
    return { who: 'harness', why: 'the ground truth of this task is known to fail' };
  if (ended === 'steps') return { who: 'agent', why: `not done after ${options.steps} steps` };
  return {
    who: 'agent',
    why: inOrder ? 'the user was not told what was asked for' : 'the data is not as required',
  };
}

/** Replies that were refused too often; where they held nothing at all, the provider is to blame. */
function refusal(recorder: Recorder, report: RunReport | null): Failure {
  const empty = (recorder.calls.at(-1)?.replyChars ?? 0) === 0;
  if (empty) return { who: 'provider', why: 'the model answered with nothing' };
  return { who: 'agent', why: report?.reason ?? 'its replies were refused' };
}

/** A question is answered, not stopped: the agent has only asked, and the user is gone. */
function endedAtOnce(environment: TauEnvironment): boolean {
  const [first, ...rest] = environment.trace();
  return first !== undefined && rest.length === 0 && contentOf(first.action).trim().endsWith('?');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : JSON.stringify(error ?? '');
}
