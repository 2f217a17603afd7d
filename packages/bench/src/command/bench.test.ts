import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PriceSheet, priceOf } from '@skillstate/runtime';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { lockFolder } from '../experiment/lock.ts';
import { benchMain } from './bench.ts';

let folder: string;
let out: string;
let errors: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillstate-bench-'));
  [out, errors] = ['', ''];
  const into = (take: (text: string) => void) => (text: string | Uint8Array) => {
    take(String(text));
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(into((text) => (out += text)));
  vi.spyOn(process.stderr, 'write').mockImplementation(into((text) => (errors += text)));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const BIN = fileURLToPath(new URL('../../../skillstate/bin/skillstate.js', import.meta.url));

const at = (...names: string[]): string => join(folder, ...names);
const textOf = (...names: string[]): string => readFileSync(at(...names), 'utf8');

/** What a command prints. */
async function printed(line: string, ...more: string[]): Promise<string> {
  out = '';
  const exit = await benchMain([...line.split(' '), ...more]);
  if (exit !== 0) throw new Error(`exit ${exit}: ${errors}`);
  return out;
}

const SMALL = 'warehouse --horizons 10 --seeds 2 --reasoning none --arms state,prompt,memory';

test('bench prints a table for people and rows for scripts', async () => {
  const table = await printed(SMALL);
  expect(table).toContain('scaling: warehouse, T=10, reasoning none');
  expect(table).toMatch(/^state +2 +1\.00 ±0\.00/m);
  const { rows, stopped } = JSON.parse(await printed(SMALL, '--json')) as Record<string, unknown[]>;
  expect(stopped).toBeNull();
  expect(rows).toMatchObject([
    { arm: 'state', score: 1, episodes: 2 },
    { arm: 'prompt', score: 1 },
    { arm: 'memory', score: 1 },
  ]);
});

test('every experiment runs by its name', async () => {
  const few = '--seeds 1 --reasoning none --arms state,truncated';
  expect(await printed(`warehouse-crowded --horizons 10 ${few}`)).toContain('warehouse-crowded, T=10');
  expect(await printed(`repository --horizons 10 ${few}`)).toContain('repository, T=10');
  const noise = await printed(`noise --horizons 10 --noise 0,5 --overrides ${few}`);
  expect(noise).toContain('repository, T=10, 5 lines with overrides');
  expect(await printed(`recovery --horizons 30 --environments warehouse ${few}`)).toContain('recovered in');
  expect(await printed(`faults --horizons 10 --rates 0.3 ${few}`)).toContain('30% faults');
  expect(await printed(`budget --horizons 10 --budgets 1800 ${few}`)).toContain('truncated@1800');
  expect(await printed(`delayed --horizons 20 ${few}`)).toContain('delayed, T=20, recall');
});

test('--out keeps results and a report; an interrupted bench goes on and ends with the same', async () => {
  const whole = await printed(SMALL, '--out', at('whole'));
  const lines = textOf('whole', 'results.jsonl').trimEnd().split('\n');
  expect(lines).toHaveLength(6);
  await printed(SMALL, '--out', at('cut'));
  writeFileSync(at('cut', 'results.jsonl'), `${lines.slice(0, 2).join('\n')}\n${lines[2]?.slice(0, 500)}`);
  expect(await printed(SMALL, '--out', at('cut'))).toBe(whole);
  const again = textOf('cut', 'results.jsonl').trimEnd().split('\n');
  expect(again.slice(0, 2)).toEqual(lines.slice(0, 2));
  const keys = (all: string[]) => all.map((line) => (JSON.parse(line) as { key: string }).key);
  expect(keys(again)).toEqual(keys(lines));
  expect(textOf('cut', 'report.html')).toContain('<html');
});

test('a bench stops before it spends more than it may, keeps what it has, and can be gone on with', async () => {
  const few = [...SMALL.split(' '), '--out', at('spent')];
  expect(await benchMain([...few, '--max-tokens', '20000'])).toBe(2);
  expect(errors).toContain('with a higher limit the same command with --out goes on from here');
  expect(await benchMain([...few, '--max-tokens', '20000'])).toBe(2);
  expect(errors).toMatch(/; spent so far: 1[89],\d{3} tokens\n/);
  const kept = textOf('spent', 'results.jsonl').trimEnd().split('\n').length;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(6);
  expect(await printed(SMALL, '--out', at('spent'))).toBe(await printed(SMALL));
});

test('a replay needs no model and gives the same results and report, byte for byte', async () => {
  const line = `${SMALL} --prices openai:gpt-5-mini`;
  const first = await printed(line, '--save', at('saved'), '--out', at('first'));
  const second = await printed(line, '--replay', at('saved'), '--out', at('second'));
  expect(second).toBe(first);
  for (const name of ['report.md', 'report.html']) expect(textOf('second', name)).toBe(textOf('first', name));
  const undated = (name: string) => textOf(name, 'results.jsonl').replaceAll(/"startedAt":"[^"]*"/g, '');
  expect(undated('second')).toBe(undated('first'));
});

test('a replay without the saved replies stops; nothing is made up', async () => {
  await printed(SMALL, '--save', at('saved'));
  expect(
    await benchMain([...SMALL.replace('--seeds 2', '--seeds 3').split(' '), '--replay', at('saved')]),
  ).toBe(2);
  expect(errors).toContain('is not in');
});

test('bench report writes a kept bench’s report again, at other prices', async () => {
  await printed(SMALL, '--out', at('kept'));
  expect(textOf('kept', 'report.md')).toContain('prices: openai:gpt-5-mini');
  await printed('report', at('kept'), '--prices', 'google:gemini-2.5-flash', '--pace', '5');
  expect(textOf('kept', 'report.md')).toContain('prices: google:gemini-2.5-flash');
  const own = { ...(priceOf('openai:gpt-5-mini') as PriceSheet), model: 'ours' };
  writeFileSync(at('sheet.json'), JSON.stringify(own));
  await printed('report', at('kept'), '--sheet', at('sheet.json'));
  expect(textOf('kept', 'report.md')).toContain('prices: ours');
});

test('no ratio to state is shown without enough pairs of the same events', async () => {
  const one = await printed(SMALL.replace('--seeds 2', '--seeds 1'));
  expect(one).not.toContain('x state');
  expect(one).toContain('nothing is set against state: 1 sample; at least 3 are needed');
  expect(await printed(SMALL.replace('--seeds 2', '--seeds 3'))).toContain('in x state');
  const again = await printed(SMALL.replace('--seeds 2', '--seeds 1 --repetitions 4'));
  expect(again).toContain('nothing is set against state: 1 sample; at least 3 are needed');
  const three = ['--out', at('uneven')];
  await printed(SMALL.replace('--seeds 2', '--seeds 3'), ...three);
  const lines = textOf('uneven', 'results.jsonl').trimEnd().split('\n');
  writeFileSync(at('uneven', 'results.jsonl'), `${lines.slice(0, -1).join('\n')}\n`);
  type Rows = { rows: { arm: string; againstState: { pairs: number; inputRatio: number | null } | null }[] };
  const { rows } = JSON.parse(await printed('report', at('uneven'), '--json')) as Rows;
  const against = (arm: string) => rows.find((row) => row.arm === arm)?.againstState;
  expect(against('prompt')).toMatchObject({ pairs: 3, inputRatio: expect.any(Number) as number });
  expect(against('memory')).toMatchObject({ pairs: 2, inputRatio: null });
});

test('Ctrl-C ends a bench, keeps whole episodes and writes their report; the same command goes on', async () => {
  const line = 'bench warehouse --horizons 200 --seeds 8 --reasoning none --arms state,prompt'.split(' ');
  const child = spawn(process.execPath, [BIN, ...line, '--out', at('ended')], { cwd: folder });
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const lines = (): number =>
    existsSync(at('ended', 'results.jsonl')) ? textOf('ended', 'results.jsonl').split('\n').length - 1 : 0;
  await expect.poll(lines, { timeout: 60_000 }).toBeGreaterThan(1);
  child.kill('SIGINT');
  const [code] = (await once(child, 'close')) as [number | null];
  expect([code, said]).toEqual([
    130,
    expect.stringContaining('stopped\nthe same command with --out goes on from here'),
  ]);
  expect(textOf('ended', 'report.md')).toContain(`${lines()} episodes`);
  expect(lines()).toBeLessThan(16);
  expect(existsSync(at('ended', 'bench.pid'))).toBe(false);
});

test('an episode of 2,000 steps in a crowded world and its closed form need less than 64 MB of heap', async () => {
  const line = 'bench warehouse-crowded --arms state --seeds 1 --horizons 2000 --reasoning none --json';
  const child = spawn(process.execPath, ['--max-old-space-size=64', BIN, ...line.split(' ')]);
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  expect(await once(child, 'close')).toEqual([0, null]);
  const { rows } = JSON.parse(said) as { rows: { score: number; agreement: number }[] };
  expect(rows).toMatchObject([{ score: 1, agreement: expect.closeTo(1, 1) as number }]);
});

test('an episode counts once, however often it is asked for or kept', async () => {
  type Rows = { rows: { arm: string; episodes: number }[] };
  const counts = async (...line: string[]) =>
    (JSON.parse(await printed(...(line as [string]), '--json')) as Rows).rows.map(({ arm, episodes }) => [
      arm,
      episodes,
    ]);
  const few = 'warehouse --seeds 1 --reasoning none';
  expect(await counts(`${few} --horizons 10,10 --arms state,state`)).toEqual([['state', 1]]);
  await printed(SMALL, '--out', at('twice'));
  const text = textOf('twice', 'results.jsonl');
  writeFileSync(at('twice', 'results.jsonl'), text + text);
  expect((await counts('report', at('twice'))).map(([, episodes]) => episodes)).toEqual([2, 2, 2]);
});

test('episodes of other parameters are other rows', async () => {
  const line = 'warehouse --seeds 1 --reasoning none --horizons 10 --arms';
  const mixed = ['--out', at('mixed')];
  await printed(`${line} memory,truncated --interval 1`, ...mixed);
  await printed(`${line} memory --interval 5`, ...mixed);
  await printed(`${line} truncated --unit tokens`, ...mixed);
  await printed(`${line} truncated --retries 0`, ...mixed);
  const table = await printed('report', at('mixed'));
  for (const name of ['memory-every-1 ', 'memory-every-5 ', 'truncated ', 'truncated@1800t '])
    expect(table).toMatch(new RegExp(`^${name} +1 `, 'm'));
  expect(table).toContain('T=10, 0 retries');
});

test('a budget sweep takes the arms and the interval that were asked for, and says which budgets are too small', async () => {
  const line = 'budget --environments repository --horizons 10 --seeds 1 --reasoning none';
  const table = await printed(
    `${line} --budgets 1800,9000 --arms prompt,summary-capped,truncated --interval 4`,
    '--out',
    at('sweep'),
  );
  for (const name of ['prompt ', 'summary-capped@1800-every-4 ', 'truncated@9000 '])
    expect(table).toMatch(new RegExp(`^${name}`, 'm'));
  expect(table).not.toContain('llmlingua');
  expect(table).toMatch(/truncated@1800: the budget is too small for what is never cut/);
  expect(table).not.toMatch(/truncated@9000: /);
  type Rows = { rows: { arm: string; compressions: number; agreement: number }[] };
  const { rows } = JSON.parse(await printed('report', at('sweep'), '--json')) as Rows;
  const capped = rows.find(({ arm }) => arm === 'summary-capped@1800-every-4');
  expect(capped?.compressions).toBe(0);
  expect(capped?.agreement).toBeCloseTo(1, 1);
  expect(textOf('sweep', 'report.html')).toContain('the budget is too small');
});

test('names in kept results cannot drive a terminal', async () => {
  await printed(SMALL, '--out', at('loud'));
  const text = textOf('loud', 'results.jsonl').replaceAll('"id":"memory"', '"id":"mem\\u001b[2Jory\\nx"');
  writeFileSync(at('loud', 'results.jsonl'), text);
  expect(await printed('report', at('loud'))).not.toContain('\u001b');
});

test('what cannot be run is said in one line', async () => {
  const held = at('held');
  mkdirSync(held);
  onTestFinished(lockFolder(held));
  const strange = at('strange');
  mkdirSync(strange);
  writeFileSync(join(strange, 'results.jsonl'), '{"v":1,"experiment":"x","spec":{}}\n');
  expect(await benchMain(['castle'])).toBe(1);
  expect(errors).toContain('no bench castle');
  for (const [line, message] of [
    ['warehouse --arms state,magic', 'no arm magic'],
    ['warehouse --horizons 0', 'a whole number from 1 up is wanted'],
    ['noise --environments castle', 'one of warehouse'],
    ['faults --model ollama:x', 'scripted model'],
    ['warehouse --model nobody:x', 'nobody'],
    ['warehouse --seeds 1000000000', 'at most 200000 are run'],
    ['warehouse --save a --replay b', 'name one of them'],
    ['faults --mix overwrite=0.5', 'shares make 0.5 together'],
    ['faults --mix magic=1', 'one of overwrite'],
    ['serve --environment nope', 'Allowed choices are'],
    ['serve --seed -1', 'a whole number is wanted'],
    ['serve --drift nope', 'nope is none of'],
    [`warehouse --out ${held}`, `another bench (process ${process.pid} on `],
    ['warehouse --surprise magic', 'ngram, or causal:'],
    ['warehouse --surprise causal:./nowhere', 'npm install'],
    ['warehouse --prices nobody:x', 'no prices are known for nobody:x'],
    [`report ${at('nothing')}`, 'holds no episodes'],
    [`report ${strange}`, 'line 1 of the results lacks arm, model'],
  ] as const) {
    errors = '';
    expect([line, await benchMain(line.split(' '))]).toEqual([line, 1]);
    expect(errors).toContain(message);
  }
});
