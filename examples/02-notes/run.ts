/** `node examples/02-notes/run.ts`: collects open tasks through a real MCP server, is killed in the middle, and goes on. */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const BIN = join(ROOT, 'packages/skillstate/bin/skillstate.js');

/** Runs the command; SIGKILLs it once its live view shows the step. Gives the exit code, or null where it was killed. */
function skillstate(
  args: readonly string[],
  killAtStep: number | null,
  say: (text: string) => void,
): Promise<number | null> {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let seen = '';
  child.stderr.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
    say(chunk.toString());
    if (killAtStep !== null && new RegExp(`^ *${killAtStep}  `, 'm').test(seen)) child.kill('SIGKILL');
  });
  child.stdout.on('data', (chunk: Buffer) => say(chunk.toString()));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done(code));
  });
}

/** The whole story; gives the report that the run wrote and the last exit code. */
export async function collect(
  id: string,
  say: (text: string) => void,
): Promise<{ report: string; exit: number | null; killed: boolean }> {
  const folder = `.skillstate/notes/${id}`;
  mkdirSync(join(ROOT, folder), { recursive: true });
  cpSync(join(import.meta.dirname, 'notes'), join(ROOT, folder), { recursive: true });
  const db = ['--db', join(folder, 'runs.db')];
  const first = await skillstate(
    [
      ...db,
      'run',
      'examples/02-notes/collect-tasks',
      '--model',
      `script:${join(import.meta.dirname, 'model.ts')}`,
      '--run',
      id,
      '--input',
      `Collect the open tasks of the notes in ${id}`,
    ],
    4,
    say,
  );
  say(first === null ? '— killed with SIGKILL; resuming —\n' : '— it ended before it was killed —\n');
  const exit = await skillstate([...db, 'resume', id], null, say);
  await skillstate([...db, 'verify', id], null, say);
  return { report: readFileSync(join(ROOT, folder, 'REPORT.md'), 'utf8'), exit, killed: first === null };
}

if (process.argv[1] === import.meta.filename) {
  const { report, exit } = await collect(`notes-${Date.now().toString(36)}`, (text) =>
    process.stdout.write(text),
  );
  process.stdout.write(`\n${report}`);
  process.exitCode = exit ?? 1;
}
