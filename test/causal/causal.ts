/**
 * `llmlingua` with a real causal model through a real Transformers.js: `npm run test:causal`. The library (about 480 MB) is
 * installed from npm into an empty folder, beside a model of a few hundred kilobytes that is written there.
 */
import { createCausalSurprise, loadCausalModel } from '@skillstate/bench';
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { logit, START, writeTinyModel } from './tiny-model.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LIBRARY = '@huggingface/transformers@4.3.2';
const folder = mkdtempSync(join(tmpdir(), 'skillstate-causal-'));
const model = join(folder, 'tiny');

try {
  if (install()) {
    writeTinyModel(model);
    writeTinyModel(join(folder, 'spaced'), ' ');
    process.chdir(folder);
    await surprisals('tiny', '');
    await surprisals('spaced', ' ');
    refusals();
    bench();
    again();
    process.stdout.write('5 passed, 0 failed\n');
  }
} finally {
  process.chdir(ROOT);
  rmSync(folder, { recursive: true, force: true });
}

/** Without the registry, or on a system that its native part does not know, there is nothing to test with: that is said. */
function install(): boolean {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true }));
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', LIBRARY];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) return skip(`npm could not install ${LIBRARY}`, stderr);
  const load = ['-e', "require('@huggingface/transformers')"];
  const loaded = spawnSync(process.execPath, load, { cwd: folder, encoding: 'utf8' });
  return loaded.status === 0 || skip(`${LIBRARY} does not load on this system`, loaded.stderr);
}

function skip(why: string, said: string): false {
  process.stdout.write(`skipped: ${why}: ${said.trim().slice(-300)}\n`);
  return false;
}

/** A word's bits are those of its bytes under the byte before, by hand, though the window holds 16 tokens alone. */
async function surprisals(name: string, first: string): Promise<void> {
  const loaded = await loadCausalModel(name);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  equal(loaded.value.window, 16);
  const surprise = createCausalSurprise(loaded.value);
  const words = 'Customer ordered item_17 from shelf_3, grüße 世界'.split(' ');
  const got = [...(await surprise.read(words.slice(0, 3))), ...(await surprise.read(words.slice(3)))];
  let before = START;
  words.forEach((word, i) => {
    let bits = 0;
    for (const byte of Buffer.from(`${i === 0 ? first : ' '}${word}`)) {
      bits += bitsByHand(before, byte);
      before = byte;
    }
    ok(Math.abs(bits - (got[i] as number)) < 1e-3, `${word}: ${got[i]} bits, by hand ${bits}`);
  });
  process.stdout.write(`${words.length} words score as by hand, with ${surprise.name}\n`);
}

function bitsByHand(before: number, token: number): number {
  let sum = 0;
  for (let other = 0; other <= START; other++) sum += Math.exp(logit(before, other));
  return Math.log2(sum) - logit(before, token) / Math.LN2;
}

/** What cannot be read is said before anything runs. */
function refusals(): void {
  const broken = join(folder, 'broken');
  cpSync(model, broken, { recursive: true });
  writeFileSync(join(broken, 'onnx', 'model.onnx'), 'no graph');
  for (const [name, why] of [
    ['./nowhere', /no such folder/],
    ['models/no/where', /no such folder/],
    [folder, /holds none of model\.onnx/],
    [broken, /causal_unreadable/],
  ] as const) {
    const { status, stderr } = skillstate('--surprise', `causal:${name}`);
    equal(status, 1, stderr);
    match(stderr, why);
  }
  process.stdout.write('four models that cannot be read are refused\n');
}

/** A bench with it names it, agrees with the closed form, and is replayed byte for byte. */
function bench(): void {
  const run = (...more: string[]): string => {
    const { status, stderr } = skillstate('--surprise', `causal:${model}`, '--out', ...more);
    equal(status, 0, stderr);
    return readFileSync(join(folder, more[0] ?? '', 'report.md'), 'utf8');
  };
  const report = run('first', '--save', 'replies');
  match(report, /causal model .*tiny \(fp32\)/);
  match(report, /llmlingua\+tiny/);
  ok(run('second', '--replay', 'replies') === report, 'a replay gives another report');
  const ngram = skillstate('--json');
  const causal = skillstate('--json', '--surprise', `causal:${model}`);
  const row = ({ stdout }: { stdout: string }): { score: number; agreement: number; compressor: string } =>
    (JSON.parse(stdout) as { rows: { score: number; agreement: number; compressor: string }[] }).rows.at(
      -1,
    ) as never;
  ok(Math.abs(row(causal).agreement - 1) < 0.05, `measured over closed form: ${row(causal).agreement}`);
  ok(row(ngram).compressor.startsWith('n-gram'));
  deepEqual([row(ngram).score < 1, row(causal).score < 1], [true, true]);
  process.stdout.write(`a bench with it scores ${row(causal).score.toFixed(2)}, with the n-gram model `);
  process.stdout.write(
    `${row(ngram).score.toFixed(2)}; measured over closed form ${row(causal).agreement.toFixed(3)}\n`,
  );
}

/** Two runs print the same but for wall time, be the episodes one by one or three at a time: each reads its own text. */
function again(): void {
  const [one, three] = ['1', '3'].map((parallel) => {
    const run = skillstate('--surprise', `causal:${model}`, '--json', '--parallel', parallel);
    equal(run.status, 0, run.stderr);
    return run.stdout.replace(/"wallMs": [\d.]+/g, '');
  });
  match(one ?? '', /causal model/);
  equal(three, one);
  process.stdout.write('two runs print the same, one by one and in parallel\n');
}

function skillstate(...more: string[]): { status: number | null; stdout: string; stderr: string } {
  const bin = join(ROOT, 'packages/skillstate/bin/skillstate.js');
  const args = 'bench warehouse --horizons 25 --seeds 2 --reasoning none --arms state,llmlingua'.split(' ');
  return spawnSync(process.execPath, [bin, ...args, ...more], { cwd: folder, encoding: 'utf8' });
}
