import { chmod, mkdtemp, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import type { Blob, JsonObject, ShellSpec, Skill, Tool, ToolCall, ToolResult } from '../../types.ts';
import { fingerprintFiles } from '../ledger/fingerprint.ts';
import { type Connector, noTools } from '../source.ts';
import { showCaptured } from './bytes.ts';
import { openShell } from './shell.ts';
import { copyTree } from './workspace.ts';
import type { Captured, Shell, ShellOptions, ShellRun, StreamName } from './types.ts';

export type ShellToolOptions = {
  /** Directory that a relative workspace starts from: the skill's folder. */
  readonly base: string;
  /** Run without a sandbox: commands can do all that this process can. */
  readonly unsafe?: boolean;
  /** As root: let a bound workspace that root owns be given to the sandbox's user. */
  readonly takeOwnership?: boolean;
  /** The bwrap program. Default: the one of the system. */
  readonly bwrap?: string;
};

/** What a command may write in all before it is ended; what is not shown goes to blobs up to this. */
const MOST_OUTPUT = 64 * 1024 * 1024;
/** The command's own limit comes first, so that its end is known and not a missed deadline. */
const GRACE_MS = 10_000;

const INPUT: JsonObject = {
  type: 'object',
  properties: { command: { type: 'string', minLength: 1, maxLength: 65_536, description: 'Run by bash.' } },
  required: ['command'],
  additionalProperties: false,
};

/**
 * The tool `shell {command}` for `skill.actions.shell`: the working directory stays from one command to the next, exit
 * code and output come back. Rejects with the install line where commands cannot be confined, unless `unsafe`.
 */
export function shellConnector(options: ShellToolOptions): Connector {
  return async (skill: Skill, _secrets, known = {}) => {
    const spec = skill.actions.shell;
    if (spec === null) return noTools();
    const copy = spec.mode === 'copy' ? await keptCopy(resolve(options.base, spec.workspace), known) : null;
    const declared = skill.actions.tools[NAME]?.timeoutMs;
    const timeMs =
      declared === undefined ? spec.timeoutMs : Math.min(spec.timeoutMs, Math.max(1, declared - 1000));
    const opened = await openShell(shellOptions(spec, options, timeMs, copy));
    if (!opened.ok) {
      const { code, path, hint } = opened.problem;
      const missing = code === 'sandbox_missing' || code === 'sandbox_unusable';
      const way = missing ? '. Without it commands run only with --unsafe-shell, unconfined' : '';
      throw new Error(`/actions/shell: ${path}: ${hint}${way}`);
    }
    const { shell } = opened;
    const facts: JsonObject = copy === null ? {} : { workspace: copy };
    return { tools: [shellTool(shell, timeMs)], facts, close: () => shell.close() };
  };
}

const NAME = 'shell';

/**
 * The run's own copy of the workspace. It is journalled and kept, so that a resumed run finds what its commands wrote;
 * the skill's folder is never touched.
 */
async function keptCopy(source: string, known: JsonObject): Promise<string> {
  if (!(await isFolder(source))) return source;
  const before = known['workspace'];
  if (typeof before === 'string' && (await isFolder(before))) return before;
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'skillstate-workspace-'));
  await chmod(folder, 0o711);
  const copy = join(folder, 'workspace');
  await copyTree(source, copy);
  return copy;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

function shellOptions(
  spec: ShellSpec,
  options: ShellToolOptions,
  timeMs: number,
  copy: string | null,
): ShellOptions {
  const tailBytes = Math.floor(spec.outputBytes / 4);
  return {
    workspace: copy ?? resolve(options.base, spec.workspace),
    mode: 'bind',
    network: spec.network ? 'host' : 'none',
    unsafe: options.unsafe === true,
    takeOwnership: copy !== null || options.takeOwnership === true,
    ...(options.bwrap === undefined ? {} : { bwrap: options.bwrap }),
    limits: {
      timeMs,
      headBytes: spec.outputBytes - tailBytes,
      tailBytes,
      outputBytes: Math.max(MOST_OUTPUT, spec.outputBytes),
      processes: spec.processes,
      memoryBytes: spec.memoryBytes,
      workspaceBytes: spec.workspaceBytes,
    },
  };
}

function shellTool(shell: Shell, timeMs: number): Tool {
  return {
    name: NAME,
    description: `Runs a command with bash in ${shell.mount}; the working directory is kept, variables are not.`,
    inputSchema: INPUT,
    outputSchema: null,
    readOnly: false,
    idempotent: false,
    destructive: true,
    timeoutMs: timeMs + GRACE_MS,
    declaration: {},
    run: (call) => runCommand(shell, call),
    fingerprint: (files) => fingerprintFiles(files, (path) => realPath(shell, path)),
  };
}

/** Where a path of a command really is, if it is in the workspace; a link that only leads there from inside is not followed. */
async function realPath(shell: Shell, path: string): Promise<string | null> {
  const below = posix.relative(shell.mount, posix.resolve(shell.cwd(), path));
  if (below.startsWith('..') || posix.isAbsolute(below)) return null;
  const root = await realpath(shell.workspace).catch(() => null);
  const real = await realpath(join(shell.workspace, below)).catch(() => null);
  return root !== null && real?.startsWith(`${root}/`) === true ? real : null;
}

async function runCommand(shell: Shell, { args, signal }: ToolCall): Promise<ToolResult> {
  const kept: Record<StreamName, Buffer[]> = { stdout: [], stderr: [] };
  const onOutput = (stream: StreamName, chunk: Uint8Array): void => {
    kept[stream].push(Buffer.from(chunk));
  };
  const result = await shell.run(args['command'] as string, { signal, onOutput });
  if (!result.ran) return { status: 'error', text: `not run: ${result.problem.code} ${result.problem.hint}` };
  const streams = (['stdout', 'stderr'] as const).map((name) => showStream(name, result[name], kept[name]));
  const text = [...streams.flatMap((stream) => stream.lines), statusLine(result)].join('\n');
  const { exitCode, signal: ended, killedBy, cwd } = result;
  return {
    status: exitCode === 0 ? 'ok' : 'error',
    text,
    structured: { exitCode, signal: ended, killedBy, cwd },
    blobs: streams.flatMap((stream) => stream.blobs),
  };
}

/** The stream as text; the exact bytes as a blob where the text is not all of them. */
function showStream(
  name: StreamName,
  captured: Captured,
  kept: readonly Buffer[],
): { lines: string[]; blobs: Blob[] } {
  if (captured.total === 0) return { lines: [], blobs: [] };
  const shown = showCaptured(captured);
  const whole = captured.head.length + captured.tail.length === captured.total;
  const lines = [...(name === 'stderr' ? ['[stderr]'] : []), shown.text.replace(/\n$/, '')];
  if (shown.escaped) lines.push(`[${name} is not UTF-8: such bytes are shown as \\xHH]`);
  if (whole && !shown.escaped) return { lines, blobs: [] };
  const mimeType = shown.escaped ? 'application/octet-stream' : 'text/plain';
  return { lines, blobs: [{ name, mimeType, bytes: new Uint8Array(Buffer.concat(kept)) }] };
}

function statusLine({ exitCode, signal, killedBy, cwd }: ShellRun): string {
  const ended = signal === null ? '' : ` by ${signal}`;
  const how = killedBy === null ? `exit code ${exitCode}${ended}` : `ended by its ${LIMITS[killedBy]}`;
  return `[${how}, in ${cwd}]`;
}

const LIMITS: Readonly<Record<NonNullable<ShellRun['killedBy']>, string>> = {
  time: 'time limit',
  output: 'output limit',
  memory: 'memory limit',
  workspace: 'workspace limit',
  abort: 'deadline or a cancel',
  watch: 'watcher, which could not measure it any more',
};
