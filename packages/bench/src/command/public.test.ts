import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSandbox } from '@skillstate/runtime';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { dataPlaces } from '../data/places.ts';
import { lockFolder } from '../experiment/lock.ts';
import { intercodeCommand } from './intercode.ts';
import { tauCommand } from './tau.ts';

const own = fileURLToPath(new URL('../tau/fixtures/tau', import.meta.url));
const places = dataPlaces();
const hasShared = places.some((place) => existsSync(join(place, 'intercode', 'ic_ctf.json')));
const hasSandbox = (await findSandbox()).available;
let folder: string;
let printed: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillstate-public-'));
  printed = '';
  const take = (text: string | Uint8Array): boolean => {
    printed += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(take);
  vi.spyOn(process.stderr, 'write').mockImplementation(take);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

test('bench tau replays a folder of vectors without data beside it, and says per tool how many agree', async () => {
  cpSync(join(own, 'vectors', 'calls_retail.jsonl'), join(folder, 'more_calls_retail.jsonl'));
  expect(await tauCommand(['--vectors', folder, '--data', own])).toBe(0);
  expect(printed).toMatch(/call +retail +cancel_pending_order/);
  expect(printed).toContain('8 of 8 agree; 0 differ');
  printed = '';
  expect(await tauCommand(['--vectors', folder, '--data', own, '--json'])).toBe(0);
  expect(JSON.parse(printed)).toMatchObject({ total: 8, agree: 8, differ: 0 });
});

test('bench tau shows the first differences and exits with 1', async () => {
  const text = readFileSync(join(own, 'vectors', 'calls_retail.jsonl'), 'utf8');
  writeFileSync(
    join(folder, 'calls_retail.jsonl'),
    text.replace(/"data_hash":\s*"./, (found) => `${found}0`),
  );
  expect(await tauCommand(['--vectors', folder, '--data', own])).toBe(1);
  expect(printed).toContain('7 of 8 agree; 1 differ');
  expect(printed).toMatch(/data_hash\n {2}wanted .*\n {2}got/);
});

test('bench tau and bench intercode name the command that gets the data', async () => {
  mkdirSync(join(folder, 'empty'));
  cpSync(join(own, 'vectors', 'calls_retail.jsonl'), join(folder, 'calls_retail.jsonl'));
  expect(await tauCommand(['--vectors', folder, '--data', join(folder, 'empty')])).toBe(1);
  expect(printed).toContain('git clone https://github.com/sierra-research/tau-bench');
  expect(await intercodeCommand(['--solutions', folder, '--data', join(folder, 'empty')])).toBe(1);
  expect(printed).toContain('git clone https://github.com/princeton-nlp/intercode');
});

test.skipIf(!hasShared || !hasSandbox)(
  'bench intercode runs a folder of scripts alone, with the data from its usual place; a wrong flag exits with 1',
  async () => {
    const data = places.find((place) => existsSync(join(place, 'intercode', 'solutions'))) ?? '';
    cpSync(join(data, 'intercode', 'solutions', '10.sh'), join(folder, '10.sh'));
    expect(await intercodeCommand(['--solutions', folder])).toBe(0);
    expect(printed).toContain('1 of 1 scripts find their flag');
    writeFileSync(join(folder, '17.sh'), 'echo nothing');
    expect(await intercodeCommand(['--solutions', folder])).toBe(1);
    expect(printed).toContain('solution 17');
    expect(await intercodeCommand(['--vectors', data])).toBe(0);
    expect(printed).toContain('435 of 435 agree');
  },
);

test('bench tau plays a scripted agent with every named arm, keeps the results and goes on from them', async () => {
  const out = join(folder, 'out');
  const args = ['--data', own, '--domain', 'retail', '--strategies', 'state,prompt', '--out', out];
  expect(await tauCommand(['--model', 'gold', ...args])).toBe(0);
  expect(printed).toMatch(/state +6 +6 +100\.0%/);
  expect(printed).toContain('known bad (a required write fails): 3');
  expect(printed).toContain('floor: an agent that does nothing passes');
  const lines = readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n');
  expect(lines.length).toBe(12);
  expect(readFileSync(join(out, 'report.md'), 'utf8')).toContain('# τ-bench');
  expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('<svg');
  expect(await tauCommand(['--model', 'gold', ...args, '--json'])).toBe(0);
  expect(readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n').length).toBe(12);
});

test('bench tau leaves a folder alone that another bench writes to', async () => {
  onTestFinished(lockFolder(folder));
  expect(await tauCommand(['--model', 'gold', '--data', own, '--domain', 'retail', '--out', folder])).toBe(1);
  expect(printed).toContain(`another bench (process ${process.pid} on `);
});

test('bench tau lists what is wrong with the ground truth', async () => {
  expect(await tauCommand(['--gold', '--data', own, '--domain', 'retail'])).toBe(0);
  expect(printed).toContain('task 3, action 0: exchange_delivered_order_items: Error: new item 30 not found');
});

test('bench tau refuses what it cannot do in one line', async () => {
  for (const args of [
    [],
    ['--model', 'gold', '--strategies', 'magic'],
    ['--model', 'nobody:x'],
    ['--model', 'gold', '--tasks', 'x'],
    ['--model', 'gold', '--split', 'dev', '--domain', 'airline'],
  ])
    expect([args, await tauCommand([...args, '--data', own])]).toEqual([args, 1]);
  expect(printed).toContain('say what to do');
  expect(printed).toContain('no arm magic');
  expect(printed).toContain('no model nobody:x');
});
