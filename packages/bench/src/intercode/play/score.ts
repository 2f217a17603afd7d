import { rejectionsOf, totalsOf } from '../../harness/totals.ts';
import type { Failure } from '../../outcome/outcome.ts';
import { knownBadTasks } from '../availability.ts';
import { pinnedRevision } from '../tasks.ts';
import type { CtfOptions, Finished } from './episode.ts';
import type { CtfEnd, CtfResult } from './result.ts';

/** The result of an episode: whether the flag was found, and who is to blame where it was not. */
export function ctfResult(
  options: CtfOptions,
  key: string,
  finished: Finished,
  timing: { readonly startedAt: string; readonly wallMs: number },
): CtfResult {
  const { recorder, report, acts, episode, compressor } = finished;
  const { calls, steps, parts, sources, at, ms } = recorder;
  const showsState = options.arm.strategy === 'state' || options.arm.strategy === 'state-paper';
  const ended = endOf(options, finished);
  const reward = episode.score();
  return {
    v: 1,
    benchmark: 'intercode-ctf',
    key,
    ...requestOf(options),
    ended,
    reason: report.reason,
    reward,
    failure: reward === 1 ? null : blame(options, finished, ended),
    actions: acts.map(({ command, step, shown: text }) => ({
      command,
      exitCode: step.command?.exitCode ?? null,
      shownChars: text.length,
    })),
    steps,
    calls,
    parts: parts.records,
    rejections: rejectionsOf(calls),
    totals: totalsOf(calls, steps, { showsState }),
    tokensBy: sources.has('counted') || !sources.has('provider') ? options.tokensBy : 'provider',
    compressor,
    timing: { ...timing, at, ms },
  };
}

function requestOf({ data, task, trial, mode, port, network, arm, model, steps, retries }: CtfOptions) {
  return {
    revision: pinnedRevision,
    data: { sha256: data.sha256, pinned: data.pinned },
    mode,
    sandbox: port.name,
    network,
    task,
    trial,
    arm,
    model: model.facts,
    limits: { steps, retries },
    knownBad: knownBadTasks.includes(task),
  };
}

function endOf({ steps }: CtfOptions, { episode, acts, report, recorder }: Finished): CtfEnd {
  const last = acts.at(-1)?.step;
  if (episode.score() === 1) return 'found';
  if (last !== undefined && last.raises !== null) return 'raised';
  if (last !== undefined && last.done && last.submitted === null) return 'skipped';
  if (recorder.failure !== null) return 'broken';
  return report.steps >= steps ? 'steps' : 'refused';
}

function blame({ steps, task }: CtfOptions, { acts, recorder, report }: Finished, ended: CtfEnd): Failure {
  const { failure, calls } = recorder;
  if (failure !== null) return { who: 'provider', why: `${failure.code}: ${failure.hint}` };
  if (ended === 'refused' && (calls.at(-1)?.replyChars ?? 0) === 0)
    return { who: 'provider', why: 'the model answered with nothing' };
  const raised = acts.at(-1)?.step.raises ?? null;
  if (raised !== null) return { who: 'harness', why: `the original's run ends here with ${raised}` };
  if (knownBadTasks.includes(task)) return { who: 'harness', why: 'the recorded flag of this task is wrong' };
  if (ended === 'refused') return { who: 'agent', why: report.reason };
  if (ended === 'skipped') return { who: 'agent', why: 'gave up' };
  const wrong = acts.filter(({ step }) => step.submitted !== null).length;
  return { who: 'agent', why: `no right flag in ${steps} steps, ${wrong} wrong ones` };
}
