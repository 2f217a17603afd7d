import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const BIN = resolve(import.meta.dirname, '../bin/skillstate.js');
const folder = mkdtempSync(join(tmpdir(), 'skillstate-driving-'));
const db = join(folder, 'runs.db');
const skill = join(folder, 'count-up');
const environment = { ...process.env, NO_COLOR: '1' };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Said = { readonly exit: number | null; readonly out: string; readonly err: string };

function skillstate(...args: string[]): Said {
  return skillstateIn(environment, ...args);
}

function skillstateIn(env: NodeJS.ProcessEnv, ...args: string[]): Said {
  const options = { cwd: folder, encoding: 'utf8', env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, '--db', db, ...args], options);
  return { exit: status, out: stdout, err: stderr };
}

/** Runs to the first rest of the model, which is longer than any test. */
function rest(...args: string[]): void {
  expect(skillstateIn({ ...environment, REST: '3600' }, ...args).exit).toBe(2);
}

const json = (text: string) => JSON.parse(text) as Record<string, unknown>;

/** Counts a step at a time and rests REST seconds between two; a reply in prose where the step is 2. GATE: from step 3 on it waits for GATE-STEP. */
const MODEL = `
import { existsSync } from 'node:fs';
const fence = (patch, tool, args = {}) => '\`\`\`json\\n' + JSON.stringify({ state_patch: patch, action: { tool, args } }) + '\\n\`\`\`';
export default async (prompt) => {
  const step = Number(/^step: (\\d+)/m.exec(prompt.slice(prompt.indexOf('## Observation')))[1]);
  if (step === 2 && !prompt.includes('- syntax.')) return 'I would rather talk.';
  while (process.env.GATE && step > 2 && !existsSync(process.env.GATE + '-' + step)) await new Promise((done) => setTimeout(done, 20));
  return step < 4 ? fence({ n: step }, 'wait', { seconds: Number(process.env.REST ?? 0.01) }) : fence({ n: step }, 'finish', { summary: 'counted' });
};
`;

beforeAll(() => {
  mkdirSync(skill);
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: count-up\ndescription: Counts.\n---\nCount up.\n');
  writeFileSync(
    join(skill, 'SKILL.state.yaml'),
    'state:\n  properties:\n    n: {type: integer}\n    notes: {type: string, maxLength: 200}\n    seen: {type: integer, x-owner: runtime}\n  required: [n]\ninitial: {n: 0}\nactions: {functions: [look]}\n',
  );
  writeFileSync(join(folder, 'model.mjs'), MODEL);
  writeFileSync(
    join(folder, 'tools.mjs'),
    `export const tools = [{ name: 'look', description: 'Looks around.', inputSchema: { type: 'object' }, outputSchema: null, readOnly: true, idempotent: true, destructive: false, timeoutMs: 1000, declaration: {}, run: async () => ({ status: 'ok', text: '' }) }];`,
  );
});

const RUN = ['run', 'count-up', '--model', 'script:model.mjs', '--tools', 'tools.mjs'];

/** A driver in a process of its own, ended with the test. Its run gets behind step 2 where the files GATE-3, GATE-4 are made. */
function drive(gate: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [BIN, '--db', db, ...args], {
    cwd: folder,
    env: { ...environment, GATE: join(folder, gate) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !holds(); tries++) await pause(50);
  expect(holds()).toBe(true);
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((done) => (child.exitCode === null ? child.once('exit', done) : done(child.exitCode)));

test('verbs that read make no database: they say that there is none', () => {
  const other = join(folder, 'typo/runs.db');
  expect(skillstate('--db', other, 'runs')).toMatchObject({ exit: 0, out: expect.stringContaining(other) });
  expect(skillstate('--db', other, 'runs', '--json').out.trim()).toBe('[]');
  for (const args of [
    ['show', 'r'],
    ['send', 'r', 'x'],
    ['verify', 'r'],
    ['export', 'r', 'out'],
    ['resume', 'r'],
  ]) {
    const { exit, err } = skillstate('--db', other, ...args);
    expect([exit, err]).toEqual([1, expect.stringContaining('[store.missing, ')]);
  }
});

test('the live view shows step, action, prompt, tokens, state and rejections, and ends with the totals', () => {
  const { exit, err } = skillstate(...RUN, '--run', 'live', '--stay', '5');
  expect(exit).toBe(0);
  expect(err).toMatch(/^ {3}1 {2}wait \{"seconds":0\.01\} +prompt +\d+ B +\d+ tokens {2}state +\d+ B$/m);
  expect(err).toMatch(/^ {3}2 {2}rejected \(1\): syntax\.\w+/m);
  expect(err.trimEnd().split('\n').at(-1)).toMatch(
    /^ +4 steps, 1 rejected, [\d,]+ tokens in \(0 cached\), [\d,]+ out, no price known$/,
  );
  expect(skillstate('resume', 'live').out).toContain('finished  live  after 4 steps');
});

test('the prompt of a skill folder is byte for byte what its run gets first, times apart', () => {
  const noTimes = (text: string) => text.replace(/\d{4}-\d\d-\d\dT[\d:]+\S*/g, 'TIME');
  const before = skillstate('prompt', 'count-up', '--tools', 'tools.mjs', '--input', 'begin');
  rest(...RUN, '--run', 'first', '--input', 'begin', '--quiet');
  const { out } = skillstate('prompt', 'first', '--step', '1');
  expect(before.exit).toBe(0);
  expect(noTimes(before.out)).toBe(noTimes(out));
  expect(out).toContain('### look');
  const next = skillstate('prompt', 'first', '--json');
  expect(json(next.out)).toEqual({ text: expect.stringContaining('step: 2'), bytes: expect.any(Number) });
  const asked = skillstate('prompt', 'count-up', '--model', 'anthropic:claude-haiku-4-5');
  expect(asked.out).toContain('propose_transition');
  expect(asked.err).toContain('no source offers look');
});

test('runs and show say who drives a run; a killed driver is called dead, and the next one goes on', async () => {
  const child = drive('held', ...RUN, '--run', 'held', '--stay', '20');
  await until(() => skillstate('runs').out.includes(`pid ${child.pid}`));
  expect(skillstate('show', 'held').out).toMatch(
    new RegExp(`driven by process ${child.pid} on .*last commit \\d+ s ago`),
  );
  expect(skillstate('resume', 'held').err).toContain(`is driven by process ${child.pid}`);
  expect(skillstate('set', 'held', '{"notes":"x"}').out).toContain('queued');
  child.kill('SIGKILL');
  await ended(child);
  const [held] = (JSON.parse(skillstate('runs', '--json').out) as Record<string, unknown>[]).filter(
    ({ run }) => run === 'held',
  );
  expect(held?.['driver']).toMatchObject({ pid: child.pid, state: 'dead' });
  expect(skillstate('show', 'held').out).toContain('ended without letting go');
  const report = json(skillstate('resume', 'held', '--stay', '20', '--json').out);
  expect(report).toMatchObject({ status: 'finished', steps: 4, state: { n: 4, notes: 'x' } });
  expect(skillstate('verify', 'held').exit).toBe(0);
});

test('Ctrl-C pauses between two steps, and resume goes on from there', async () => {
  const child = drive('stopped', ...RUN, '--run', 'stopped', '--stay', '20');
  let said = '';
  child.stderr?.on('data', (text: Buffer) => {
    said += text.toString();
  });
  await until(() => said.includes('2  wait'));
  child.kill('SIGINT');
  await until(() => said.includes('pauses after this step'));
  writeFileSync(join(folder, 'stopped-3'), '');
  expect(await ended(child)).toBe(2);
  expect(json(skillstate('show', 'stopped', '--json').out)).toMatchObject({
    status: 'needs_attention',
    reason: expect.stringMatching(/^paused by .*: Ctrl-C$/),
  });
  expect(skillstate('resume', 'stopped', '--stay', '20', '--quiet').exit).toBe(0);
});

test('a driver whose run another process took says so, with an exit code of its own', async () => {
  const args = [...RUN, '--run', 'taken', '--stay', '20', '--quiet', '--json'];
  const child = spawn(process.execPath, [BIN, '--db', db, ...args], {
    cwd: folder,
    env: { ...environment, GATE: join(folder, 'taken') },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const seen = () => skillstate('show', 'taken', '--json').out;
  await until(() => seen().includes('"steps": 2'));
  const store = new DatabaseSync(db);
  const { driver } = store.prepare("SELECT driver FROM runs WHERE run = 'taken'").get() as { driver: string };
  const other = JSON.stringify({ ...JSON.parse(driver), id: 'other', host: 'elsewhere', pid: 77 });
  store.prepare("UPDATE runs SET token = token + 1, driver = ? WHERE run = 'taken'").run(other);
  store.close();
  for (const step of [3, 4]) writeFileSync(join(folder, `taken-${step}`), '');
  expect(await ended(child)).toBe(3);
  const hint = expect.stringContaining('process 77 on elsewhere drives it now');
  expect(json(said)).toMatchObject({ steps: 2, letGo: { code: 'run.driven', hint } });
  expect(json(seen())).toMatchObject({ steps: 2, letGo: null });
});

test('a skill that declares the list of operations gets it, in the prompt, in replies and after a resume', () => {
  mkdirSync(join(folder, 'operate'));
  writeFileSync(join(folder, 'operate/SKILL.md'), '---\nname: operate\ndescription: Counts.\n---\nCount.\n');
  writeFileSync(
    join(folder, 'operate/SKILL.state.yaml'),
    'dialect: operations\nstate:\n  properties:\n    n: {type: integer}\n    notes: {type: string, maxLength: 200}\n  required: [n]\ninitial: {n: 0}\n',
  );
  writeFileSync(
    join(folder, 'operations.mjs'),
    `export default (prompt) => {
      if (!prompt.includes('"op": "set"')) return 'the prompt shows no operations';
      const first = prompt.includes('"n":0');
      const action = first ? { tool: 'wait', args: { reason: 'rest' } } : { tool: 'finish', args: {} };
      const reply = { state_patch: [{ op: 'set', path: '/n', value: first ? 1 : 2 }], action };
      return '\`\`\`json\\n' + JSON.stringify(reply) + '\\n\`\`\`';
    };`,
  );
  expect(
    skillstate('run', 'operate', '--model', 'script:operations.mjs', '--run', 'op', '--quiet').exit,
  ).toBe(2);
  expect(skillstate('log', 'op', '--type', 'run.started').out).toContain('text mode, operations dialect');
  skillstate('send', 'op', 'go on');
  expect(json(skillstate('resume', 'op', '--json').out)).toMatchObject({
    status: 'finished',
    state: { n: 2 },
  });
  expect(skillstate('log', 'op', '--type', 'step.rejected').out).toBe('');
});

test('an order that is refused is an error with the reason, and changes nothing', () => {
  rest(...RUN, '--run', 'orders', '--quiet');
  for (const [args, reason] of [
    [['set', 'orders', '{"seen": 1}'], /\/seen/],
    [['set', 'orders', '{"nope": 1}'], /unknown key nope/],
    [['approve', 'orders', '--hash', 'deadbeef'], /no open question/],
    [['settle', 'orders', 'c1', '--happened'], /no call c1/],
  ] as const) {
    const { exit, err } = skillstate(...args);
    expect([exit, err]).toEqual([1, expect.stringMatching(reason)]);
  }
  expect(json(skillstate('show', 'orders', '--json').out)['state']).toEqual({ n: 1 });
  expect(skillstate('pause', 'orders', '--json').exit).toBe(0);
  expect(skillstate('show', 'orders').out).toContain('needs_attention');
});

test('log takes types, tools and times, and --follow ends with the run', async () => {
  expect(skillstate('log', 'live', '--type', 'run.started', 'run.stopped').out.trim().split('\n')).toEqual([
    expect.stringMatching(/run\.started +script:model\.mjs, text mode, merge dialect$/),
    expect.stringMatching(/run\.stopped +finished: counted$/),
  ]);
  expect(skillstate('log', 'live', '--since', '2999-01-01T00:00:00Z').out).toBe('');
  expect(skillstate('log', 'live', '--type', 'nonsense').err).toContain('Allowed choices');
  expect(skillstate('log', 'live', '--since', 'tomorrow').exit).toBe(1);
  for (const step of [3, 4]) writeFileSync(join(folder, `followed-${step}`), '');
  const child = drive('followed', ...RUN, '--run', 'followed', '--stay', '20');
  await until(() => skillstate('runs').out.includes('followed'));
  expect(skillstate('log', 'followed', '--follow', '--type', 'run.stopped').out).toContain('finished');
  await ended(child);
});

test('probe, cost and transcripts give figures, also as JSON', () => {
  const probed = json(
    skillstate('probe', 'count-up', '--model', 'script:model.mjs', '--tools', 'tools.mjs', '--json').out,
  );
  expect(probed['reports']).toMatchObject([{ mode: 'text', dialect: 'merge', firstTry: expect.any(Number) }]);
  expect(json(skillstate('cost', 'live', '--json').out)).toMatchObject({ run: 'live', steps: 4 });
  expect(skillstate('cost', 'live').out).toContain('prompts as');
  expect(json(skillstate('transcripts', folder, '--json').out)).toMatchObject({ sessions: 0 });
});

test('misuse of numbers, zones and files is said before anything runs', () => {
  for (const [args, message] of [
    [[...RUN, '--zone', 'Nowhere'], /IANA/],
    [[...RUN, '--durability', 'none'], /Allowed choices/],
    [[...RUN, '--stay', 'long'], /seconds/],
    [[...RUN, '--secret', 'NOT_SET_ANYWHERE'], /NOT_SET_ANYWHERE is not set/],
    [['run', 'count-up', '--model', 'script:model.mjs', '--tools', 'none.mjs'], /no such file/],
    [['fork', 'live', 'two'], /no step number/],
    [['fork', 'live', '99'], /steps 1 to 4/],
    [['diff', 'nobody', '1', '2'], /no run nobody/],
    [['export', 'nobody', 'out'], /no run nobody/],
    [['verify', 'nobody'], /no run nobody/],
    [['prompt', 'live'], /no prompt follows/],
    [['check', 'count-up', 'none.json'], /cannot be read/],
  ] as const) {
    const { exit, out, err } = skillstate(...args);
    expect([args, exit, `${out}${err}`]).toEqual([args, 1, expect.stringMatching(message)]);
  }
});
