/** `npm run bench`: what a step costs above bare SQLite, in one table from one run. Nothing here fails on a time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measured } from './measure.ts';
import { memoryText } from './memory.ts';
import { partsText } from './parts.ts';
import { startupText } from './startup.ts';
import { runFile, stepsText } from './table.ts';

const folder = mkdtempSync(join(tmpdir(), 'skillstate-speed-'));
try {
  process.stdout.write(`${stepsText(folder)}\n`);
  const file = runFile(folder, 'full', 20_000, 10_000);
  const { openMs, resumeMs, events } = measured<{ openMs: number; resumeMs: number; events: number }>(
    './resume.js',
    file,
    'speed',
  );
  process.stdout.write(
    `resume after 10,000 steps: ${resumeMs.toFixed(1)} ms to load and replay ${events} events (open: ${openMs.toFixed(1)} ms)\n`,
  );
  process.stdout.write(`${memoryText(folder)}\n`);
  process.stdout.write(`${startupText(folder)}\n`);
  process.stdout.write(partsText(folder));
  const { runtimeMs, harnessMs } = measured<{ runtimeMs: number; harnessMs: number }>('./harness.js', 1_000);
  process.stdout.write(
    `a step of SkillExecBench, CPU: ${runtimeMs.toFixed(3)} ms in the runtime, ${harnessMs.toFixed(3)} ms with the harness around it (${(harnessMs - runtimeMs).toFixed(3)} ms more)\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
