export { findSandbox } from './action/shell/find.ts';
export { openShell, runInSandbox } from './action/shell/shell.ts';
export { showBytes, showCaptured } from './action/shell/bytes.ts';
export type {
  Captured,
  OpenResult,
  RunOptions,
  SandboxStatus,
  Shell,
  ShellCommand,
  ShellLimits,
  ShellOptions,
  ShellProblem,
  ShellResult,
  ShellRun,
} from './action/shell/types.ts';
