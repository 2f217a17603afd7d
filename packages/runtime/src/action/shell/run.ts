import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants as system } from 'node:os';
import { processStart } from '../../process.ts';
import { createCapture, showBytes } from './bytes.ts';
import { infoFd, optionsFd } from './confine.ts';
import type { Identity } from './identity.ts';
import { innerInput, inputFd, readReport, reportFd } from './script.ts';
import { killHard, pipeAt, readAll, startProcess } from './spawn.ts';
import type {
  Captured,
  KilledBy,
  RunOptions,
  ShellCommand,
  ShellLimits,
  ShellResult,
  StreamName,
} from './types.ts';
import { startWatch } from './watch.ts';

/** One prepared command: which program with which arguments, as whom, and where its output comes through. */
export interface Job {
  file: string;
  args: string[];
  /** Options that the program reads from `optionsFd`. */
  hiddenArgs: string[];
  user: Identity | null;
  confined: boolean;
  command: ShellCommand;
  cwd: Buffer;
  limits: ShellLimits;
  options: RunOptions;
  /** Two FIFOs on the host. Commands write into real pipes, so that /dev/stdout can be opened. */
  fifos: Record<StreamName, string>;
  /** Directories that the watcher measures. */
  watched: readonly string[];
}

export interface Finished {
  result: ShellResult;
  /** The directory the shell ended in, as bytes; null where it did not say. */
  cwd: Buffer | null;
}

/** Runs one job to its end. When this settles nothing of a confined job is alive. */
export async function runJob(job: Job): Promise<Finished> {
  const began = performance.now();
  const { options, limits } = job;
  const out = openPipe(job.fifos.stdout);
  const err = options.merge ? null : openPipe(job.fifos.stderr);
  const { child, ended } = startProcess(job.file, job.args, job.user, [
    options.stdin ? 'pipe' : 'ignore',
    out.write,
    err?.write ?? out.write,
    ...(['pipe', 'pipe', 'pipe', 'pipe'] as const),
  ]);
  closeSync(out.write);
  if (err) closeSync(err.write);

  const info = readAll(pipeAt(child, infoFd), 4096);
  const control = controller(child.pid, job.confined, info);
  const report = readAll(pipeAt(child, reportFd), 1 << 20);
  send(pipeAt(child, optionsFd), Buffer.from(job.hiddenArgs.map((word) => `${word}\0`).join('')));
  send(pipeAt(child, inputFd), innerInput(job.command, job.cwd));
  if (child.stdin) send(child.stdin, options.stdin ?? Buffer.alloc(0));
  const meter = { left: limits.outputBytes };
  const stdout = drain(out.read, 'stdout', job, meter, control);
  const stderr = err ? drain(err.read, 'stderr', job, meter, control) : Promise.resolve(emptyCapture());
  const guards = startGuards(job, control);

  const end = await ended;
  guards.stop();
  await control.finish(() =>
    [out.read, err?.read, pipeAt(child, reportFd)].forEach((pipe) => pipe?.destroy()),
  );
  const said = readReport(await report);
  const streams = { stdout: await stdout, stderr: await stderr };
  if (!said.started && control.killedBy === null)
    return { result: notStarted(job, streams, end.error), cwd: null };
  const status = exitStatus(end.code, end.signal, said.cwd !== null, control.killedBy);
  const shown = showBytes(said.cwd ?? job.cwd).text;
  const durationMs = performance.now() - began;
  const result = {
    ran: true as const,
    ...status,
    ...streams,
    cwd: shown,
    cwdRead: said.cwd !== null,
    durationMs,
  };
  return { result, cwd: said.cwd };
}

interface Controller {
  killedBy: KilledBy | null;
  firstProcess: number | null;
  kill(by: KilledBy): void;
  finish(cutOff: () => void): Promise<void>;
}

/**
 * Ends everything of a command. Confined: the first process of its pid namespace, with which the kernel kills all
 * others, daemons included. Unconfined: the process group, which a process can leave; its pipes are cut then.
 */
function controller(pid: number | undefined, confined: boolean, info: Promise<Buffer>): Controller {
  const group = pid === undefined ? undefined : -pid;
  const control: Controller = {
    killedBy: null,
    firstProcess: null,
    kill(by) {
      control.killedBy ??= by;
      killHard(control.firstProcess ?? undefined);
      killHard(group);
    },
    async finish(cutOff) {
      if (confined) {
        await known;
        return waitGone(control.firstProcess);
      }
      killHard(group);
      setTimeout(cutOff, 200).unref();
    },
  };
  const known = info.then((bytes) => {
    const found = /"child-pid":\s*(\d+)/.exec(bytes.toString('utf8'));
    if (found) control.firstProcess = Number(found[1]);
    if (control.killedBy !== null) control.kill(control.killedBy);
  });
  return control;
}

/** bwrap has ended and its first process dies with it. Returns when that is over; after 100 ms it helps. */
async function waitGone(pid: number | null): Promise<void> {
  for (let tries = 0; pid !== null && isAlive(pid); tries++) {
    if (tries % 50 === 49) killHard(pid);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** A zombie has ended: nothing of it runs, and its parent alone decides when it disappears. */
function isAlive(pid: number): boolean {
  return processStart(pid)?.ended === false;
}

function startGuards(job: Job, control: Controller): { stop: () => void } {
  const { options, limits } = job;
  const timer = setTimeout(() => control.kill('time'), options.timeMs ?? limits.timeMs);
  const abort = () => control.kill('abort');
  if (options.signal?.aborted) abort();
  options.signal?.addEventListener('abort', abort, { once: true });
  const firstProcess = () => control.firstProcess;
  const watch = startWatch({ roots: job.watched, firstProcess, limits }, (by) => control.kill(by));
  return {
    stop() {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      watch.stop();
    },
  };
}

function openPipe(path: string): { read: Socket; write: number } {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const write = openSync(path, constants.O_WRONLY);
  return { read: new Socket({ fd, readable: true, writable: false }), write };
}

async function drain(
  pipe: Socket,
  name: StreamName,
  { limits, options }: Job,
  meter: { left: number },
  control: Controller,
): Promise<Captured> {
  const capture = createCapture(limits.headBytes, limits.tailBytes);
  try {
    for await (const chunk of pipe as AsyncIterable<Buffer>) {
      capture.add(chunk);
      await options.onOutput?.(name, chunk);
      meter.left -= chunk.length;
      if (meter.left < 0) control.kill('output');
    }
  } catch {
    control.kill('output');
  }
  return capture.result();
}

function send(pipe: NodeJS.WritableStream, bytes: Uint8Array): void {
  pipe.on('error', () => undefined);
  pipe.end(bytes);
}

function exitStatus(
  code: number | null,
  ended: NodeJS.Signals | null,
  reported: boolean,
  killedBy: KilledBy | null,
) {
  if (killedBy !== null) return { exitCode: null, signal: 'SIGKILL' as const, killedBy };
  const signal = code !== null && code > 128 && !reported ? signalName(code - 128) : ended;
  return { exitCode: code, signal, killedBy };
}

function signalName(number: number): NodeJS.Signals | null {
  const found = Object.entries(system.signals).find(([, value]) => value === number);
  return found ? (found[0] as NodeJS.Signals) : null;
}

function notStarted(job: Job, streams: Record<StreamName, Captured>, error: string | null): ShellResult {
  const said = error ?? showBytes(Buffer.concat([streams.stdout.head, streams.stderr.head])).text.trim();
  const hint = said.slice(0, 500) || 'the shell ended before it could start the command';
  return { ran: false, problem: { code: 'sandbox_failed', path: job.file, hint } };
}

const emptyCapture = (): Captured => ({ head: Buffer.alloc(0), tail: Buffer.alloc(0), total: 0 });
