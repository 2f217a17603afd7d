import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesConnector } from '../action/files/connector.ts';
import { shellConnector } from '../action/shell/tool.ts';
import type { Connector } from '../action/source.ts';
import { byteLength } from '../json/wellformed.ts';
import { verifyRun } from '../event/verify.ts';
import { defineSkill, type SkillInput } from '../skill/define.ts';
import type { Action, RunEvent, Skill, Store, Tool } from '../types.ts';
import { call, eventsOf, ok, playing, reply, scratch, tool, world } from './fixture.test.data.ts';
import { readText } from './inspect.ts';
import { promptAt } from './prompt-of.ts';
import { createRuntime } from './runtime.ts';

const TRACE = readFileSync(new URL('./fixtures/coding-trace.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Action);

function skill(ledger: boolean, more: Partial<SkillInput> = {}): Skill {
  return defineSkill({
    name: 'code',
    description: 'Codes.',
    instructions: 'Code.',
    state: { type: 'object', properties: { n: { type: 'integer' } } },
    actions: { files: { roots: ['repo'], write: true }, shell: { workspace: 'repo', mode: 'bind' } },
    limits: { steps: 1000 },
    ledger,
    ...more,
  } as SkillInput);
}

/** A small repository with a test that needs no tool but make. */
function repository(): string {
  const base = scratch();
  for (const folder of ['repo', 'repo/src', 'repo/test']) mkdirSync(join(base, folder));
  const names = ['orders', 'routes', 'auth', 'csv', 'util', 'config', 'db', 'cache'];
  for (const name of names) writeFileSync(join(base, `repo/src/${name}.js`), sourceText(name));
  writeFileSync(join(base, 'repo/test/orders.test.js'), sourceText('test'));
  writeFileSync(join(base, 'repo/README.md'), '# Repository\n');
  writeFileSync(join(base, 'repo/gen.sh'), 'echo "// generated" >> src/cache.js\n');
  writeFileSync(join(base, 'repo/Makefile'), 'test:\n\t@cat src/*.js | wc -l\n');
  return base;
}

function sourceText(name: string): string {
  return Array.from({ length: 40 }, (_, index) => `export const ${name}${index} = ${index};\n`).join('');
}

/** The connectors of a folder, with a list of what they really ran. */
function connectors(base: string, ran: Action[]): Connector[] {
  const counted = (tools: readonly Tool[]): Tool[] =>
    tools.map((one) => ({
      ...one,
      run: (asked) => {
        ran.push({ tool: one.name, args: asked.args });
        return one.run(asked);
      },
    }));
  return [filesConnector({ base }), shellConnector({ base, unsafe: true, takeOwnership: true })].map(
    (connect): Connector =>
      async (given, secrets) => {
        const source = await connect(given, secrets);
        return { ...source, tools: counted(source.tools) };
      },
  );
}

/** What in the trace changes something; written down by hand, not asked of the ledger. */
function changes({ tool: name, args }: Action): boolean {
  const command = (args['command'] ?? '') as string;
  return name === 'write_file' || /^(make|sh |sed -i|git checkout)/.test(command);
}

function isRead({ tool: name, args }: Action): boolean {
  return name === 'read_file' || /^(cat|sed -n|grep -n)/.test((args['command'] ?? '') as string);
}

type Played = { ran: Action[]; store: Store; texts: string[]; prompts: string[]; events: RunEvent[] };

/** Plays the trace in two drives, so that what the ledger knows must survive the change of drivers. */
async function play(ledger: boolean): Promise<Played> {
  const ran: Action[] = [];
  const { model, prompts } = playing(TRACE.map((action, n) => reply({ n: 1000 + n }, action)));
  const { runtime, store } = await world({ model, connectors: connectors(repository(), ran) });
  const first = await runtime.start(skill(ledger), { run: 'r', limits: { steps: 101 } });
  expect(first.status).toBe('needs_attention');
  expect((await runtime.resume('r')).status).toBe('finished');
  const events = await eventsOf(store, 'r');
  const texts: string[] = [];
  for (const event of events)
    if (event.type === 'action.finished') texts.push(await readText(store, 'r', event.result));
  return { ran, store, texts, prompts, events };
}

test('a coding trace of 200 steps: unchanged files are read once per change, and every result is the right one', async () => {
  const without = await play(false);
  const { ran, store, texts, prompts, events } = await play(true);
  const plain = (text: string): string =>
    text.replace(/\n\[note: the same test .*\]$/, '').replaceAll(/skillstate-run-\w+/g, '');
  expect(texts).toHaveLength(200);
  for (const [index, action] of TRACE.entries()) {
    if (action.args['command'] === 'ls -la') continue;
    expect([index, plain(texts[index] ?? '')]).toEqual([index, plain(without.texts[index] ?? '')]);
  }
  const since = new Map<string, number>();
  let changed = 0;
  for (const action of ran) {
    if (changes(action)) changed += 1;
    const failing = ((action.args['command'] ?? '') as string).includes('missing');
    if (!isRead(action) || failing) continue;
    const key = JSON.stringify(action);
    expect([key, since.get(key)]).not.toEqual([key, changed]);
    since.set(key, changed);
  }
  const decisions = events
    .filter((event) => event.type === 'ledger')
    .map((event) => event.type === 'ledger' && event.decision);
  const reused = decisions.filter((decision) => decision === 'reuse').length;
  expect([without.ran.length, ran.length]).toEqual([200, 200 - reused]);
  expect(reused).toBeGreaterThan(10);
  expect(decisions).toContain('nudge');
  const notices = prompts.flatMap((prompt) => /^- ledger: .*$/m.exec(prompt) ?? []);
  expect(notices.length).toBeGreaterThan(150);
  expect(Math.max(...notices.map(byteLength))).toBeLessThanOrEqual(1024 + 12);
  expect(await promptAt(store, 'r', 150)).toBe(prompts[149]);
  expect((await verifyRun(store, 'r')).ok).toBe(true);
  console.log(
    `ledger: ${TRACE.filter(isRead).length} reads asked, ${reused} reused, ${200 - reused} calls run`,
  );
});

test('P47: forty files that are each needed five times are read once each, and the prompt stays flat', async () => {
  const base = scratch();
  mkdirSync(join(base, 'repo'));
  const paths = Array.from({ length: 40 }, (_, index) => `repo/file-${10 + index}.txt`);
  for (const path of paths) writeFileSync(join(base, path), `${path}\n`.repeat(50));
  const needed = Array.from({ length: 200 }, (_, step) =>
    call('read_file', { path: paths[(step * 7) % 40] ?? '' }),
  );
  const ran: Action[] = [];
  const { model, prompts } = playing(needed.map((action, n) => reply({ n: 1000 + n }, action)));
  const { runtime } = await world({ model, connectors: connectors(base, ran) });
  expect((await runtime.start(skill(true), { run: 'r' })).status).toBe('finished');
  expect(ran).toHaveLength(40);
  const sizes = prompts.slice(20, 200).map(byteLength);
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(120);
  expect(prompts[150]).toContain('repo/file-');
});

test('a reused result is shown in full, opens by its handle, and comes from the log after a resume', async () => {
  let reads = 0;
  const get = tool(
    'get',
    () => {
      reads += 1;
      return ok(`article ${'x'.repeat(20_000)} end-of-it`);
    },
    { readOnly: true, declaration: { resources: '["article/" + args.id]' } },
  );
  const given = skill(true, { actions: { functions: ['get'] }, observation: { resultBytes: 1000 } });
  const { model, prompts } = playing([
    reply({ n: 1 }, call('get', { id: '1' })),
    reply({ n: 2 }, call('get', { id: '1' })),
    (prompt) =>
      reply(
        { n: 3 },
        call('read_payload', { handle: /p-[0-9a-f]{16}/.exec(prompt)?.[0] ?? '', start: 19_900 }),
      ),
    reply({ n: 4 }, call('wait')),
    reply({ n: 5 }, call('get', { id: '1' })),
  ]);
  const { runtime, store } = await world({ model, tools: [get] });
  await runtime.start(given, { run: 'r' });
  expect(reads).toBe(1);
  expect(prompts[2]).toContain('end-of-it');
  expect(prompts[3]).toContain('end-of-it');
  await runtime.send('r', 'go on');
  expect((await createRuntime({ store, model, tools: [get] }).resume('r')).status).toBe('finished');
  expect(reads).toBe(2);
});

test('one line turns it off', async () => {
  const { model, prompts } = playing([
    reply({ n: 1 }, call('read_file', { path: 'repo/README.md' })),
    reply({ n: 2 }, call('read_file', { path: 'repo/README.md' })),
  ]);
  const ran: Action[] = [];
  const { runtime } = await world({ model, connectors: connectors(repository(), ran) });
  await runtime.start(skill(false), { run: 'r' });
  expect(ran).toHaveLength(2);
  expect(prompts.join('')).not.toContain('- ledger:');
});

test('pruned payloads are never reused: the call runs again', async () => {
  let reads = 0;
  const get = tool(
    'get',
    () => {
      reads += 1;
      return ok('y'.repeat(5000));
    },
    { readOnly: true, declaration: { resources: '["article/1"]' } },
  );
  const { model } = playing([
    reply({ n: 1 }, call('get')),
    reply({ n: 2 }, call('get')),
    reply({ n: 3 }, call('get')),
  ]);
  const { runtime, store } = await world({ model, tools: [get] });
  const forgetful: Store = {
    ...store,
    payload: (run, handle) => (reads === 1 ? Promise.resolve('pruned') : store.payload(run, handle)),
  };
  await createRuntime({ store: forgetful, model, tools: [get] }).start(
    skill(true, { actions: { functions: ['get'] } }),
    { run: 'r' },
  );
  expect(reads).toBe(2);
  expect((await runtime.report('r')).status).toBe('finished');
});
