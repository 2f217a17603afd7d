import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { measuredUnder, median, tableText } from './measure.ts';
import type { Steps } from './table.ts';

const HORIZONS = [1_000, 10_000];
const SIZES = [1_000, 20_000];
const ROUNDS = 3;
/** MB of each half of the young generation; V8 takes up to 16 by default. */
const SMALL = '--max-semi-space-size=2';

/**
 * What a run keeps in memory, and what Node adds: RSS with V8's own choice of a young generation, which grows with the garbage
 * that was made and not with what is kept, and with a small one.
 */
export function memoryText(folder: string): string {
  const bare = Number(
    execFileSync(process.execPath, ['-p', 'process.memoryUsage.rss()'], { encoding: 'utf8' }),
  );
  const rows = SIZES.flatMap((size) => HORIZONS.map((steps) => row(folder, size, steps)));
  return `${tableText([['state', 'T', 'live heap MB', 'RSS MB', `RSS MB, ${SMALL}`], ...rows])}
(medians of ${ROUNDS}; node itself: RSS ${megabytes(bare)} MB)
`;
}

function row(folder: string, size: number, steps: number): string[] {
  const file = (what: string, round: number): string =>
    join(folder, `memory-${what}-${size}-${steps}-${round}.db`);
  const take = (flags: readonly string[], what: string): Steps[] =>
    Array.from({ length: ROUNDS }, (_, round) =>
      measuredUnder<Steps>(['--expose-gc', ...flags], './steps.js', steps, size, 'full', file(what, round)),
    );
  const [usual, small] = [take([], 'usual'), take([SMALL], 'small')];
  return [
    `${size / 1000} kB`,
    String(steps),
    megabytes(median(usual.map(({ heapUsed }) => heapUsed))),
    megabytes(median(usual.map(({ rss }) => rss))),
    megabytes(median(small.map(({ rss }) => rss))),
  ];
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
