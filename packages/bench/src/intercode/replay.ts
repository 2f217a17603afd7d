import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Availability, availabilityOf } from './availability.ts';
import { openEpisode } from './episode.ts';
import {
  type Answer,
  type Container,
  originalStep,
  parseReply,
  resolveDirectory,
  type Sent,
} from './original.ts';
import type { SandboxPort } from './port.ts';
import { type CtfData, loadIntercode } from './tasks.ts';

export interface Difference {
  where: string;
  wanted: unknown;
  got: unknown;
}

export interface Agreement {
  total: number;
  agree: number;
  /** At most `firstDifferences` of them. */
  differences: Difference[];
}

export interface SolutionReport extends Agreement {
  /** Solutions that found nothing because the data or this machine lacks something they need. */
  unavailable: { id: number; reason: string }[];
  scores: { id: number; score: 0 | 1 }[];
}

type Failed = { ok: false; problem: { code: string; path: string; hint: string } };

const firstDifferences = 10;

export interface ReplayOptions {
  port: SandboxPort;
  /** Folder of `ID.sh` scripts, or one around it. Default: `solutions` beside the task definitions. */
  solutions?: string;
  onProgress?: (id: number, score: 0 | 1) => void;
}

/**
 * Runs each solution script inside the sandbox, submits what it prints and takes the score, all through an episode in
 * mode `runtime`. A script that finds nothing counts as a difference unless its task is not available here.
 */
export async function replaySolutions(
  dir: string,
  options: ReplayOptions,
): Promise<{ ok: true; report: SolutionReport } | Failed> {
  const loaded = await loadIntercode(dir);
  if (!loaded.ok) return loaded;
  const found = await findScripts(options.solutions ?? loaded.data.root);
  if (found === null)
    return missing(options.solutions ?? loaded.data.root, 'a folder of solution scripts named ID.sh');
  const { folder, ids } = found;
  const availability = await availabilityOf(loaded.data);
  const report: SolutionReport = {
    total: ids.length,
    agree: 0,
    differences: [],
    unavailable: [],
    scores: [],
  };
  for (const id of ids) {
    const script = await readFile(join(folder, `${id}.sh`), 'utf8');
    const tried = await trySolution(loaded.data, id, script, options.port);
    record(report, id, tried, availability.get(id));
    options.onProgress?.(id, tried.score);
  }
  return { ok: true, report };
}

/** The scripts `ID.sh` in a folder, its `solutions` or its `intercode/solutions`, by id; null: there are none. */
export async function findScripts(path: string): Promise<{ folder: string; ids: number[] } | null> {
  for (const folder of [path, join(path, 'solutions'), join(path, 'intercode', 'solutions')]) {
    const names = await readdir(folder).catch((): string[] => []);
    const ids = names.flatMap((name) => /^(\d+)\.sh$/.exec(name)?.[1] ?? []).map(Number);
    if (ids.length > 0) return { folder, ids: ids.sort((a, b) => a - b) };
  }
  return null;
}

interface Tried {
  score: 0 | 1;
  seen: string;
}

async function trySolution(data: CtfData, id: number, script: string, port: SandboxPort): Promise<Tried> {
  if (!data.tasks.some((task) => task.id === id)) return { score: 0, seen: `no task ${id}` };
  const opened = await openEpisode(data, id, { mode: 'runtime', port });
  if (!opened.ok) return { score: 0, seen: opened.problem.hint };
  const { episode } = opened;
  try {
    const found = await episode.step(script);
    await episode.step(`submit ${(found.command?.output ?? '').trim()}`);
    return { score: episode.score(), seen: found.observation.slice(0, 300) };
  } finally {
    await episode.close();
  }
}

function record(
  report: SolutionReport,
  id: number,
  tried: Tried,
  availability: Availability | undefined,
): void {
  report.scores.push({ id, score: tried.score });
  if (tried.score === 1) report.agree += 1;
  else if (availability?.available === false) report.unavailable.push({ id, reason: availability.reason });
  else note(report, { where: `solution ${id}`, wanted: 'score 1', got: tried.seen });
}

/**
 * Compares mode `original` with the lines of parse, cd_path, exec and submit in a folder of vectors: `vectors` beside the
 * task definitions in `dir`, or the one at `path` or below it.
 */
export async function replayIntercodeVectors(
  dir: string,
  path?: string,
): Promise<{ ok: true; files: Record<string, Agreement> } | Failed> {
  const loaded = await loadIntercode(dir);
  if (!loaded.ok) return loaded;
  const folder = vectorFolder(path ?? loaded.data.root);
  const files: Record<string, Agreement> = {};
  for (const [name, check] of Object.entries(checks)) {
    const path = join(folder, `${name}.jsonl`);
    if (!existsSync(path)) continue;
    const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
    const agreement: Agreement = { total: lines.length, agree: 0, differences: [] };
    for (const [index, line] of lines.entries()) {
      const vector = JSON.parse(line) as Vector;
      const got = await check(vector, loaded.data);
      const wanted = Object.fromEntries(Object.keys(got).map((key) => [key, vector[key] ?? null]));
      if (JSON.stringify(got) === JSON.stringify(wanted)) agreement.agree += 1;
      else note(agreement, { where: `${name} line ${index + 1}`, wanted, got });
    }
    files[name] = agreement;
  }
  return Object.keys(files).length === 0
    ? missing(folder, 'exec.jsonl, parse.jsonl, …')
    : { ok: true, files };
}

function vectorFolder(path: string): string {
  const folders = [path, join(path, 'vectors'), join(path, 'intercode', 'vectors')];
  const holds = (folder: string) =>
    Object.keys(checks).some((name) => existsSync(join(folder, `${name}.jsonl`)));
  return folders.find(holds) ?? path;
}

type Vector = Record<string, unknown>;
type Check = (vector: Vector, data: CtfData) => Promise<Vector> | Vector;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const checks: Record<string, Check> = {
  parse(vector) {
    const { squashed, action, isCode } = parseReply(text(vector['reply']));
    return { after_newline_squash: squashed, action, is_code: isCode };
  },
  cd_path: (vector) => ({ result: resolveDirectory(text(vector['current']), text(vector['argument'])) }),
  exec: checkExec,
  async submit(vector, data) {
    const at = { workdir: '/', observation: 'the one before' };
    const gold = data.gold(Number(vector['task_id']));
    const step = await originalStep(text(vector['action']), at, gold, () =>
      Promise.resolve({ kind: 'failed' }),
    );
    if (step.raises !== null) return { raises: step.raises };
    const same = step.observation === at.observation;
    return { reward: step.reward, done: step.done, observation_is_previous: same, agent_obs: step.submitted };
  },
};

async function checkExec(vector: Vector): Promise<Vector> {
  const at = { workdir: text(vector['workdir']), observation: '' };
  const asked: Sent[] = [];
  const container: Container = (sent) => {
    asked.push(sent);
    return Promise.resolve(recordedAnswer(vector));
  };
  const step = await originalStep(text(vector['action']), at, '', container);
  if (step.raises !== null) return { sent: asked, raises: step.raises };
  const { observation, reward, done, executed } = step;
  const after = 'workdir_after' in vector ? { sent: asked, workdir_after: step.workdir } : {};
  return { observation, reward, done, action_executed: executed, ...after };
}

/** The container of the recording: it said `observation` and ended with `exit_code`, or broke as told. */
function recordedAnswer(vector: Vector): Answer {
  const raised = text(vector['container_raises']);
  if (raised !== '') return { kind: raised.startsWith('TimeoutError') ? 'timed_out' : 'failed' };
  const said = text(vector['observation']);
  const output = said === 'Malformed command' ? Uint8Array.of(0xff, 0xfe) : Buffer.from(said);
  return { kind: 'ran', exitCode: Number(vector['exit_code']), output };
}

function note(agreement: Agreement, difference: Difference): void {
  if (agreement.differences.length < firstDifferences) agreement.differences.push(difference);
}

function missing(path: string, wanted: string): Failed {
  return { ok: false, problem: { code: 'data_missing', path, hint: `expected ${wanted} here` } };
}
