import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { showBytes, showCaptured } from './bytes.ts';
import { findSandbox, installLine } from './find.ts';
import { isRoot, processLimit } from './identity.ts';
import { openShell, runInSandbox } from './shell.ts';
import type { RunOptions, Shell, ShellCommand, ShellOptions, ShellRun } from './types.ts';

const sandbox = await findSandbox();
if (!sandbox.available)
  console.warn(`sandbox tests skipped: ${sandbox.reason}. Install: ${sandbox.installLine}`);

let ground: string;
let workspace: string;
const open: Shell[] = [];

beforeAll(() => {
  ground = mkdtempSync(join(tmpdir(), 'skillstate-shell-test-'));
  chmodSync(ground, 0o755);
  workspace = join(ground, 'workspace');
  mkdirSync(join(workspace, 'sub dir'), { recursive: true });
  writeFileSync(join(workspace, 'f.txt'), 'a b\nc\n');
  chmodSync(join(workspace, 'f.txt'), 0o444);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((shell) => shell.close()));
});
afterAll(() => rmSync(ground, { recursive: true, force: true }));

async function shellOn(options: Partial<ShellOptions> = {}): Promise<Shell> {
  const opened = await openShell({ workspace, mode: 'copy', ...options });
  if (!opened.ok) throw new Error(opened.problem.hint);
  open.push(opened.shell);
  return opened.shell;
}

async function run(
  shell: Shell,
  command: ShellCommand,
  options?: RunOptions,
): Promise<ShellRun & { text: string }> {
  const result = await shell.run(command, options);
  if (!result.ran) throw new Error(result.problem.hint);
  return { ...result, text: showCaptured(result.stdout).text };
}

const kinds = sandbox.available
  ? [
      { name: 'confined', unsafe: false },
      { name: 'unconfined', unsafe: true },
    ]
  : [{ name: 'unconfined', unsafe: true }];

describe.each(kinds)('a shell, $name', ({ unsafe }) => {
  const opened = (options: Partial<ShellOptions> = {}) => shellOn({ unsafe, ...options });

  test('P83: double quotes, dollars and backslashes reach bash as they are', async () => {
    const shell = await opened();
    expect((await run(shell, 'grep "a b" f.txt')).text).toBe('a b\n');
    expect((await run(shell, 'python3 -c "print(1)"')).text).toBe('1\n');
    expect((await run(shell, 'x=y; echo $x "x" \'$x\' "\\"" \\\\ `echo z`')).text).toBe('y x $x " \\ z\n');
    expect((await run(shell, "cat <<'E'\n$a \"b\" 'c' \\\nE\necho end # no newline")).text).toBe(
      '$a "b" \'c\' \\\nend\n',
    );
  });

  test('P83: any bytes but NUL go in and come out exactly', async () => {
    const shell = await opened();
    const bytes = fc
      .uint8Array({ maxLength: 60 })
      .map((all) => all.filter((byte) => byte !== 0 && byte !== 0x27));
    await fc.assert(
      fc.asyncProperty(bytes, async (word) => {
        const command = Buffer.concat([Buffer.from("printf %s '"), word, Buffer.from("'")]);
        expect((await run(shell, command)).stdout.head).toEqual(Buffer.from(word));
        expect((await run(shell, 'cat', { stdin: word })).stdout.head).toEqual(Buffer.from(word));
      }),
      { numRuns: 15 },
    );
  });

  test('a command longer than an argument may be is run whole', async () => {
    const word = 'x'.repeat(300_000);
    const result = await run(await opened(), `printf %s '${word}' | wc -c`);
    expect(result.text.trim()).toBe('300000');
  });

  test('P84: output that is not UTF-8 keeps its exit code, its effect and its bytes', async () => {
    const shell = await opened();
    const result = await run(shell, "printf 'ok \\xff\\x00' | tee copy; exit 3");
    expect(result).toMatchObject({ exitCode: 3, killedBy: null, signal: null });
    expect(showBytes(result.stdout.head)).toEqual({ text: 'ok \\xff\0', escaped: true });
    expect((await run(shell, 'wc -c < copy')).text.trim()).toBe('5');
  });

  test('P85: the directory is what the shell says: cd alone, compound commands, exit, traps, names like cd', async () => {
    const shell = await opened();
    const home = shell.mount;
    const steps: [string, string][] = [
      ['cd "sub dir" && ls', `${home}/sub dir`],
      ['cd', home],
      ['cd /usr && cd lib; exit 4', '/usr/lib'],
      ['cd ~/sub*', `${home}/sub dir`],
      ['(cd /usr)', `${home}/sub dir`],
      ['cdparanoia -v', `${home}/sub dir`],
      ['trap "true" EXIT; cd /usr/share', '/usr/share'],
      ['set -eu; cd /usr; false; cd /', '/usr'],
      ['cd nowhere', '/usr'],
      ['cd "$HOME"; for (', '/usr'],
      ['cd "$HOME"', home],
    ];
    for (const [command, cwd] of steps) {
      const result = await run(shell, command);
      expect([command, result.cwd, result.cwdRead]).toEqual([command, cwd, true]);
    }
    expect(shell.cwd()).toBe(home);
  });

  test('a directory that is no UTF-8, and one that was removed, do not stop the next command', async () => {
    const shell = await opened();
    const odd = await run(shell, "mkdir $'\\xff\\n' && cd $'\\xff\\n'");
    expect(odd.cwd).toBe(`${shell.mount}/\\xff\n`);
    expect((await run(shell, 'basename "$PWD" | od -An -tx1')).text.trim()).toBe('ff 0a 0a');
    await run(shell, 'rmdir "$PWD"');
    expect(await run(shell, 'true')).toMatchObject({ cwd: shell.mount, exitCode: 0 });
  });

  test('exit codes and signals are told apart from limits', async () => {
    const shell = await opened();
    expect(await run(shell, 'exit 200')).toMatchObject({ exitCode: 200, signal: null, killedBy: null });
    expect(await run(shell, 'sh -c "kill -9 \\$\\$"')).toMatchObject({ exitCode: 137, signal: null });
    const died = await run(shell, 'kill -9 $$');
    expect(died).toMatchObject({ signal: 'SIGKILL', killedBy: null, cwdRead: false, cwd: shell.mount });
    const late = await run(shell, 'echo begun; sleep 30', { timeMs: 300 });
    expect(late).toMatchObject({ exitCode: null, signal: 'SIGKILL', killedBy: 'time', text: 'begun\n' });
    expect(late.durationMs).toBeGreaterThanOrEqual(290);
  });

  test('output beyond the capture is counted and handed on whole, in order', async () => {
    const shell = await opened({ limits: { headBytes: 100, tailBytes: 50 } });
    const hash = createHash('sha256');
    const result = await run(shell, 'seq 1 200000', { onOutput: (_, chunk) => void hash.update(chunk) });
    const all = `${Array.from({ length: 200_000 }, (_, i) => i + 1).join('\n')}\n`;
    expect(result.stdout.total).toBe(all.length);
    expect(result.stdout.head.toString()).toBe(all.slice(0, 100));
    expect(result.stdout.tail.toString()).toBe(all.slice(-50));
    expect(hash.digest('hex')).toBe(createHash('sha256').update(all).digest('hex'));
  });

  test('merged output keeps the order in which it was written', async () => {
    const result = await run(
      await opened(),
      'for i in 1 2 3; do echo o$i; echo e$i >&2; done; echo x >/dev/stderr',
      {
        merge: true,
      },
    );
    expect(result.text).toBe('o1\ne1\no2\ne2\no3\ne3\nx\n');
    expect(result.stderr.total).toBe(0);
  });

  test('standard input is empty and the environment is its own', async () => {
    process.env['SKILLSTATE_TEST_SECRET'] = 'host';
    const shell = await opened({ env: { ADDED: 'a "b" $c' } });
    expect((await run(shell, 'cat; env')).text).not.toMatch(/SECRET|NODE|SKILLSTATE/);
    expect((await run(shell, 'printf %s "$ADDED"')).text).toBe('a "b" $c');
    delete process.env['SKILLSTATE_TEST_SECRET'];
  });

  test('argv runs a program without a shell and leaves the directory alone', async () => {
    const shell = await opened();
    const result = await run(shell, { argv: ['printf', '%s|', '$HOME', '"a b"', '*'] }, { cwd: '/usr' });
    expect(result.text).toBe('$HOME|"a b"|*|');
    expect(shell.cwd()).toBe(shell.mount);
    expect(await run(shell, { argv: ['no-such-program'] })).toMatchObject({ exitCode: 127 });
  });

  test('a copy is private, writable and gone after close; a kept /tmp lasts as long as the shell', async () => {
    const shell = await opened({ keepTmp: true });
    await run(shell, 'echo changed > f.txt; mkdir -p deep/er; chmod 0 deep');
    if (!unsafe) await run(shell, 'echo kept > /tmp/kept');
    if (!unsafe) expect((await run(shell, 'cat /tmp/kept')).text).toBe('kept\n');
    expect(readFileSync(join(workspace, 'f.txt'), 'utf8')).toBe('a b\nc\n');
    await shell.close();
    expect(existsSync(shell.workspace)).toBe(false);
    expect(existsSync(dirname(shell.workspace))).toBe(false);
    expect(await shell.run('true')).toMatchObject({ ran: false, problem: { code: 'shell_closed' } });
  });

  test('commands of one shell run one after the other, and an abort or close ends them', async () => {
    const shell = await opened();
    const order = ['sleep 0.2; echo 1 >> log', 'echo 2 >> log', 'cat log'].map((command) =>
      run(shell, command),
    );
    expect((await Promise.all(order)).at(-1)?.text).toBe('1\n2\n');
    const abort = new AbortController();
    const aborted = run(shell, 'sleep 30', { signal: abort.signal });
    setTimeout(() => abort.abort(), 100);
    expect(await aborted).toMatchObject({ killedBy: 'abort' });
    const closing = run(shell, 'sleep 30');
    setTimeout(() => void shell.close(), 100);
    expect(await closing).toMatchObject({ killedBy: 'abort' });
  });

  test('a NUL byte is refused, an output handler that throws ends the command', async () => {
    const shell = await opened();
    expect(await shell.run('echo a\0b')).toMatchObject({ ran: false, problem: { code: 'command_has_nul' } });
    const broken = await run(shell, 'yes', {
      onOutput: () => {
        throw new Error('disk full');
      },
    });
    expect(broken.killedBy).toBe('output');
  });
});

describe('opening a shell', () => {
  test.each(['/', '/usr', '/etc', '/etc/ssl', '/proc/self', '/home', '/root', '/tmp', '/dev/shm'])(
    '%s is never a workspace, through a link neither',
    async (path) => {
      if (!existsSync(path)) return;
      const result = await openShell({ workspace: path, mode: 'bind', unsafe: true });
      expect(result).toMatchObject({ ok: false, problem: { code: 'workspace_forbidden' } });
      expect(await openShell({ workspace: `${workspace}/../../../..${path}`, mode: 'copy' })).toMatchObject({
        ok: false,
      });
    },
  );

  test('a missing workspace, a missing bwrap and a workspace over its size are problems with a hint', async () => {
    const problem = async (options: Partial<ShellOptions>) => {
      const result = await openShell({ workspace, mode: 'copy', ...options });
      return result.ok ? null : result.problem;
    };
    expect(await problem({ workspace: join(ground, 'none') })).toMatchObject({ code: 'workspace_missing' });
    const missing = await problem({ bwrap: '/nonexistent/bwrap' });
    expect(missing?.code).toBe('sandbox_missing');
    expect(missing?.hint).toMatch(/Install: .*bubblewrap/);
    const small = { limits: { workspaceEntries: 1 }, unsafe: true };
    expect(await problem(small)).toMatchObject({ code: 'workspace_too_large' });
    expect(await runInSandbox('true', { workspace, mode: 'copy', bwrap: '/bin/false' })).toMatchObject({
      ran: false,
    });
  });

  test.each(['relative', '/', '/usr/x', '/proc', '/a/../b', '/a//b', '/tmp/x'])(
    'mount %s throws',
    async (mount) => {
      await expect(openShell({ workspace, mode: 'copy', mount })).rejects.toThrow(RangeError);
    },
  );

  test('limits that make no sense throw', async () => {
    for (const timeMs of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(openShell({ workspace, mode: 'copy', limits: { timeMs } })).rejects.toThrow(RangeError);
    }
  });

  test.runIf(isRoot() && sandbox.available)(
    'as root, a bound workspace of root changes hands only when told to',
    async () => {
      const bound = join(ground, 'bound');
      mkdirSync(bound);
      const kept = await openShell({ workspace: bound, mode: 'bind' });
      expect(kept).toMatchObject({ ok: false, problem: { code: 'workspace_owned_by_root' } });
      expect(statSync(bound).uid).toBe(0);
      const shell = await shellOn({ workspace: bound, mode: 'bind', takeOwnership: true });
      expect((await run(shell, 'echo x > made; stat -c %u made .')).text).toBe('1000\n1000\n');
      expect(statSync(join(bound, 'made')).uid).toBe(statSync(bound).uid);
      expect(statSync(bound).uid).not.toBe(0);
    },
  );

  test.runIf(isRoot() && sandbox.available)(
    'as root, a workspace below a closed directory is refused for bind',
    async () => {
      const closed = join(ground, 'closed');
      mkdirSync(join(closed, 'ws'), { recursive: true });
      chmodSync(closed, 0o700);
      const result = await openShell({ workspace: join(closed, 'ws'), mode: 'bind', takeOwnership: true });
      expect(result).toMatchObject({ ok: false, problem: { code: 'workspace_unreachable' } });
      expect((await run(await shellOn({ workspace: join(closed, 'ws') }), 'pwd')).text).toBe('/workspace\n');
    },
  );
});

test('the install line follows the distribution', () => {
  expect(installLine('ID=debian\n')).toBe('sudo apt-get install -y bubblewrap');
  expect(installLine('NAME="X"\nID=linuxmint\nID_LIKE="ubuntu debian"\n')).toContain('apt-get');
  expect(installLine('ID="fedora"')).toContain('dnf');
  expect(installLine('')).toContain('0.8.0');
});

test('the process limit is per sandbox on kernels that count so, and on top of the user elsewhere', () => {
  expect(processLimit(10, null, '6.1.0-13-amd64')).toBe(10);
  expect(processLimit(10, null, '5.14.0')).toBe(10);
  expect(processLimit(10, null, '5.10.0')).toBeGreaterThan(10);
});
