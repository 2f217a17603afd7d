import { execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Attempt, AttemptResult } from './attempt.test.driver.ts';
import { findSandbox } from './find.ts';
import { type Identity, identityFor, isRoot } from './identity.ts';
import type { ShellLimits, ShellOptions } from './types.ts';

const execute = promisify(execFile);
const driver = fileURLToPath(new URL('attempt.test.driver.ts', import.meta.url));
const sandbox = await findSandbox();
if (!sandbox.available)
  console.warn(`sandbox tests skipped: ${sandbox.reason}. Install: ${sandbox.installLine}`);
const user = isRoot() ? identityFor(null) : null;
if (!isRoot()) console.warn('sandbox tests as root skipped: not started as root');
const starters: { name: string; as: Identity | null }[] = isRoot()
  ? [
      { name: 'root', as: null },
      { name: 'a user', as: user },
    ]
  : [{ name: 'a user', as: null }];

describe.runIf(sandbox.available).each(starters)(
  'attempts to leave the sandbox, started as $name',
  ({ as }) => {
    let ground: string;
    let workspace: string;

    beforeAll(() => {
      ground = mkdtempSync(join(tmpdir(), 'skillstate-escape-'));
      chmodSync(ground, 0o755);
      workspace = join(ground, 'workspace');
      mkdirSync(workspace);
      mkdirSync(join(ground, 'tmp'));
      chmodSync(join(ground, 'tmp'), 0o1777);
      writeFileSync(join(workspace, 'inside.txt'), 'inside');
      writeFileSync(join(ground, 'private.txt'), 'outside-private', { mode: 0o600 });
      writeFileSync(join(ground, 'public.txt'), 'outside-public', { mode: 0o644 });
      if (as !== null)
        for (const path of [workspace, join(workspace, 'inside.txt')]) chownSync(path, as.uid, as.gid);
    });
    afterAll(() => rmSync(ground, { recursive: true, force: true }));

    const attempt = async (
      commands: (string | Attempt['commands'][number])[],
      limits: Partial<ShellLimits> = {},
      more: Partial<ShellOptions> = {},
    ): Promise<AttemptResult[]> => {
      const options: ShellOptions = { workspace, mode: 'bind', takeOwnership: true, limits, ...more };
      const asked: Attempt = {
        options,
        commands: commands.map((entry) => (typeof entry === 'string' ? { command: entry } : entry)),
      };
      const ids = as === null ? {} : { uid: as.uid, gid: as.gid };
      const env = { PATH: '/usr/bin:/bin', HOST_SECRET: 'not for inside', TMPDIR: join(ground, 'tmp') };
      const { stdout } = await execute(process.execPath, [driver, JSON.stringify(asked)], {
        ...ids,
        env,
        cwd: '/',
      });
      return JSON.parse(stdout) as AttemptResult[];
    };
    const one = async (...given: Parameters<typeof attempt>): Promise<AttemptResult> => {
      const [result] = await attempt(...given);
      if (result === undefined) throw new Error('no result');
      return result;
    };

    test('the workspace itself can be read and written', async () => {
      const result = await one(['cat inside.txt; echo more > new.txt && cat new.txt']);
      expect(result).toMatchObject({ stdout: 'insidemore\n', stderr: '', exitCode: 0 });
      expect(readFileSync(join(workspace, 'new.txt'), 'utf8')).toBe('more\n');
    });

    test('it is not root inside, has no capability and cannot get one', async () => {
      const [ids, caps, unshare] = await attempt([
        'id -u; touch mine',
        'grep -E "^(Cap|NoNewPrivs)" /proc/self/status',
        'unshare --user --map-root-user id || unshare --mount id || chroot / id || su -c id || sudo -n id',
      ]);
      expect(ids?.stdout).toBe('1000\n');
      expect(statSync(join(workspace, 'mine')).uid).not.toBe(0);
      expect(caps?.stdout.match(/^Cap\w+:\t0{16}$/gm)).toHaveLength(5);
      expect(caps?.stdout).toContain('NoNewPrivs:\t1');
      expect(unshare?.exitCode).not.toBe(0);
      expect(unshare?.stdout).toBe('');
    });

    test('mounts cannot be changed and the system cannot be written', async () => {
      const results = await attempt([
        'mount -o remount,rw / || mount -o remount,rw,bind /usr || umount /proc || mount -t tmpfs x /tmp',
        'for d in / /usr /usr/bin /etc /dev /var /proc/sys/kernel; do touch $d/written && echo WROTE $d; done; true',
        'echo x > /etc/passwd; echo x > /usr/bin/env; rm -f /usr/bin/env; mkdir /new && echo MADE; true',
        'mknod /tmp/disk b 254 0 && echo MADE; mknod disk c 1 1 && echo MADE; true',
      ]);
      expect(results[0]?.exitCode).not.toBe(0);
      for (const result of results.slice(1)) expect(result.stdout).toBe('');
      expect(existsSync('/usr/bin/env')).toBe(true);
    });

    test("files outside are not there: private ones, public ones, home directories, the host's /tmp", async () => {
      const paths = ['private.txt', 'public.txt'].map((name) => join(ground, name));
      const commands = [...paths, '/etc/shadow', '/etc/hostname', '/root/.bashrc', driver].map(
        (path) => `cat ${path}`,
      );
      const through = [
        `ln -s ${paths[1]} link; cat link`,
        `cat /proc/1/root${paths[1]}`,
        `cat /workspace/../../..${paths[1]}`,
        `ls ${ground} /home /root /work /srv /sys /boot`,
        'ls /proc/1/root/home || ls /proc/1/cwd/home',
      ];
      for (const result of await attempt([...commands, ...through])) {
        expect(result.stdout).not.toContain('outside');
        expect(result.exitCode).not.toBe(0);
      }
      expect((await one(['ls -A /tmp | wc -l'])).stdout).toBe('0\n');
    });

    test('a setuid program brought along in the workspace stays without power', async () => {
      const result = await one([
        'cp /usr/bin/id ./id; chmod 4755 ./id; ./id -u; cp /bin/bash b; chmod 4755 b; ./b -p -c "id -u"',
      ]);
      expect(result.stdout).toBe('1000\n1000\n');
    });

    test("the host's processes cannot be seen, signalled or traced, and no environment comes in", async () => {
      const [processes, signal, env, commandLine] = await attempt([
        'ls /proc | grep -c "^[0-9]"',
        `kill -9 ${process.pid} 2>/dev/null && echo SENT; cat /proc/${process.pid}/environ; true`,
        'env; cat /proc/*/environ | tr "\\0" "\\n"',
        'cat /proc/*/cmdline | tr "\\0" " "',
      ]);
      expect(Number(processes?.stdout)).toBeLessThan(8);
      expect(signal?.stdout).toBe('');
      expect(env?.stdout).not.toMatch(/HOST_SECRET|not for inside/);
      expect(env?.stdout).toContain('HOME=/workspace');
      expect(commandLine?.stdout).not.toContain(ground);
    });

    describe('network', () => {
      const servers: Server[] = [];
      let port = 0;
      const abstract = `skillstate-${process.pid}-${as?.uid ?? 0}`;
      beforeAll(async () => {
        const listen = (where: { port: number; host: string } | { path: string }) =>
          new Promise<Server>((resolve) => {
            const server = createServer((socket) => socket.end('REACHED'));
            servers.push(server);
            server.listen(where, () => resolve(server));
          });
        const address = (await listen({ port: 0, host: '127.0.0.1' })).address();
        port = typeof address === 'object' && address ? address.port : 0;
        await listen({ path: `\0${abstract}` });
        await listen({ path: join(ground, 'socket') });
        chmodSync(join(ground, 'socket'), 0o777);
      });
      afterAll(() => servers.forEach((server) => server.close()));

      const probes = () => [
        `timeout 5 bash -c 'exec 5<>/dev/tcp/127.0.0.1/${port}; cat <&5'`,
        `python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("\\0${abstract}"); print(s.recv(9))'`,
        `python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("${ground}/socket"); print(s.recv(9))'`,
      ];

      test("by default the host's loopback, abstract sockets and socket files cannot be reached", async () => {
        const results = await attempt([
          ...probes(),
          'cut -d: -f1 /proc/net/dev | tail -n +3; cat /proc/net/route | wc -l',
        ]);
        for (const result of results.slice(0, 3)) {
          expect(result.exitCode).not.toBe(0);
          expect(result.stdout).not.toContain('REACHED');
        }
        expect(results[3]?.stdout.trim().split(/\s+/)).toEqual(['lo', '1']);
      });

      test('with network: host the loopback answers, and files still do not', async () => {
        const results = await attempt(probes(), {}, { network: 'host' });
        expect(results[0]?.stdout).toBe('REACHED');
        expect(results[2]?.stdout).not.toContain('REACHED');
      });
    });

    describe('limits', () => {
      test('a fork bomb stays within the process limit and ends with the command', async () => {
        // At most 512 processes, should the limit ever fail to hold.
        const bomb =
          'f() { [ $1 -gt 8 ] || { f $(($1+1)) | f $(($1+1)) & }; sleep 0.5; }; f 1 & ' +
          'for i in $(seq 30); do ls /proc | grep -c "^[0-9]"; sleep 0.02; done';
        const result = await one([{ command: bomb, run: { timeMs: 3000 } }], { processes: 40 });
        const counts = result.stdout.split('\n').filter(Boolean).map(Number);
        expect(Math.max(0, ...counts)).toBeLessThanOrEqual(42);
        expect(result.stderr).toContain('Resource temporarily unavailable');
        expect(leftovers(as, workspace)).toEqual([]);
      });

      test('memory is bounded for one process and for all together', async () => {
        const eat = (mib: number) => `python3 -c "b=bytearray(${mib}<<20); import time; time.sleep(20)"`;
        const single = await one([eat(900)], { addressBytes: 512 << 20 });
        expect(single.stderr).toContain('MemoryError');
        const both = await one([`${eat(90)} & ${eat(90)} & wait`], { memoryBytes: 128 << 20 });
        expect(both.killedBy).toBe('memory');
      });

      test('one file, /tmp and /dev/shm cannot grow over their sizes', async () => {
        const fill = (path: string) =>
          `dd if=/dev/zero of=${path} bs=64k count=400 2>/dev/null; stat -c %s ${path}; rm -f ${path}`;
        const limits = { fileBytes: 8 << 20, tmpBytes: 4 << 20 };
        const results = await attempt([fill('./big'), fill('/tmp/big'), fill('/dev/shm/big')], limits);
        expect(results.map(({ stdout }) => Number(stdout))).toEqual([8 << 20, 4 << 20, 4 << 20]);
      });

      test.each([
        ['many files', 'for i in $(seq 1 400); do head -c 1M /dev/zero > f$i; done'],
        [
          'deleted but open files',
          "python3 -c \"\nimport os,time\nfor i in range(400):\n f=open('d%d'%i,'wb'); os.unlink(f.name); f.write(bytes(1<<20)); f.flush(); globals()[i]=f\ntime.sleep(20)\"",
        ],
        [
          'files in a directory that cannot be listed',
          'mkdir h; chmod 300 h; for i in $(seq 1 400); do head -c 1M /dev/zero > h/$i; done; sleep 20',
        ],
      ])('the workspace cannot grow over its size by %s', async (_, command) => {
        const result = await one([{ command, run: { timeMs: 15_000 } }], { workspaceBytes: 48 << 20 });
        expect(result.killedBy).toMatch(/^(workspace|watch)$/);
        await execute('/bin/chmod', ['-R', 'u+rwX', workspace]);
        await execute('/bin/sh', ['-c', `rm -rf ${workspace}/f* ${workspace}/h ${workspace}/d*`]);
      });

      test('a flood of empty files and a flood of output are ended', async () => {
        const files = await one(['mkdir e; i=0; while :; do i=$((i+1)); : > e/$i; done'], {
          workspaceEntries: 500,
        });
        expect(files.killedBy).toBe('workspace');
        const output = await one(['yes'], { outputBytes: 1 << 20 });
        expect(output.killedBy).toBe('output');
        expect(output.stdout.length).toBeLessThan(100_000);
        rmSync(join(workspace, 'e'), { recursive: true });
      });
    });

    test('nothing outlives the call: daemons, ignored signals, closed pipes, a time-out', async () => {
      const daemon = `python3 -c "
import os,time,signal
for s in (1,2,15): signal.signal(s, signal.SIG_IGN)
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for f in range(64):
  try: os.close(f)
  except OSError: pass
time.sleep(0.5)
open('/workspace/outlived','w')
time.sleep(60)"`;
      const results = await attempt([
        daemon,
        '(trap "" HUP TERM; setsid sleep 61) & disown; echo started',
        { command: `${daemon}; sleep 60`, run: { timeMs: 300 } },
      ]);
      expect(results.map(({ killedBy }) => killedBy)).toEqual([null, null, 'time']);
      expect(leftovers(as, workspace)).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 700));
      expect(existsSync(join(workspace, 'outlived'))).toBe(false);
    });

    test('when the calling process is killed the command dies with it', async () => {
      const asked: Attempt = {
        options: { workspace, mode: 'bind', takeOwnership: true },
        commands: [{ command: 'touch begun; sleep 62' }],
      };
      const ids = as === null ? {} : { uid: as.uid, gid: as.gid };
      const child = spawn(process.execPath, [driver, JSON.stringify(asked)], {
        ...ids,
        env: { TMPDIR: join(ground, 'tmp') },
        cwd: '/',
        stdio: 'ignore',
      });
      for (let i = 0; i < 400 && running('sleep\0' + '62\0').length === 0; i++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(running('sleep\0' + '62\0')).toHaveLength(1);
      child.kill('SIGKILL');
      for (let i = 0; i < 100 && running('sleep\0' + '62\0').length > 0; i++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(running('sleep\0' + '62\0')).toEqual([]);
    });
  },
);

/** Commands of processes that run as the sandbox's user; none are expected once a call is over. */
function leftovers(as: Identity | null, workspace: string): string[] {
  if (!isRoot()) return running('sleep\0' + '61\0');
  const uid = as?.uid ?? statSync(workspace).uid;
  return live().flatMap(({ owner, line }) => (owner === uid ? [line] : []));
}

function running(commandLine: string): string[] {
  return live().flatMap(({ line }) => (line === commandLine ? [line] : []));
}

/** Every process that is not a zombie, with the user it runs as. */
function live(): { owner: number; line: string }[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return line === '' ? [] : [{ owner: statSync(`/proc/${pid}`).uid, line }];
    } catch {
      return [];
    }
  });
}
