import { cp, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type ShellLimits, type ShellRun, showBytes, showCaptured } from '@skillstate/runtime';
import { type Container, originalStep, type Position, splitWords } from './original.ts';
import type { CtfShell, SandboxPort } from './port.ts';
import type { CtfData, CtfTask } from './tasks.ts';

/**
 * `original`: agrees with the original environment, quirks included (a command that runs out of time is killed here).
 * `runtime`: commands run exactly as given, the directory is the shell's, output is capped with a handle, a submission
 * is the rest of its line. Scores of the two modes are not comparable.
 */
export type CtfMode = 'original' | 'runtime';

export interface CtfStep {
  observation: string;
  /** 1 for the right flag. */
  reward: 0 | 1;
  done: boolean;
  /** The submitted flag, where this was a submission. */
  submitted: string | null;
  /** Facts of the command that ran; null where none did. */
  command: CommandFacts | null;
  /** Mode `original` only: the exception with which the original would end its whole run. */
  raises: string | null;
}

export interface CommandFacts {
  exitCode: number | null;
  signal: string | null;
  killedBy: string | null;
  cwd: string;
  /** Bytes of output in all, and whether they are not UTF-8 and so shown escaped. */
  bytes: number;
  escaped: boolean;
  /** Opens the whole output with `readOutput`, where the observation does not hold all of it. */
  handle: string | null;
  /** The output as shown. */
  output: string;
}

export interface CtfEpisode {
  readonly task: CtfTask;
  readonly mode: CtfMode;
  /** The first observation. */
  readonly query: string;
  /** Never rejects for what an action holds. */
  step(action: string): Promise<CtfStep>;
  /** The highest reward so far. */
  score(): 0 | 1;
  /** Bytes of an output, from an offset; null for an unknown handle. */
  readOutput(handle: string, offset?: number, length?: number): Promise<Buffer | null>;
  close(): Promise<void>;
}

export interface EpisodeOptions {
  mode: CtfMode;
  port: SandboxPort;
  network?: boolean;
  limits?: Partial<ShellLimits>;
}

export type EpisodeResult =
  | { ok: true; episode: CtfEpisode }
  | { ok: false; problem: { code: string; hint: string } };

const MiB = 1024 * 1024;
const modeLimits: Record<CtfMode, Partial<ShellLimits>> = {
  original: { timeMs: 10_000, headBytes: 16 * MiB, tailBytes: 0, outputBytes: 16 * MiB },
  runtime: { timeMs: 60_000, headBytes: 3000, tailBytes: 1000 },
};

/**
 * Starts a task in a sandbox that holds a private copy of its assets (without any `solution` folder) and nothing else
 * of the data. The task's setup command runs where there is a network.
 */
export async function openEpisode(
  data: CtfData,
  id: number,
  options: EpisodeOptions,
): Promise<EpisodeResult> {
  const task = data.tasks.find((entry) => entry.id === id);
  if (task === undefined) throw new RangeError(`no task ${id}`);
  const folder = await mkdtemp(join(tmpdir(), 'skillstate-ctf-'));
  const opened = await openCopy(join(data.assets, String(id)), join(folder, 'assets'), task, options);
  if (!opened.ok) {
    await rm(folder, { recursive: true, force: true });
    return opened;
  }
  const { shell } = opened;
  if (task.setup !== null && options.network) await shell.run(task.setup, { timeMs: 600_000 });
  const gold = data.gold(id);
  const outputs = join(folder, 'outputs');
  await mkdir(outputs);
  const act =
    options.mode === 'original' ? originalMode(task, shell, gold) : runtimeMode(task, shell, gold, outputs);
  let best: 0 | 1 = 0;
  const episode: CtfEpisode = {
    task,
    mode: options.mode,
    query: task.query,
    async step(action) {
      const step = await act(action);
      if (step.reward === 1) best = 1;
      return step;
    },
    score: () => best,
    readOutput: (handle, offset = 0, length) => readPart(join(outputs, basename(handle)), offset, length),
    async close() {
      await shell.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return { ok: true, episode };
}

export const mountOf = (task: CtfTask): string => `/ctf/${task.id}`;

async function openCopy(from: string, to: string, task: CtfTask, options: EpisodeOptions) {
  await mkdir(to);
  if (existsSync(from)) {
    await cp(from, to, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => basename(path) !== 'solution',
    });
  }
  const limits = { ...modeLimits[options.mode], ...options.limits };
  const opened = await options.port.open({
    assets: to,
    mount: mountOf(task),
    network: options.network ?? false,
    limits,
  });
  await rm(to, { recursive: true, force: true });
  return opened;
}

type Act = (action: string) => Promise<CtfStep>;

function originalMode(task: CtfTask, shell: CtfShell, gold: string): Act {
  let at: Position = { workdir: mountOf(task), observation: task.query };
  return async (action) => {
    let run: ShellRun | null = null;
    const container: Container = async ({ command, workdir }) => {
      const argv = splitWords(command);
      if (argv === null || argv.length === 0) return { kind: 'failed' };
      const result = await shell.run({ argv }, { cwd: workdir, merge: true });
      if (!result.ran) return { kind: 'failed' };
      run = result;
      if (result.killedBy === 'time') return { kind: 'timed_out' };
      return { kind: 'ran', exitCode: result.exitCode ?? 137, output: result.stdout.head };
    };
    const step = await originalStep(action, at, gold, container);
    at = { workdir: step.workdir, observation: step.observation };
    const { observation, done, submitted, raises } = step;
    const command = run === null ? null : factsOf(run, step.workdir, null);
    return { observation, done, submitted, raises, command, reward: step.reward === 1 ? 1 : 0 };
  };
}

function runtimeMode(task: CtfTask, shell: CtfShell, gold: string, outputs: string): Act {
  let count = 0;
  return async (action) => {
    const submission = readSubmission(action);
    if (submission !== null) return submit(submission, gold);
    if (action.trim() === 'skip') return { ...blank, observation: `Task ${task.id} given up.`, done: true };
    const handle = `output-${++count}`;
    const path = join(outputs, handle);
    const file = await open(path, 'w');
    const onOutput = async (_: unknown, chunk: Uint8Array) => void (await file.write(chunk));
    const result = await shell.run(action, { merge: true, onOutput });
    await file.close();
    if (!result.ran) return { ...blank, observation: `The command was not run: ${result.problem.hint}` };
    const kept = result.stdout.total > result.stdout.head.length || showBytes(result.stdout.head).escaped;
    if (!kept) await rm(path, { force: true });
    const command = factsOf(result, result.cwd, kept ? handle : null);
    return { ...blank, observation: describe(command), command };
  };
}

const blank: Omit<CtfStep, 'observation'> = {
  reward: 0,
  done: false,
  submitted: null,
  command: null,
  raises: null,
};

/** `submit` and the rest of its line; an empty text for a bare `submit`; null for any other action. */
export function readSubmission(action: string): string | null {
  const found = /^\s*submit(?:[ \t]+([^\n]*))?(?:\n[^]*)?$/.exec(action);
  return found === null ? null : (found[1] ?? '').trim();
}

function submit(flag: string, gold: string): CtfStep {
  if (flag === '') return { ...blank, observation: 'Nothing was submitted. Write: submit FLAG' };
  const right = flag.toLowerCase() === gold.toLowerCase();
  const observation = right ? 'The flag is right.' : 'Submitted flag is incorrect. Keep trying!';
  return { ...blank, observation, submitted: flag, reward: right ? 1 : 0, done: right };
}

function factsOf(run: ShellRun, cwd: string, handle: string | null): CommandFacts {
  const { text, escaped } = showCaptured(run.stdout);
  const { exitCode, signal, killedBy } = run;
  return { exitCode, signal, killedBy, cwd, bytes: run.stdout.total, escaped, handle, output: text };
}

function describe(facts: CommandFacts): string {
  const end = facts.killedBy ? `ended by the ${facts.killedBy} limit` : `exit code ${facts.exitCode}`;
  const parts = [end, `directory ${facts.cwd}`];
  if (facts.escaped) parts.push('bytes that are not UTF-8 are shown as \\xHH');
  if (facts.handle) parts.push(`all ${facts.bytes} bytes: ${facts.handle}`);
  const output = facts.output === '' || facts.output.endsWith('\n') ? facts.output : `${facts.output}\n`;
  return `${output}[${parts.join('; ')}]`;
}

async function readPart(path: string, offset: number, length?: number): Promise<Buffer | null> {
  const bytes = await readFile(path).catch(() => null);
  return bytes && bytes.subarray(offset, length === undefined ? undefined : offset + length);
}
