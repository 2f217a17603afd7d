import type { ShellCommand, ShellLimits } from './types.ts';

/** Descriptors of the inner bash beside the usual three. */
export const reportFd = 3;
export const inputFd = 4;

/**
 * Sets the limits, tells the report pipe that it runs, then goes on with what follows the limits in $@.
 * `ulimit` counts -v in KiB and -f in blocks of 1024.
 */
const limitLines = [
  'ulimit -Sc 0 -Hc 0 2>/dev/null',
  'ulimit -u "$1" 2>/dev/null; ulimit -v "$2" 2>/dev/null; ulimit -f "$3" 2>/dev/null',
  `builtin printf 'ok\\0' >&${reportFd}`,
  'shift 3',
];

const execScript = oneLine([
  ...limitLines,
  'cd -- "$1" || exit 127',
  'shift',
  `exec ${reportFd}>&- ${inputFd}<&-`,
  'exec -- "$@"',
]);

const report = (fd: string) => `{ builtin pwd >&${fd}; builtin printf '\\0' >&${fd}; } 2>/dev/null`;

/**
 * Reads the directory and the command from the input pipe, as bytes, and evaluates the command as `bash -c` would.
 * The directory at the end goes to the report pipe twice: after a command that ran to its end, and by the EXIT trap,
 * which also serves a command that calls exit. The last report counts. The C locale keeps `read` from joining bytes
 * to characters.
 */
const shellScript = oneLine([
  ...limitLines,
  `exec {SKILLSTATE_REPORT}>&${reportFd} ${reportFd}>&-`,
  'LC_ALL=C',
  `IFS= read -r -d '' SKILLSTATE_CWD <&${inputFd}`,
  `IFS= read -r -d '' SKILLSTATE_COMMAND <&${inputFd}`,
  'unset LC_ALL',
  `exec ${inputFd}<&-`,
  'cd -- "$SKILLSTATE_CWD" 2>/dev/null || cd -- "$1"',
  'unset OLDPWD SKILLSTATE_CWD',
  'set --',
  `trap "${report('$SKILLSTATE_REPORT').replaceAll('\\', '\\\\')}" EXIT`,
  'eval -- "$SKILLSTATE_COMMAND"',
  'set -- "$?"',
  report('$SKILLSTATE_REPORT'),
  'exit "$1"',
]);

/** One line, so that bash numbers the lines of the command from 1. */
function oneLine(parts: string[]): string {
  return parts.join('; ');
}

/** The argument list that runs a command under its limits; `start` is where a lost directory falls back to. */
export function innerArgv(command: ShellCommand, limits: ShellLimits, start: string, cwd: string): string[] {
  const kib = (bytes: number) => String(Math.ceil(bytes / 1024));
  const program = isArgv(command) ? execScript : shellScript;
  const given = isArgv(command) ? [cwd, ...command.argv] : [start];
  return [
    '/bin/bash',
    '--noprofile',
    '--norc',
    '-c',
    program,
    'bash',
    String(limits.processes),
    kib(limits.addressBytes),
    kib(limits.fileBytes),
    ...given,
  ];
}

/** What the input pipe carries: directory NUL command NUL. */
export function innerInput(command: ShellCommand, cwd: Uint8Array): Buffer {
  if (isArgv(command)) return Buffer.alloc(0);
  const nul = Buffer.from([0]);
  return Buffer.concat([cwd, nul, Buffer.from(command as Uint8Array), nul]);
}

/** What the report pipe said: whether the inner shell ran at all, and the directory it ended in. */
export function readReport(bytes: Buffer): { started: boolean; cwd: Buffer | null } {
  const segments: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at);
    if (end < 0) break;
    segments.push(bytes.subarray(at, end));
    at = end + 1;
  }
  const last = segments.length > 1 ? segments.at(-1) : undefined;
  const cwd = last && last.at(-1) === 0x0a ? Buffer.from(last.subarray(0, -1)) : null;
  return { started: segments.length > 0, cwd: cwd && cwd[0] === 0x2f ? cwd : null };
}

export function isArgv(command: ShellCommand): command is { argv: readonly string[] } {
  return typeof command === 'object' && 'argv' in command;
}

export function hasNul(command: ShellCommand): boolean {
  if (isArgv(command)) return command.argv.some((word) => word.includes('\0'));
  return typeof command === 'string' ? command.includes('\0') : command.includes(0);
}
