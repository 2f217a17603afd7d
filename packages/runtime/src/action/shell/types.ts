/** The words of the shell: what may be asked of it and what it answers. Sizes are bytes, times milliseconds. */

/** An expected failure: what happened (`code`), where (`path`), what to do about it (`hint`). */
export interface ShellProblem {
  code:
    | 'sandbox_missing'
    | 'sandbox_unusable'
    | 'sandbox_failed'
    | 'workspace_forbidden'
    | 'workspace_missing'
    | 'workspace_unreachable'
    | 'workspace_owned_by_root'
    | 'workspace_too_large'
    | 'command_has_nul'
    | 'shell_closed';
  path: string;
  hint: string;
}

export type SandboxStatus =
  | { available: true; path: string; version: string; installLine: string }
  | { available: false; reason: string; installLine: string };

export interface ShellLimits {
  /** Wall-clock time of one command; then everything it started is killed. */
  timeMs: number;
  /** Captured from the start of each stream. */
  headBytes: number;
  /** Captured from the end of each stream, beyond the head. */
  tailBytes: number;
  /** Both streams together; a command that writes more is killed. */
  outputBytes: number;
  /** Processes and threads alive at once inside the sandbox (RLIMIT_NPROC). */
  processes: number;
  /** Address space of each process (RLIMIT_AS). */
  addressBytes: number;
  /** Resident memory of all processes together, watched. */
  memoryBytes: number;
  /** Size of any one file (RLIMIT_FSIZE). */
  fileBytes: number;
  /** Size of the tmpfs on /tmp, and of the one on /dev/shm. */
  tmpBytes: number;
  /** Allocated bytes of the workspace (and of a kept /tmp), deleted but open files included, watched. */
  workspaceBytes: number;
  /** Files and folders in the workspace, watched. */
  workspaceEntries: number;
}

export interface ShellOptions {
  /** An existing directory. `/`, system directories and home directories are refused. */
  workspace: string;
  /** `bind`: the directory itself, writable. `copy`: a private copy, thrown away by `close()`. */
  mode: 'bind' | 'copy';
  /** Where the workspace appears inside; also HOME and the first working directory. Default `/workspace`. */
  mount?: string;
  /** `none` (default): an empty network of its own. `host`: the host's network. */
  network?: 'none' | 'host';
  /** Keep /tmp from one command to the next, on disk and counted with the workspace. Default: a fresh tmpfs. */
  keepTmp?: boolean;
  /** Added to the minimal environment. Nothing comes from the host's. */
  env?: Readonly<Record<string, string>>;
  limits?: Partial<ShellLimits>;
  /** As root, with `bind`: let a workspace that root owns be given to the sandbox's user. */
  takeOwnership?: boolean;
  /** Run without any sandbox. The command can read and change everything that this process can. */
  unsafe?: boolean;
  /** The bwrap program. Default: the one on PATH. */
  bwrap?: string;
}

/** Text or exact bytes run by `bash -c`; `argv` runs a program without a shell, and leaves the directory alone. */
export type ShellCommand = string | Uint8Array | { argv: readonly string[] };

export type StreamName = 'stdout' | 'stderr';

export interface RunOptions {
  /** Bytes for standard input. Without them it is empty. */
  stdin?: Uint8Array;
  /** Both streams through one pipe, in the order written, as `stdout`. Default false. */
  merge?: boolean;
  /** Working directory inside. Default: where the last command ended. */
  cwd?: string;
  timeMs?: number;
  signal?: AbortSignal;
  /** Gets every byte once, in order, also those not captured; the command waits while it works. */
  onOutput?: (stream: StreamName, chunk: Uint8Array) => void | Promise<void>;
}

export interface Captured {
  /** The first bytes of the stream. */
  head: Buffer;
  /** The last bytes, where the stream was longer than the head. Never overlaps it. */
  tail: Buffer;
  /** Bytes written in all. `total - head.length - tail.length` are left out. */
  total: number;
}

export type KilledBy = 'time' | 'output' | 'memory' | 'workspace' | 'abort' | 'watch';

export interface ShellRun {
  ran: true;
  /** Exit status as the shell gives it (128 + signal where a signal ended the command); null where we killed it. */
  exitCode: number | null;
  /** The signal that ended the command itself, where one did. */
  signal: NodeJS.Signals | null;
  /** The limit that ended the command. */
  killedBy: KilledBy | null;
  stdout: Captured;
  stderr: Captured;
  /** Working directory after the command; not UTF-8 parts escaped. */
  cwd: string;
  /** False where the shell was killed or replaced before it could say; `cwd` is then the directory before. */
  cwdRead: boolean;
  durationMs: number;
}

export type ShellResult = ShellRun | { ran: false; problem: ShellProblem };

export interface Shell {
  readonly confined: boolean;
  /** The directory on the host that the commands work in. */
  readonly workspace: string;
  readonly mount: string;
  cwd(): string;
  /** Commands of one shell run one after the other. Never rejects for what a command does. */
  run(command: ShellCommand, options?: RunOptions): Promise<ShellResult>;
  /** Ends a running command and removes the private files. May be called twice. */
  close(): Promise<void>;
}

export type OpenResult = { ok: true; shell: Shell } | { ok: false; problem: ShellProblem };
