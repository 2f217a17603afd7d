import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { parseJson } from '../../json/parse.ts';
import type { Sdk } from './sdk.ts';

/** Largest message of a server; a longer line ends the connection. */
const MESSAGE_BYTES = 96 * 1024 * 1024;
/** Kept of a server's standard error and of its noise, for error messages. */
const TAIL = 2000;
/** JSON-RPC's code for an answer that is no JSON; made here, never sent by a server that could say so. */
export const UNREADABLE = -32_700;

export type StdioCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
};

/** One server process. Of this transport's own, because errors must name exit status, standard error and noise. */
export type StdioLine = {
  readonly transport: Transport;
  /** How it ended and what it said outside the protocol; '' where there is nothing to tell. */
  readonly trouble: () => string;
};

/** Who is told of a process that runs, and of what it says outside the protocol. */
export type StdioEvents = {
  readonly spawned: (pid: number) => void;
  readonly log: (line: string) => void;
  /** Replaces secrets in what the process said, before it is cut. */
  readonly redact: (text: string) => string;
};

/**
 * Prepares a server process; `transport.start()` spawns it, in a process group of its own, with only `env`. `node` is
 * this very Node.
 */
export function openStdio(command: StdioCommand, sdk: Sdk, { spawned, log, redact }: StdioEvents): StdioLine {
  let child: ChildProcess | null = null;
  let ended: string | null = null;
  const noise = { lines: 0, first: '' };
  let stderr = '';
  const transport: Transport = {
    async start() {
      child = await launch(command);
      if (child.pid !== undefined) spawned(child.pid);
      const lines = splitLines((line) => receive(line), tooLong);
      child.stdout?.on('data', lines);
      const decoder = new StringDecoder('utf8');
      child.stderr?.on('data', (chunk: Buffer) => {
        stderr = (stderr + decoder.write(chunk)).slice(-2 * TAIL);
      });
      for (const stream of child.stdio) stream?.on('error', () => undefined);
      void atEnd(child).then((how) => {
        ended = how;
        transport.onclose?.();
      });
    },
    send: (message) => write(child, ended, message),
    async close() {
      if (child !== null) await end(child);
    },
  };
  const tooLong = (): void => {
    log(`a message of more than ${MESSAGE_BYTES} bytes; it is ended`);
    if (child !== null) signalGroup(child, 'SIGKILL');
  };
  const receive = (line: string): void => {
    const message = decode(line, sdk);
    if (message !== null) return transport.onmessage?.(message);
    if (line.trim() === '') return;
    noise.lines += 1;
    const shown = redact(line).slice(0, 200);
    if (noise.first === '') noise.first = shown;
    log(`a line on standard output that is no message: ${shown}`);
  };
  const trouble = (): string => {
    const said = redact(stderr).slice(-TAIL).trim();
    const parts = [
      ended === null ? '' : `it ${ended}`,
      noise.lines === 0
        ? ''
        : `it printed ${noise.lines} lines on standard output that are no messages, first: ${noise.first}`,
      said === '' ? '' : `standard error: ${said}`,
    ];
    return parts.filter((part) => part !== '').join('; ');
  };
  return { transport, trouble };
}

function launch({ command, args, env, cwd }: StdioCommand): Promise<ChildProcess> {
  if (!existsSync(cwd)) return Promise.reject(new Error(`its working directory ${cwd} does not exist`));
  return new Promise((resolve, reject) => {
    const file = command === 'node' ? process.execPath : command;
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: 'pipe',
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    child.once('spawn', () => resolve(child));
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        new Error(
          error.code === 'ENOENT'
            ? `the command ${command} was not found`
            : `${command} cannot be run: ${error.message}`,
        ),
      );
    });
  });
}

/**
 * Resolves when the process has ended and its last output was read. What it started itself (`npx` starts the server)
 * is ended with it.
 */
async function atEnd(child: ChildProcess): Promise<string> {
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once('exit', (exitCode, exitSignal) => {
      signalGroup(child, 'SIGKILL');
      resolve([exitCode, exitSignal]);
    });
  });
  const drained = new Promise((resolve) => child.once('close', resolve));
  await Promise.race([drained, pause(250)]);
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

function write(child: ChildProcess | null, ended: string | null, message: JSONRPCMessage): Promise<void> {
  const input = child?.stdin;
  if (input == null || ended !== null || !input.writable)
    return Promise.reject(new Error('the server does not run'));
  return new Promise((resolve, reject) => {
    input.write(`${JSON.stringify(message)}\n`, (error) => (error == null ? resolve() : reject(error)));
  });
}

/** By the end of its input, as the protocol has it; then by signals to its whole group. */
async function end(child: ChildProcess): Promise<void> {
  const over = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end();
  for (const [signal, patience] of [
    [null, 1500],
    ['SIGTERM', 1000],
    ['SIGKILL', 1000],
  ] as const) {
    if (over()) break;
    if (signal !== null) signalGroup(child, signal);
    const stop = new AbortController();
    await Promise.race([gone, pause(patience, null, { signal: stop.signal }).catch(() => null)]);
    stop.abort();
  }
  for (const stream of child.stdio) stream?.destroy();
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (process.platform === 'win32') child.kill(signal);
    else if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}

/** Calls `take` with each line of a byte stream; no character is cut in two. */
function splitLines(take: (line: string) => void, tooLong: () => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, at));
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      size = 0;
      start = at + 1;
      take(line);
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    if (size > MESSAGE_BYTES) tooLong();
  };
}

/**
 * A message, or null for noise. An answer that is no valid JSON (a NaN in it, P07) becomes an error for the call that
 * waits for it, with the place named, instead of silence until the deadline.
 */
function decode(line: string, sdk: Sdk): JSONRPCMessage | null {
  try {
    return sdk.deserializeMessage(line);
  } catch {
    const id = /^\s*\{.*"jsonrpc"\s*:\s*"2\.0"/s.test(line)
      ? /"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")\s*[,}]/.exec(line)?.[1]
      : undefined;
    if (id === undefined || /"method"\s*:/.test(line.slice(0, 200))) return null;
    const parsed = parseJson(line, { bytes: MESSAGE_BYTES });
    const why = parsed.ok
      ? 'it is no JSON-RPC answer'
      : parsed.issues.map((issue) => `${issue.path} ${issue.hint}`.trim()).join('; ');
    const message = `the server's answer cannot be read: ${why}`;
    return { jsonrpc: '2.0', id: JSON.parse(id) as string | number, error: { code: UNREADABLE, message } };
  }
}
