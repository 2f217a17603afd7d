/** `npm run bench`: what a step costs above bare SQLite, in one table from one run. Nothing here fails on a time. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Steps = { steps: number; cpuMs: number; wallMs: number; rss: number; diskBytes: number };
type Floor = { cpuMs: number; wallMs: number };

const folder = mkdtempSync(join(tmpdir(), 'skillstate-speed-'));
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const node = <T>(name: string, ...args: (string | number)[]): T =>
  JSON.parse(execFileSync(process.execPath, [here(name), ...args.map(String)], { encoding: 'utf8' })) as T;

const HORIZONS = [10, 100, 1_000, 10_000];
const SIZES = [1_000, 20_000];
/** Bytes of one event row and of the head row, as measured on the runs themselves. */
const EVENT_BYTES = 1_100;
const HEAD_BYTES = 1_300;

const rows: string[][] = [];
let last = '';
for (const durability of ['full', 'process'] as const)
  for (const size of SIZES)
    for (const steps of HORIZONS) {
      if (durability === 'process' && steps !== 1_000) continue;
      process.stderr.write(`${durability}, Σ of ${size} bytes, ${steps} steps …\n`);
      last = join(folder, `${durability}-${size}-${steps}.db`);
      const floor = node<Floor>('./floor.js', steps, EVENT_BYTES, HEAD_BYTES, durability, `${last}.floor`);
      const run = node<Steps>('./steps.js', steps, size, durability, last);
      rows.push([
        durability,
        `${size / 1000} kB`,
        String(steps),
        floor.cpuMs.toFixed(3),
        run.cpuMs.toFixed(3),
        (run.cpuMs - floor.cpuMs).toFixed(3),
        floor.wallMs.toFixed(3),
        run.wallMs.toFixed(3),
        `${(run.wallMs / floor.wallMs).toFixed(1)}x`,
        run.diskBytes.toFixed(0),
        (run.rss / 1e6).toFixed(0),
      ]);
    }
const head = ['durability', 'state', 'T', 'floor CPU', 'step CPU', 'above', 'floor wall', 'step wall', 'ratio', 'disk B/step', 'RSS MB'];
const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
const line = (cells: readonly string[]): string => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ');
process.stdout.write(`${[line(head), ...rows.map(line)].join('\n')}\n(times in ms a step; the floor is as many bare node:sqlite transactions of as many bytes)\n\n`);

const full = join(folder, `full-20000-10000.db`);
const resume = node<{ openMs: number; resumeMs: number; events: number }>('./resume.js', full, 'speed');
process.stdout.write(
  `resume after 10,000 steps: ${resume.resumeMs.toFixed(1)} ms to load and replay ${resume.events} events (open: ${resume.openMs.toFixed(1)} ms)\n`,
);
process.stdout.write(startup());
rmSync(folder, { recursive: true, force: true });

/** Median of several starts, beside `node -e 0` in the same loop. */
function startup(): string {
  const bin = fileURLToPath(new URL('../../../skillstate/bin/skillstate.js', import.meta.url));
  const time = (args: string[]): number => {
    const begin = performance.now();
    execFileSync(process.execPath, args, { stdio: 'ignore' });
    return performance.now() - begin;
  };
  const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const samples = Array.from({ length: 9 }, (_, index) => ({
    floor: time(['-e', '0']),
    version: time([bin, '--version']),
    first: time([here('./steps.js'), '1', '1000', 'full', join(folder, `first-${index}.db`)]),
  }));
  const [floor, version, first] = (['floor', 'version', 'first'] as const).map((name) => median(samples.map((sample) => sample[name])));
  return [
    `node -e 0: ${floor?.toFixed(0)} ms`,
    `skillstate --version: ${version?.toFixed(0)} ms (${((version ?? 0) / (floor ?? 1)).toFixed(1)}x)`,
    `importing the runtime and a first step: ${((first ?? 0) - (floor ?? 0)).toFixed(0)} ms over node -e 0`,
    '',
  ].join('\n');
}
