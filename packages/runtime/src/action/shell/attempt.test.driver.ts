import { showCaptured } from './bytes.ts';
import { openShell } from './shell.ts';
import type { RunOptions, ShellOptions } from './types.ts';

/** What a test asks of a process that may run as another user. */
export interface Attempt {
  options: ShellOptions;
  commands: { command: string; run?: Pick<RunOptions, 'timeMs' | 'merge'> }[];
}

export interface AttemptResult {
  stdout: string;
  stderr: string;
  exitCode: number | null;
  killedBy: string | null;
  cwd: string;
  /** Bytes of standard output. */
  total: number;
}

const { options, commands } = JSON.parse(process.argv[2] ?? '') as Attempt;
const opened = await openShell(options);
if (!opened.ok) throw new Error(JSON.stringify(opened.problem));
const results: AttemptResult[] = [];
for (const { command, run } of commands) {
  const result = await opened.shell.run(command, run);
  if (!result.ran) throw new Error(JSON.stringify(result.problem));
  const { exitCode, killedBy, cwd } = result;
  const [stdout, stderr] = [showCaptured(result.stdout).text, showCaptured(result.stderr).text];
  results.push({ stdout, stderr, exitCode, killedBy, cwd, total: result.stdout.total });
}
await opened.shell.close();
process.stdout.write(JSON.stringify(results));
