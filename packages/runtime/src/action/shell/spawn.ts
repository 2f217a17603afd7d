import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { Identity } from './identity.ts';

export interface Started {
  child: ChildProcess;
  /** Settles once, when the process has ended or could not be started. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; error: string | null }>;
}

/** Starts a program in a process group of its own, with an empty environment, as the given user. */
export function startProcess(
  file: string,
  args: string[],
  user: Identity | null,
  stdio: StdioOptions,
): Started {
  const child = spawn(file, args, {
    cwd: '/',
    env: {},
    detached: true,
    stdio,
    ...(user === null ? {} : { uid: user.uid, gid: user.gid }),
  });
  const ended = new Promise<Awaited<Started['ended']>>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error: error.message }));
    child.once('exit', (code, signal) => resolve({ code, signal, error: null }));
  });
  return { child, ended };
}

/** SIGKILL for a process group or one process; gone already is fine. */
export function killHard(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
}

/** The pipe at a descriptor beyond the usual three; an ended one where the process could not be started. */
export function pipeAt(child: ChildProcess, fd: number): Readable & Writable {
  const streams = child.stdio as unknown as (Readable & Writable)[] | undefined;
  return streams?.[fd] ?? new PassThrough().end();
}

/** All bytes of a stream, at most `cap`; never rejects. */
export async function readAll(stream: Readable, cap: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (length < cap) chunks.push(chunk);
      length += chunk.length;
    }
  } catch {
    // a broken pipe ends the stream like any other end
  }
  return Buffer.concat(chunks).subarray(0, cap);
}

/** Runs a short program and collects what it says; `extraFd` is opened as a pipe and thrown away. */
export async function collect(file: string, args: string[], user: Identity | null, extraFd: number) {
  const stdio: ('ignore' | 'pipe')[] = ['ignore', 'ignore', 'pipe', 'ignore', 'ignore', 'ignore'];
  stdio[extraFd] = 'pipe';
  const { child, ended } = startProcess(file, args, user, stdio);
  pipeAt(child, extraFd).resume();
  const stderr = child.stderr == null ? Buffer.alloc(0) : await readAll(child.stderr, 4096);
  const { code, error } = await ended;
  return { code, stderr: error ?? stderr.toString('utf8') };
}
