import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { showBytes } from './bytes.ts';
import { confinementArgs, identityFiles, optionsFd, shellEnv } from './confine.ts';
import { findSandbox } from './find.ts';
import { type Identity, identityFor, processLimit } from './identity.ts';
import { resolveLimits } from './limits.ts';
import { type Job, runJob } from './run.ts';
import { hasNul, innerArgv } from './script.ts';
import type {
  OpenResult,
  RunOptions,
  Shell,
  ShellCommand,
  ShellLimits,
  ShellOptions,
  ShellProblem,
  ShellResult,
} from './types.ts';
import {
  copyTree,
  giveTree,
  inspectWorkspace,
  isReachable,
  checkMount,
  removeTree,
  type Source,
} from './workspace.ts';
import { measureTrees } from './watch.ts';

const execute = promisify(execFile);

/** Everything on the host that one shell owns or uses. */
interface Ground {
  bwrap: string | null;
  user: Identity | null;
  /** Private directory of the shell: pipes, the identity files, a copy of the workspace, a kept /tmp. */
  private: string;
  workspace: string;
  tmp: string | null;
  mount: string;
  env: Record<string, string>;
  limits: ShellLimits;
}

/**
 * Opens a shell on a workspace. Commands run confined by bubblewrap: they see the system read-only and the workspace,
 * and nothing else of the host. Started as root, they run as the workspace's owner or as a user of their own, never as
 * root. The directory is kept from one command to the next; variables and background processes are not.
 * Without bubblewrap the answer is a problem with the install line, unless `unsafe` is true.
 * Throws a RangeError for limits or a mount point that make no sense.
 */
export async function openShell(options: ShellOptions): Promise<OpenResult> {
  const limits = resolveLimits(options.limits);
  checkMount(options.mount ?? '/workspace');
  const source = await inspectWorkspace(options.workspace);
  if ('code' in source) return { ok: false, problem: source };
  const sandbox = options.unsafe ? null : await findSandbox(options.bwrap ? { bwrap: options.bwrap } : {});
  if (sandbox?.available === false) {
    const code = sandbox.reason.includes('not installed') ? 'sandbox_missing' : 'sandbox_unusable';
    return {
      ok: false,
      problem: { code, path: 'bwrap', hint: `${sandbox.reason}. Install: ${sandbox.installLine}` },
    };
  }
  const prepared = await prepare(options, limits, source, sandbox?.path ?? null);
  return 'code' in prepared
    ? { ok: false, problem: prepared }
    : { ok: true, shell: shellOn(prepared, options) };
}

/** Opens a shell, runs one command, closes it. */
export async function runInSandbox(
  command: ShellCommand,
  options: ShellOptions & { run?: RunOptions },
): Promise<ShellResult> {
  const opened = await openShell(options);
  if (!opened.ok) return { ran: false, problem: opened.problem };
  try {
    return await opened.shell.run(command, options.run);
  } finally {
    await opened.shell.close();
  }
}

async function prepare(
  options: ShellOptions,
  limits: ShellLimits,
  source: Source,
  bwrap: string | null,
): Promise<Ground | ShellProblem> {
  const bound = options.mode === 'bind';
  const user = bwrap === null ? null : identityFor(bound ? source.owner : null);
  const trouble = bound ? await checkBind(options, source, user) : await checkCopy(source, limits);
  if (trouble !== null) return trouble;
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'skillstate-shell-'));
  const workspace = bound ? source.path : join(folder, 'workspace');
  const tmp = options.keepTmp ? join(folder, 'tmp') : null;
  try {
    if (!bound) await copyTree(source.path, workspace);
    if (tmp !== null) await mkdir(tmp);
    await execute('/usr/bin/mkfifo', ['-m', '600', ...Object.values(fifosIn(folder))]);
    for (const [name, text] of Object.entries(identityFiles)) await writeFile(join(folder, name), text);
    if (user !== null) await giveTree(folder, user);
    if (user !== null && bound && source.owner.uid === 0) await giveTree(workspace, user);
  } catch (error) {
    await removeTree(folder);
    throw error;
  }
  const mount = bwrap === null ? workspace : (options.mount ?? '/workspace');
  const env = shellEnv(mount, options.env);
  return { bwrap, user, private: folder, workspace, tmp, mount, env, limits };
}

async function checkBind(
  options: ShellOptions,
  source: Source,
  user: Identity | null,
): Promise<ShellProblem | null> {
  const path = source.path;
  if (user !== null && source.owner.uid === 0 && !options.takeOwnership) {
    const hint = `root owns the workspace and commands never run as root: chown it to a user, or use mode copy, or takeOwnership`;
    return { code: 'workspace_owned_by_root', path, hint };
  }
  const ancestorsOpen = await isReachable(join(path, '..'), user);
  if (ancestorsOpen) return null;
  const who = user === null ? 'this user' : `user ${user.uid}`;
  const hint = `${who} cannot enter a directory above the workspace: open it (chmod o+x), move the workspace, or use mode copy`;
  return { code: 'workspace_unreachable', path, hint };
}

async function checkCopy(source: Source, limits: ShellLimits): Promise<ShellProblem | null> {
  const stop = { bytes: limits.workspaceBytes, entries: limits.workspaceEntries };
  const usage = await measureTrees([source.path], stop).catch(() => null);
  if (usage === null) {
    return {
      code: 'workspace_unreachable',
      path: source.path,
      hint: 'a directory in the workspace cannot be read',
    };
  }
  if (usage.bytes <= stop.bytes && usage.entries <= stop.entries) return null;
  const hint = `the workspace is larger than workspaceBytes (${stop.bytes}) or workspaceEntries (${stop.entries})`;
  return { code: 'workspace_too_large', path: source.path, hint };
}

function shellOn(ground: Ground, options: ShellOptions): Shell {
  const closing = new AbortController();
  let cwd = Buffer.from(ground.mount);
  let last: Promise<unknown> = Promise.resolve();
  let closed: Promise<void> | null = null;

  const runNow = async (command: ShellCommand, run: RunOptions): Promise<ShellResult> => {
    if (closing.signal.aborted) return refused('shell_closed', 'the shell was closed');
    if (hasNul(command))
      return refused('command_has_nul', 'a command cannot hold a NUL byte; pass it as stdin');
    const signal = run.signal ? AbortSignal.any([run.signal, closing.signal]) : closing.signal;
    const from = run.cwd === undefined ? cwd : Buffer.from(run.cwd);
    const finished = await runJob(jobFor(ground, options, command, from, { ...run, signal }));
    if (finished.cwd !== null) cwd = Buffer.from(finished.cwd);
    return finished.result;
  };

  return {
    confined: ground.bwrap !== null,
    workspace: ground.workspace,
    mount: ground.mount,
    cwd: () => showBytes(cwd).text,
    run(command, run = {}) {
      const next = last.then(() => runNow(command, run));
      last = next.catch(() => undefined);
      return next;
    },
    close() {
      closing.abort();
      closed ??= last.then(() => removeTree(ground.private));
      return closed;
    },
  };
}

function jobFor(
  ground: Ground,
  options: ShellOptions,
  command: ShellCommand,
  cwd: Buffer,
  run: RunOptions & { signal: AbortSignal },
): Job {
  const limits = { ...ground.limits, processes: processLimit(ground.limits.processes, ground.user) };
  const inner = innerArgv(command, limits, ground.mount, cwd.toString('utf8'));
  const confinement = {
    workspace: ground.workspace,
    mount: ground.mount,
    network: options.network ?? 'none',
    tmp: ground.tmp,
    identity: ground.private,
    env: ground.env,
    limits,
  };
  const words = Object.entries(ground.env).map(([name, value]) => `${name}=${value}`);
  return {
    file: ground.bwrap ?? '/usr/bin/env',
    args: ground.bwrap ? ['--args', String(optionsFd), '--', ...inner] : ['-i', '--', ...words, ...inner],
    hiddenArgs: ground.bwrap ? confinementArgs(confinement) : [],
    user: ground.user,
    confined: ground.bwrap !== null,
    command: typeof command === 'string' ? Buffer.from(command) : command,
    cwd,
    limits,
    options: run,
    fifos: fifosIn(ground.private),
    watched: ground.tmp === null ? [ground.workspace] : [ground.workspace, ground.tmp],
  };
}

function fifosIn(folder: string): Job['fifos'] {
  return { stdout: join(folder, 'out'), stderr: join(folder, 'err') };
}

function refused(code: ShellProblem['code'], hint: string): ShellResult {
  return { ran: false, problem: { code, path: 'command', hint } };
}
