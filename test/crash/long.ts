/** The long crash test: `npm run test:crash [KILLS] [SEED]`. Prints its seed; ends with a line that counts. */
import { crashRun, seeded } from './harness.ts';

const kills = Number(process.argv[2] ?? 220);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000_007);
const random = seeded(seed);
process.stdout.write(`crash test: ${kills} kills, seed ${seed}\n`);

let done = 0;
let passed = 0;
let failed = 0;
let unknown = 0;
while (done < kills) {
  const plan = Array.from({ length: 3 }, () => ({ afterMs: random() * 150 }));
  const report = await crashRun(plan);
  done += report.kills;
  unknown += report.unknown;
  if (report.problems.length === 0) passed++;
  else {
    failed++;
    process.stdout.write(`FAILED ${JSON.stringify(plan)}: ${report.problems.join('; ')}\n`);
  }
  if ((passed + failed) % 10 === 0)
    process.stdout.write(`${done} of ${kills} kills, ${passed + failed} runs\n`);
}
process.stdout.write(`${done} kills in ${passed + failed} runs; ${unknown} effects honestly unknown\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
