import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSandbox } from '@skillstate/runtime';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { availabilityOf } from './availability.ts';
import { dockerPort, findDocker } from './docker.ts';
import { type CtfEpisode, type CtfMode, openEpisode, readSubmission } from './episode.ts';
import { originalMessage, originalStep, splitWords } from './original.ts';
import { bubblewrapPort } from './port.ts';
import { replayIntercodeVectors, replaySolutions } from './replay.ts';
import { type CtfData, loadIntercode } from './tasks.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const vectors = process.env['SKILLSTATE_VECTORS'] ?? resolve(root, '../shared/vectors');
const hasVectors = existsSync(join(vectors, 'intercode', 'ic_ctf.json'));
if (!hasVectors) console.warn(`InterCode vectors skipped: none at ${vectors} (set SKILLSTATE_VECTORS)`);
const sandbox = await findSandbox();
if (!sandbox.available)
  console.warn(`sandbox tests skipped: ${sandbox.reason}. Install: ${sandbox.installLine}`);

const flag = 'picoCTF{two words "kept"}';
let checkout: string;
let data: CtfData;
const open: CtfEpisode[] = [];

/** A small clone in the original's layout: two tasks, one with its solution folder, one without assets. */
beforeAll(async () => {
  checkout = mkdtempSync(join(tmpdir(), 'skillstate-ctf-test-'));
  const assets = join(checkout, 'data', 'ctf', 'task_assets', '0');
  mkdirSync(join(assets, 'solution'), { recursive: true });
  mkdirSync(join(assets, 'x'));
  writeFileSync(join(assets, 'f.txt'), 'a b\nc d\n', { mode: 0o444 });
  writeFileSync(join(assets, 'bin'), Buffer.from([0x61, 0xff, 0x62]));
  writeFileSync(join(assets, 'solution', 'flag.txt'), flag);
  const tasks = [
    { task_id: 0, query: 'Find it', gold: flag, tags: ['General Skills'] },
    { task_id: 1, query: 'Lost', gold: 'x', tags: [] },
  ];
  writeFileSync(join(checkout, 'data', 'ctf', 'ic_ctf.json'), JSON.stringify(tasks));
  mkdirSync(join(checkout, 'data', 'ctf', 'solutions'));
  data = await load(checkout);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((episode) => episode.close()));
});
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

async function load(dir: string): Promise<CtfData> {
  const loaded = await loadIntercode(dir);
  if (!loaded.ok) throw new Error(loaded.problem.hint);
  return loaded.data;
}

async function start(mode: CtfMode, id = 0, from = data): Promise<CtfEpisode> {
  const opened = await openEpisode(from, id, { mode, port: bubblewrapPort() });
  if (!opened.ok) throw new Error(opened.problem.hint);
  open.push(opened.episode);
  return opened.episode;
}

describe('task data', () => {
  test('both layouts load, with the digest of the file and whether it is the pinned one', async () => {
    expect(data).toMatchObject({ layout: 'checkout', pinned: false });
    expect(data.tasks.map(({ id, query }) => [id, query])).toEqual([
      [0, 'Find it'],
      [1, 'Lost'],
    ]);
    expect(JSON.stringify(data)).not.toContain('two words');
  });

  test('missing and broken data are problems that say what to do', async () => {
    const missing = await loadIntercode(join(checkout, 'none'));
    expect(missing).toMatchObject({ ok: false, problem: { code: 'data_missing' } });
    expect(missing.ok ? '' : missing.problem.hint).toContain('git clone');
    const broken = mkdtempSync(join(tmpdir(), 'skillstate-ctf-broken-'));
    for (const content of ['{', '{}', '[1]', '[{"task_id": 0}]']) {
      writeFileSync(join(broken, 'ic_ctf.json'), content);
      expect(await loadIntercode(broken)).toMatchObject({ ok: false, problem: { code: 'data_broken' } });
    }
    rmSync(broken, { recursive: true });
  });

  test('a task without its assets, and one that needs a network, are unavailable with the reason', async () => {
    const judged = await availabilityOf(data);
    expect(judged.get(0)).toMatchObject({ available: true });
    expect(judged.get(1)).toMatchObject({ available: false, why: 'assets' });
    mkdirSync(join(data.assets, '1'));
    expect((await availabilityOf(data)).get(1)).toMatchObject({ available: false, why: 'network' });
    expect((await availabilityOf(data, { network: true })).get(1)).toMatchObject({ available: true });
    rmSync(join(data.assets, '1'), { recursive: true });
  });
});

describe('the original by the letter', () => {
  test('words of a command line are split as a POSIX shell would, and an open quotation fails', () => {
    expect(splitWords(`python3 -c "print(\\"a b\\", '\\n')" x''y ""`)).toEqual([
      'python3',
      '-c',
      `print("a b", '\\n')`,
      'xy',
      '',
    ]);
    expect(splitWords("python3 -c 'print(1)")).toBeNull();
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
        expect(splitWords(line)).toEqual(words);
      }),
      { numRuns: 100 },
    );
  });

  test('the model sees 1,000 characters at most, and a word on a wrong flag', async () => {
    const ran = (output: string) => () =>
      Promise.resolve({ kind: 'ran' as const, exitCode: 0, output: Buffer.from(output) });
    const at = { workdir: '/', observation: 'before' };
    const long = await originalStep('cat f', at, 'g', ran('é😀'.repeat(600)));
    expect(originalMessage(long)).toBe(`Output: ${'é😀'.repeat(500)}`);
    expect(originalMessage(await originalStep('true', at, 'g', ran('')))).toBe('No output');
    const wrong = await originalStep('submit h', at, 'g', ran(''));
    expect(originalMessage(wrong)).toBe('Submitted flag is incorrect. Keep trying!');
    expect(originalMessage(await originalStep('submit G', at, 'g', ran('')))).toBe('Output: before');
  });

  test('no action makes a step reject', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.constantFrom('', 'cd', 'cd ', 'submit', 'submit '),
        async (rest, start) => {
          const at = { workdir: '/ctf/0', observation: '' };
          const step = await originalStep(start + rest, at, 'g', () => Promise.resolve({ kind: 'failed' }));
          expect(step.workdir).toBe('/ctf/0');
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('P85: a submission is the rest of its line, and only the word submit makes one', () => {
  const table: [string, string | null][] = [
    ['submit', ''],
    ['submit   ', ''],
    [`submit ${flag}`, flag],
    ['  submit\tx y  \nls', 'x y'],
    ['submitted x', null],
    ['submit: x', null],
    ['echo submit x', null],
    ['cat f.txt', null],
  ];
  for (const [action, wanted] of table) expect([action, readSubmission(action)]).toEqual([action, wanted]);
});

describe.runIf(sandbox.available)('episodes in the sandbox', () => {
  test('P83: mode runtime passes exactly what the agent wrote', async () => {
    const episode = await start('runtime');
    const output = async (action: string) => (await episode.step(action)).command?.output;
    expect(await output('grep "a b" f.txt')).toBe('a b\n');
    expect(await output('python3 -c "print(1)"')).toBe('1\n');
    expect(await output('echo $HOME "x"')).toBe('/ctf/0 x\n');
    expect(await output("python3 - <<'E'\nfor i in range(2):\n    print(i)\nE")).toBe('0\n1\n');
  });

  test('P84: output that is not UTF-8 is shown escaped with a handle, and the command counts as run', async () => {
    const episode = await start('runtime');
    const step = await episode.step('cp bin /tmp/copy && cat bin');
    expect(step.command).toMatchObject({ exitCode: 0, escaped: true, output: 'a\\xffb', handle: 'output-1' });
    expect(step.observation).toContain('exit code 0');
    expect(await episode.readOutput('output-1')).toEqual(Buffer.from([0x61, 0xff, 0x62]));
    expect(await episode.readOutput('../assets')).toBeNull();
    expect((await episode.step('wc -c < /tmp/copy')).command?.output).toBe('3\n');
  });

  test('P85: bare submit, submit after cat, flags with spaces, bare cd and compound commands all work', async () => {
    const episode = await start('runtime');
    const first = await episode.step('submit');
    expect(first).toMatchObject({ reward: 0, done: false, submitted: null });
    await episode.step('cat f.txt');
    expect(await episode.step('submit')).toMatchObject({ reward: 0, submitted: null });
    const cwds: (string | undefined)[] = [];
    for (const action of ['cd x && ls', 'cd', 'cd /tmp && ls', 'cdparanoia -v', 'cd -- "/ctf/0/x"; exit 3']) {
      cwds.push((await episode.step(action)).command?.cwd);
    }
    expect(cwds).toEqual(['/ctf/0/x', '/ctf/0', '/tmp', '/tmp', '/ctf/0/x']);
    expect(await episode.step('submit picoCTF{two')).toMatchObject({ reward: 0, done: false });
    expect(await episode.step(`submit ${flag}`)).toMatchObject({ reward: 1, done: true, submitted: flag });
    expect(episode.score()).toBe(1);
  });

  test('output over the cap keeps its ends and can be read whole by its handle', async () => {
    const episode = await start('runtime');
    const step = await episode.step('seq 1 20000');
    expect(step.observation.length).toBeLessThan(4300);
    expect(step.observation).toMatch(/^1\n2\n[^]*bytes left out[^]*20000\n\[exit code 0/);
    const handle = step.command?.handle ?? '';
    expect((await episode.readOutput(handle))?.length).toBe(step.command?.bytes);
    expect((await episode.readOutput(handle, 2, 2))?.toString()).toBe('2\n');
  });

  test('no flag, solution or task list can be found from inside, in either mode', async () => {
    for (const mode of ['original', 'runtime'] as const) {
      const episode = await start(mode);
      const looks = [
        'grep -rsl "two w[o]rds" /ctf /tmp /etc /home /root /dev/shm /proc/self/environ /proc/*/cmdline',
        'find / -xdev \\( -name "ic_ctf.json" -o -name solution -o -name "*.sh" -path "*solutions*" \\) 2>/dev/null',
        `ls ${checkout} ${join(data.assets, '0')}`,
        'ls /ctf | grep -v "^0$"',
      ];
      for (const look of looks) {
        const step = await episode.step(look);
        expect([look, step.command?.output.replaceAll(/^(ls|grep|find): .*\n?/gm, '')]).toEqual([look, '']);
      }
    }
    expect(existsSync(join(data.assets, '0', 'solution', 'flag.txt'))).toBe(true);
  });

  test('mode original: text tracking of cd, no shell for python3 -c, undecodable output, raising', async () => {
    const episode = await start('original');
    const observed = async (action: string) => (await episode.step(action)).observation;
    expect(await observed('pwd')).toBe('/ctf/0\n');
    expect(await observed('cd x')).toBe('');
    expect(await observed('cd ..')).toBe('');
    expect(await observed('echo \'a "b"\' $((1+1)); echo e >&2')).toBe('a "b" 2\ne\n');
    expect(await observed('python3 -c "print(\'|\')" | cat')).toBe('|\n');
    expect(await observed("python3 -c 'print(1)")).toBe('Malformed command');
    expect(await episode.step('cat bin')).toMatchObject({
      observation: 'Malformed command',
      command: { exitCode: 0 },
    });
    expect(await observed('touch x/y; cd x')).toBe('');
    expect(await observed('pwd')).toBe('/ctf/0\n');
    expect(await episode.step('cd')).toMatchObject({ done: true, raises: 'ValueError: substring not found' });
    expect(await episode.step(`submit ${flag}`)).toMatchObject({
      reward: 0,
      done: true,
      submitted: 'picoCTF{two',
    });
    expect(episode.score()).toBe(0);
  });

  test('solutions are replayed: found, not found, and not possible here are told apart', async () => {
    const solutions = join(checkout, 'data', 'ctf', 'solutions');
    const nothing = await replaySolutions(checkout, { port: bubblewrapPort() });
    expect(nothing).toMatchObject({ ok: false, problem: { path: join(checkout, 'data', 'ctf') } });
    writeFileSync(join(solutions, '0.sh'), `# finds it\necho '${flag}'\n`);
    writeFileSync(join(solutions, '1.sh'), 'cat absent\n');
    writeFileSync(join(solutions, '7.sh'), 'true\n');
    const replayed = await replaySolutions(checkout, { port: bubblewrapPort() });
    expect(replayed).toMatchObject({ report: { total: 3, agree: 1, unavailable: [{ id: 1 }] } });
    expect(replayed.ok && replayed.report.differences.map(({ where }) => where)).toEqual(['solution 7']);
  });
});

describe.runIf(hasVectors)('recorded behaviour of the original', () => {
  test('every line of the vectors agrees in mode original', async () => {
    const replayed = await replayIntercodeVectors(vectors);
    if (!replayed.ok) throw new Error(replayed.problem.hint);
    for (const agreement of Object.values(replayed.files)) expect(agreement.differences).toEqual([]);
    const totals = Object.values(replayed.files).map(({ agree, total }) => [agree, total]);
    expect(totals.every(([agree, total]) => agree === total && (total ?? 0) > 0)).toBe(true);
    expect(Object.keys(replayed.files)).toEqual(['parse', 'cd_path', 'exec', 'submit']);
  });

  test('a line that does not agree is reported with both sides', async () => {
    const copy = join(checkout, 'data', 'ctf', 'vectors');
    mkdirSync(copy);
    writeFileSync(join(copy, 'cd_path.jsonl'), '{"current": "/a", "argument": "..", "result": "/b"}\n');
    const replayed = await replayIntercodeVectors(checkout);
    const difference = { where: 'cd_path line 1', wanted: { result: '/b' }, got: { result: '/' } };
    expect(replayed).toMatchObject({ files: { cd_path: { total: 1, agree: 0, differences: [difference] } } });
  });

  test('every task is available or has a reason, by the data itself', async () => {
    const real = await load(vectors);
    const judged = await availabilityOf(real);
    expect(real.pinned).toBe(true);
    expect(judged.size).toBe(100);
    for (const [, one] of judged) if (!one.available) expect(one.reason.length).toBeGreaterThan(10);
  });

  test.runIf(sandbox.available)(
    'each solution script finds its flag inside the sandbox and scores 1',
    async () => {
      const replayed = await replaySolutions(vectors, { port: bubblewrapPort() });
      if (!replayed.ok) throw new Error(replayed.problem.hint);
      expect(replayed.report.differences).toEqual([]);
      expect(replayed.report.agree + replayed.report.unavailable.length).toBe(replayed.report.total);
    },
  );

  test.runIf(sandbox.available)('every task starts, and its folder holds its assets alone', async () => {
    const real = await load(vectors);
    for (const id of [2, 10, 54, 72]) {
      const listed = await (await start('runtime', id, real)).step('pwd; find . -name solution; ls /ctf');
      expect(listed.command?.output).toBe(`/ctf/${id}\n${id}\n`);
    }
  });
});

describe('Docker', () => {
  test('where no engine answers the reason is given and no episode starts', async () => {
    const found = await findDocker('/nonexistent/docker');
    expect(found).toMatchObject({ available: false });
    const opened = await openEpisode(data, 0, {
      mode: 'runtime',
      port: dockerPort({ docker: '/nonexistent/docker' }),
    });
    expect(opened).toMatchObject({ ok: false, problem: { code: 'docker_missing' } });
  });

  test('commands, directory and submission go through docker exec', async () => {
    const docker = join(checkout, 'docker');
    const box = join(checkout, 'box');
    mkdirSync(box);
    writeFileSync(docker, standIn(box));
    chmodSync(docker, 0o755);
    const opened = await openEpisode(data, 0, { mode: 'runtime', port: dockerPort({ docker }) });
    if (!opened.ok) throw new Error(opened.problem.hint);
    const { episode } = opened;
    const output = async (action: string) => (await episode.step(action)).command?.output;
    expect(await output('grep "a b" f.txt; echo e >&2; ls')).toBe('a b\ne\nbin\nf.txt\nx\n');
    expect((await episode.step('cd x; exit 4')).command).toMatchObject({ exitCode: 4, cwd: `${box}/x` });
    expect(await episode.step(`submit ${flag}`)).toMatchObject({ reward: 1 });
    await episode.close();
    rmSync('/tmp/.skillstate-cwd', { force: true });
  });
});

/** A docker command that works in a folder of this machine in place of a container. */
function standIn(box: string): string {
  return `#!/bin/bash
case $1 in
version) echo 1 ;;
run) echo id ;;
cp) cp -R "$2" ${box} ;;
rm) rm -rf ${box} ;;
exec) shift; dir=/; if [ "$1" = -w ]; then dir=\${2/#\\/ctf\\/0/${box.replaceAll('/', '\\/')}}; shift 2; fi; shift; cd "$dir" && exec "$@" ;;
esac
`;
}
