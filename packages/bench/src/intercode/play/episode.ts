import {
  canonicalJson,
  createRuntime,
  type Json,
  openSqliteStore,
  type RunReport,
  sha256,
  type Store,
} from '@skillstate/runtime';
import type { BenchModel, EpisodeModel } from '../../harness/model.ts';
import { createRecorder, type Recorder } from '../../harness/recorder.ts';
import type { ArmSpec } from '../../harness/result.ts';
import { withFields } from '../../outcome/fields.ts';
import type { Measure } from '../../strategy/budget.ts';
import { createArm } from '../../strategy/create.ts';
import { type CtfEpisode, type CtfMode, openEpisode } from '../episode.ts';
import type { SandboxPort } from '../port.ts';
import { type CtfData, pinnedRevision } from '../tasks.ts';
import type { CtfResult } from './result.ts';
import { ctfResult } from './score.ts';
import { ctfSkill } from './skill.ts';
import { type CtfAct, openBash } from './tool.ts';

export type CtfOptions = {
  readonly data: CtfData;
  readonly task: number;
  readonly trial: number;
  readonly mode: CtfMode;
  readonly port: SandboxPort;
  readonly network: boolean;
  readonly arm: ArmSpec;
  /** Most commands; the original's script has 10. */
  readonly steps: number;
  readonly retries: number;
  readonly model: BenchModel;
  readonly tokens: Measure;
  readonly tokensBy: 'counted' | 'estimated';
  readonly store?: Store;
};

/** Names an episode: the same for the same request, model, mode and data, in every process. */
export function ctfKey({
  data,
  task,
  trial,
  mode,
  port,
  network,
  arm,
  steps,
  retries,
  model,
}: CtfOptions): string {
  const about = {
    revision: pinnedRevision,
    sha256: data.sha256,
    task,
    trial,
    mode,
    sandbox: port.name,
    network,
  };
  const facts = { ...about, arm, steps, retries, model: model.facts } as unknown as Json;
  return `ctf-${task}-${mode}-${arm.id}-${trial}-${sha256(canonicalJson(facts)).slice(0, 12)}`;
}

/** What an episode left behind. */
export type Finished = {
  readonly episode: CtfEpisode;
  readonly acts: readonly CtfAct[];
  readonly recorder: Recorder;
  readonly compressor: string | null;
  readonly report: RunReport;
};

/**
 * Runs one task on the runtime: its query is the first O, each command one step of the environment, in a sandbox that
 * holds a copy of the task's files and nothing else. The right flag or `skip` ends it. Throws where the sandbox cannot
 * be opened, and for misuse.
 */
export async function playCtf(options: CtfOptions): Promise<CtfResult> {
  const { data, task, mode, port, network, model } = options;
  const opened = await openEpisode(data, task, { mode, port, network });
  if (!opened.ok) throw new Error(`task ${task} cannot be started: ${opened.problem.hint}`);
  const store = options.store ?? (await openSqliteStore(':memory:', { durability: 'process' }));
  const key = ctfKey(options);
  const startedAt = new Date().toISOString();
  const started = performance.now();
  const asked = await model.open(key);
  try {
    const finished = await play(options, store, key, asked, opened.episode);
    return ctfResult(options, key, finished, { startedAt, wallMs: Math.round(performance.now() - started) });
  } finally {
    await asked.close();
    await opened.episode.close();
    if (options.store === undefined) await store.close();
  }
}

/** A fixed day in which every command takes a minute, so that prompts are the same in every process. */
const DAY = Date.UTC(2026, 0, 5, 8);

async function play(
  options: CtfOptions,
  store: Store,
  key: string,
  asked: EpisodeModel,
  episode: CtfEpisode,
): Promise<Finished> {
  const { mode, steps, retries, model, tokens } = options;
  const acts: CtfAct[] = [];
  const clock = { now: () => DAY + acts.length * 60_000, sleep: () => Promise.resolve() };
  const { strategy, layout, compressor } = createArm(options.arm, { tokens });
  const recorder = createRecorder({ tokens, turn: () => acts.length, stuck: () => false });
  const bash = openBash(episode, async (run, act) => {
    acts.push(act);
    if (!isOver(act)) return;
    await store.send(run, {
      at: clock.now(),
      kind: 'cancel',
      from: 'environment',
      body: { why: 'the task is over' },
    });
  });
  const runtime = createRuntime({
    store,
    model: recorder.model(model, asked),
    strategy: recorder.strategy(withFields(strategy)),
    tools: [bash],
    clock,
    listen: recorder.listen,
  });
  const skill = ctfSkill({ mode, layout, retries, steps });
  let report = await runtime.start(skill, { run: key, input: episode.query });
  while (report.status === 'waiting' && recorder.failure === null && report.steps < steps) {
    await runtime.send(key, 'Nothing will come: go on.', 'environment');
    report = await runtime.resume(key);
  }
  return { episode, acts, recorder, compressor, report };
}

/** The right flag and `skip` end an episode; the original goes on after a wrong flag, and ends where it raises. */
function isOver({ step }: CtfAct): boolean {
  return step.raises !== null || (step.done && (step.reward === 1 || step.submitted === null));
}
