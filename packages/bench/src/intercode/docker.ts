import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RunOptions, ShellCommand, ShellResult } from '@skillstate/runtime';
import type { CtfShell, PortResult, SandboxPort } from './port.ts';

const execute = promisify(execFile);
const cwdFile = '/tmp/.skillstate-cwd';
const outputCap = 16 * 1024 * 1024;
/** Bash with the command as its first argument; leaves the directory in a file. */
const wrapper = `exec 2>&1; trap 'pwd >${cwdFile}' EXIT; eval -- "$1"`;

export interface DockerOptions {
  docker?: string;
  /** An image with bash, python3 and coreutils. Default: the one the original repository builds. */
  image?: string;
}

/** Whether a Docker engine answers, or why not. */
export async function findDocker(docker = 'docker'): Promise<{ available: boolean; reason: string }> {
  try {
    const { stdout } = await execute(docker, ['version', '--format', '{{.Server.Version}}'], {
      timeout: 10_000,
    });
    return { available: true, reason: `Docker engine ${stdout.trim()}` };
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const said = (stderr ?? message).trim().split('\n').at(-1) ?? message;
    return { available: false, reason: `no Docker engine is reachable: ${said}` };
  }
}

/** Episodes in containers of their own: no capabilities, no network unless asked for, removed on close. */
export function dockerPort(options: DockerOptions = {}): SandboxPort {
  const docker = options.docker ?? 'docker';
  const image = options.image ?? 'intercode-ctf';
  return {
    name: `docker (${image})`,
    async open({ assets, mount, network, limits }): Promise<PortResult> {
      const found = await findDocker(docker);
      if (!found.available) return { ok: false, problem: { code: 'docker_missing', hint: found.reason } };
      const confined = ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', '256'];
      const memory = ['--memory', String(limits.memoryBytes ?? 2 ** 31)];
      const net = ['--network', network ? 'bridge' : 'none'];
      try {
        const args = [
          'run',
          '-d',
          '--rm',
          ...confined,
          ...memory,
          ...net,
          '-w',
          mount,
          image,
          'sleep',
          'infinity',
        ];
        const id = (await execute(docker, args)).stdout.trim();
        await execute(docker, ['cp', `${assets}/.`, `${id}:${mount}`]);
        return { ok: true, shell: containerShell(docker, id, mount) };
      } catch (error) {
        return {
          ok: false,
          problem: { code: 'docker_failed', hint: (error as Error).message.slice(0, 500) },
        };
      }
    },
  };
}

function containerShell(docker: string, id: string, mount: string): CtfShell {
  let cwd = mount;
  return {
    async run(command: ShellCommand, options: RunOptions = {}): Promise<ShellResult> {
      const began = performance.now();
      const isArgv = typeof command === 'object' && 'argv' in command;
      const words = isArgv
        ? ['sh', '-c', 'exec "$@" 2>&1', 'sh', ...command.argv]
        : ['bash', '-c', wrapper, 'bash'];
      if (!isArgv) words.push(typeof command === 'string' ? command : Buffer.from(command).toString('utf8'));
      const seconds = String(Math.ceil((options.timeMs ?? 60_000) / 1000));
      const place = options.cwd ?? cwd;
      const ended = await call(docker, ['exec', '-w', place, id, 'timeout', '-s', 'KILL', seconds, ...words]);
      await options.onOutput?.('stdout', ended.output);
      const said = isArgv ? null : await readCwd(docker, id);
      if (said !== null) cwd = said;
      const late = ended.code === 137 && performance.now() - began >= Number(seconds) * 1000;
      const empty = Buffer.alloc(0);
      return {
        ran: true,
        exitCode: late ? null : ended.code,
        signal: late ? 'SIGKILL' : null,
        killedBy: late ? 'time' : null,
        stdout: { head: ended.output, tail: empty, total: ended.output.length },
        stderr: { head: empty, tail: empty, total: 0 },
        cwd,
        cwdRead: said !== null,
        durationMs: performance.now() - began,
      };
    },
    async close() {
      await execute(docker, ['rm', '-f', id]).catch(() => undefined);
    },
  };
}

async function readCwd(docker: string, id: string): Promise<string | null> {
  const { code, output } = await call(docker, ['exec', id, 'cat', cwdFile]);
  return code === 0 ? output.toString('utf8').replace(/\n$/, '') : null;
}

function call(docker: string, args: string[]): Promise<{ code: number; output: Buffer }> {
  return new Promise((resolve) => {
    execFile(docker, args, { encoding: 'buffer', maxBuffer: outputCap }, (error, stdout) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 125;
      resolve({ code, output: stdout });
    });
  });
}
