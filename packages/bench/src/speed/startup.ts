import { join } from 'node:path';
import { median, processMs, programPath } from './measure.ts';

const SAMPLES = 15;

/** Whole processes, each beside `node -e 0` in the same round: medians. */
export function startupText(folder: string): string {
  const bin = programPath('../../../skillstate/bin/skillstate.js');
  const samples = Array.from({ length: SAMPLES }, (_, index) => ({
    floor: processMs(['-e', '0']),
    version: processMs([bin, '--version']),
    first: processMs([programPath('./first.js'), join(folder, `first-${index}.db`)]),
  }));
  const [floor, version, first] = (['floor', 'version', 'first'] as const).map((name) =>
    median(samples.map((sample) => sample[name])),
  ) as [number, number, number];
  return [
    `node -e 0: ${floor.toFixed(0)} ms`,
    `skillstate --version: ${version.toFixed(0)} ms (${(version / floor).toFixed(1)}x)`,
    `importing the runtime and a first step in a new file: ${(first - floor).toFixed(0)} ms over node -e 0`,
    '',
  ].join('\n');
}
