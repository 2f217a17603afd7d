import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  createRuntime,
  createScriptedModel,
  defineSkill,
  loadSkills,
  mcpConnector,
  type Model,
  openSqliteStore,
  verifyRun,
} from '@skillstate/runtime';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const BIN = join(ROOT, 'packages/skillstate/bin/skillstate.js');

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-hostile-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const skill = defineSkill({
  name: 'hostile',
  description: 'Counts.',
  instructions: 'Count.',
  state: {
    type: 'object',
    required: ['n'],
    properties: { n: { type: 'integer' }, text: { type: 'string', maxLength: 2000 } },
  },
  initial: { n: 0 },
});

const FINISH = '{"tool":"finish","args":{}}';
const finishing = (patch: object): string =>
  `\`\`\`json\n{"state_patch":${JSON.stringify(patch)},"action":${FINISH}}\n\`\`\``;
const model = (reply: string): Model => createScriptedModel(() => reply, { name: 'script:hostile' });

/** A database of three finished runs. */
async function threeRuns(file: string): Promise<void> {
  const store = await openSqliteStore(file);
  const runtime = createRuntime({ store, model: model(finishing({ n: 1, text: 'x'.repeat(1500) })) });
  for (const run of ['a', 'b', 'c']) await runtime.start(skill, { run, input: 'go '.repeat(400) });
  await store.close();
}

function skillstate(...args: string[]): { status: number; text: string } {
  try {
    return {
      status: 0,
      text: execFileSync(process.execPath, [BIN, ...args], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        cwd: ROOT,
      }),
    };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
    return { status, text: `${stdout}${stderr}` };
  }
}

/** As somebody to whom file rights apply; null where the checkout itself cannot be read by such a user. */
function ordinary(...args: string[]): { status: number | null; text: string } | null {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const options = { cwd: ROOT, encoding: 'utf8', env: { PATH: process.env['PATH'] }, ...user } as const;
  if (spawnSync(process.execPath, [BIN, '--version'], options).status !== 0) return null;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], options);
  return { status, text: `${stdout}${stderr}` };
}

test('a database that was cut off gives a clear error that names the file and what to do', async () => {
  const folder = scratch();
  const file = join(folder, 'runs.db');
  await threeRuns(file);
  truncateSync(file, statSync(file).size - 4096);
  const { status, text } = skillstate('--db', file, 'runs');
  expect(status).toBe(1);
  expect(text).toMatch(/store\.corrupt/);
  expect(text).toContain(file);
  expect(text).toContain('export --salvage');
  const saved = ['a', 'b', 'c'].map((run) =>
    skillstate('--db', file, 'export', run, join(folder, run), '--salvage'),
  );
  expect(saved.some(({ status: exit }) => exit === 0)).toBe(true);
  for (const { status: exit, text: said } of saved)
    expect(said).toMatch(exit === 0 ? /\d events/ : /lost|can be read/);
});

test('flipped bits are found by verify or refused, and what is outside the damage can be exported', async () => {
  const folder = scratch();
  const file = join(folder, 'runs.db');
  await threeRuns(file);
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf(Buffer.from('run.stopped'));
  expect(at).toBeGreaterThan(0);
  bytes[at + 2] = (bytes[at + 2] ?? 0) ^ 0x01;
  writeFileSync(file, bytes);
  const verdicts = ['a', 'b', 'c'].map((run) => skillstate('--db', file, 'verify', run).status);
  expect(verdicts.filter((status) => status === 1)).toHaveLength(1);
  for (const run of ['a', 'b', 'c']) {
    const { status } = skillstate('--db', file, 'export', run, join(folder, run), '--salvage');
    expect(status).toBe(0);
    expect(existsSync(join(folder, run, 'audit/events.jsonl'))).toBe(true);
  }
});

test('a database of a newer program is refused and left alone', async () => {
  const file = join(scratch(), 'runs.db');
  await threeRuns(file);
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 9999');
  db.close();
  const { status, text } = skillstate('--db', file, 'runs');
  expect([status, /newer/.test(text)]).toEqual([1, true]);
});

test('a folder that cannot be written is a clear error, and what is in it can still be exported', async () => {
  const folder = scratch();
  const out = scratch();
  const file = join(folder, 'runs.db');
  await threeRuns(file);
  chmodSync(out, 0o777);
  chmodSync(folder, 0o555);
  const readable = ordinary('--db', file, 'export', 'b', join(out, 'b'), '--salvage');
  if (readable === null) return;
  expect(readable.status, readable.text).toBe(0);
  expect(readFileSync(join(out, 'b/state.json'), 'utf8')).toContain('"n": 1');
  const started = [
    'run',
    'examples/03-csv-export/implement-feature',
    '--model',
    'script:examples/03-csv-export/model.ts',
  ];
  for (const args of [
    ['--db', file, 'verify', 'a'],
    ['--db', join(folder, 'sub/new.db'), ...started],
    ['--db', join(folder, 'new.db'), ...started],
  ]) {
    const { status, text } = ordinary(...args) ?? { status: 1, text: '' };
    expect([status, text.split('\n')[0]]).toEqual([1, expect.stringContaining('[store.readonly, ')]);
  }
});

test.runIf(process.getuid?.() === 0)(
  'a full disk stops the run with a clear error, and what was committed is whole',
  async () => {
    const folder = scratch();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      return;
    }
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
    const file = join(folder, 'runs.db');
    const store = await openSqliteStore(file);
    let n = 0;
    const filling = createScriptedModel(
      () =>
        `${'thinking '.repeat(3000 + n)}\n\`\`\`json\n{"state_patch":{"n":${++n}},"action":{"tool":"read_payload","args":{"handle":"p-${n}"}}}\n\`\`\``,
      { name: 'script:filling' },
    );
    await expect(
      createRuntime({ store, model: filling }).start(skill, { run: 'r', limits: { steps: 2000 } }),
    ).rejects.toThrow(/store\.full/);
    await store.close().catch(() => undefined);
    const copy = join(scratch(), 'runs.db');
    for (const end of ['', '-wal']) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
    const again = await openSqliteStore(copy);
    onTestFinished(() => again.close());
    expect(await verifyRun(again, 'r')).toMatchObject({ ok: true });
  },
);

test('two processes cannot drive one run; the second is told who does', async () => {
  const folder = scratch();
  const file = join(folder, 'runs.db');
  const script = join(folder, 'waiting.ts');
  writeFileSync(
    script,
    'export default () => new Promise((resolve) => setTimeout(resolve, 20000, "late"));\n',
  );
  const args = [
    BIN,
    '--db',
    file,
    'run',
    join(ROOT, 'examples/03-csv-export/implement-feature'),
    '--model',
    `script:${script}`,
    '--run',
    'r',
    '--input',
    'x',
  ];
  const first = spawn(process.execPath, args, { stdio: 'ignore' });
  onTestFinished(() => void first.kill('SIGKILL'));
  for (let waited = 0; waited < 100; waited++) {
    if (existsSync(file) && /r .*running/.test(skillstate('--db', file, 'runs').text)) break;
    await new Promise((done) => setTimeout(done, 100));
  }
  const { status, text } = skillstate('--db', file, 'resume', 'r', '--model', `script:${script}`);
  expect(status).toBe(1);
  expect(text).toContain(`process ${first.pid}`);
});

test('a model that answers with 50 MB is refused cheaply, and the run waits for a person', async () => {
  const store = await openSqliteStore(join(scratch(), 'runs.db'));
  onTestFinished(() => store.close());
  const huge = `${'x'.repeat(50_000_000)}${finishing({ n: 1 })}`;
  const report = await createRuntime({ store, model: model(huge) }).start(skill, {
    run: 'r',
    limits: { rejections: 1 },
  });
  expect([report.status, report.state]).toEqual(['needs_attention', { n: 0 }]);
});

test('hostile skill folders are skipped with a reason while the others load', async () => {
  const folder = scratch();
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'SKILL.md'), text);
    writeFileSync(
      join(folder, name, 'SKILL.state.yaml'),
      'state: {properties: {n: {type: integer}}}\ninitial: {}\n',
    );
  };
  write('good', '\uFEFF---\r\nname: good\r\ndescription: A good one.\r\n---\r\nBody\r\n');
  write('code', '---js\n{ name: (globalThis.__ran = 1, "x"), description: "d" }\n---\nbody');
  const bomb = Array.from(
    { length: 12 },
    (_, index) =>
      `a${index}: &a${index} [${Array(10)
        .fill(index === 0 ? 'x' : `*a${index - 1}`)
        .join(', ')}]`,
  ).join('\n');
  const outside = scratch();
  writeFileSync(join(outside, 'SKILL.md'), '---\nname: link\ndescription: Of somebody else.\n---\nbody');
  symlinkSync(outside, join(folder, 'link'));
  write('text', '---\nname: text\ndescription: d\n---\nbody');
  rmSync(join(folder, 'text/SKILL.md'));
  symlinkSync(join(outside, 'SKILL.md'), join(folder, 'text/SKILL.md'));
  write('bomb', `---\nname: bomb\ndescription: d\n${bomb}\n---\nbody`);
  const { skills, skipped } = await loadSkills(folder);
  expect(skills.map((loaded) => loaded.skill.name)).toEqual(['good']);
  expect(skipped.map((one) => one.folder).sort()).toEqual(['bomb', 'code', 'link', 'text']);
  for (const one of skipped) expect(one.issues.length).toBeGreaterThan(0);
  expect((globalThis as { __ran?: number }).__ran).toBeUndefined();
});

test('a tool server that prints noise, hangs or dies at the start is an error that names it, and no run is left behind', async () => {
  const store = await openSqliteStore(join(scratch(), 'runs.db'));
  onTestFinished(() => store.close());
  const scripts = {
    noise: 'console.log("hello, I am no protocol"); setInterval(() => console.log("still here"), 50);',
    hang: 'setInterval(() => undefined, 1000);',
    die: 'process.stderr.write("no licence found\\n"); process.exit(3);',
  };
  for (const [name, code] of Object.entries(scripts)) {
    const servers = {
      [name]: { transport: 'stdio', command: 'node', args: ['-e', code], env: {}, cwd: null, startMs: 1500 },
    };
    const served = defineSkill({ ...skillInput(), actions: { servers } } as never);
    const starting = createRuntime({
      store,
      model: model(''),
      connectors: [mcpConnector({ base: ROOT })],
    }).start(served, { run: name });
    await expect(starting).rejects.toThrow(new RegExp(name));
  }
  expect(await store.runs()).toEqual([]);
});

const FIXTURES = join(ROOT, 'packages/runtime/src/action/mcp/fixtures');

/** A skill with one of the test servers, and a model that calls these tools in order and then finishes. */
function served(server: readonly string[], env: Record<string, string>, calls: readonly string[]) {
  const spec = { transport: 'stdio', command: 'node', args: server, env, cwd: null, startMs: 10_000 };
  const input = { ...skillInput(), actions: { servers: { world: spec } } } as never;
  let step = 0;
  const playing = createScriptedModel(
    () => {
      const tool = calls[step++];
      const action = tool === undefined ? FINISH : JSON.stringify({ tool, args: {} });
      return `\`\`\`json\n{"state_patch":{"n":${step}},"action":${action}}\n\`\`\``;
    },
    { name: 'script:playing' },
  );
  return { skill: defineSkill(input), model: playing, connectors: [mcpConnector({ base: FIXTURES })] };
}

test('a tool server that dies in a call leaves an effect of unknown outcome: not repeated, not forgotten, the rest goes on', async () => {
  const folder = scratch();
  const effects = join(folder, 'effects');
  const store = await openSqliteStore(join(folder, 'runs.db'));
  onTestFinished(() => store.close());
  const { skill: dying, ...ports } = served(['notes.test.server.ts'], { EFFECTS: effects }, [
    'die',
    'whoami',
  ]);
  const report = await createRuntime({ store, ...ports }).start(dying, { run: 'r' });
  expect(report.status).toBe('needs_attention');
  expect(report.unresolved.map(({ action }) => action.tool)).toEqual(['die']);
  expect(readFileSync(effects, 'utf8').trim().split('\n')).toHaveLength(1);
  const finished: string[] = [];
  for await (const event of store.events('r', { types: ['action.finished'] }))
    if (event.type === 'action.finished') finished.push(`${event.tool} ${event.status}`);
  expect(finished).toEqual(['die unknown', 'whoami ok']);
});

test('a tool server that prints noise between its answers works', async () => {
  const store = await openSqliteStore(join(scratch(), 'runs.db'));
  onTestFinished(() => store.close());
  const { skill: noisy, ...ports } = served(['rough.test.server.ts', 'noise'], {}, ['go']);
  const report = await createRuntime({ store, ...ports }).start(noisy, { run: 'r' });
  expect(report).toMatchObject({ status: 'finished', state: { n: 2 } });
});

function skillInput(): object {
  const { name, description, instructions, state, initial } = skill;
  return { name, description, instructions, state, initial };
}
