import { join } from 'node:path';
import { measured, tableText } from './measure.ts';

/** What `steps.js` prints: per step, but for `rss`, `heapUsed` and `decideUs`. */
export type Steps = {
  readonly steps: number;
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly rss: number;
  /** Under `--expose-gc`: what is still in use after a collection. */
  readonly heapUsed: number;
  readonly diskBytes: number;
  /** Median time from the decision to act to the tool's start. */
  readonly decideUs: number;
  readonly eventBytes: number;
  readonly headBytes: number;
};
type Floor = { readonly cpuMs: number; readonly wallMs: number };

const HORIZONS = [10, 100, 1_000, 10_000];
const SIZES = [1_000, 20_000];
const HEAD =
  'durability,state,T,floor CPU,step CPU,above,ratio,floor wall,step wall,ratio,disk B/step,RSS MB'.split(
    ',',
  );

/** The file of a measured run, in `folder`. */
export function runFile(folder: string, durability: string, size: number, steps: number): string {
  return join(folder, `${durability}-${size}-${steps}.db`);
}

/** Each run beside a floor of as many bare transactions with as many bytes, measured right after it. */
export function stepsText(folder: string): string {
  const rows = [HEAD];
  for (const durability of ['full', 'process'])
    for (const size of SIZES)
      for (const steps of durability === 'full' ? HORIZONS : [1_000]) {
        process.stderr.write(`${durability}, Σ of ${size} bytes, ${steps} steps …\n`);
        const file = runFile(folder, durability, size, steps);
        const run = measured<Steps>('./steps.js', steps, size, durability, file);
        const floor = measured<Floor>(
          './floor.js',
          steps,
          run.eventBytes,
          run.headBytes,
          durability,
          `${file}.floor`,
        );
        rows.push([durability, `${size / 1000} kB`, String(steps), ...cells(run, floor)]);
      }
  return `${tableText(rows)}\n(times in ms a step; CPU of all threads)\n`;
}

function cells(run: Steps, floor: Floor): string[] {
  return [
    floor.cpuMs.toFixed(3),
    run.cpuMs.toFixed(3),
    (run.cpuMs - floor.cpuMs).toFixed(3),
    `${(run.cpuMs / floor.cpuMs).toFixed(1)}x`,
    floor.wallMs.toFixed(3),
    run.wallMs.toFixed(3),
    `${(run.wallMs / floor.wallMs).toFixed(1)}x`,
    run.diskBytes.toFixed(0),
    (run.rss / 1e6).toFixed(0),
  ];
}
