/** The long kill test over effects: `effects-long.ts [KILLS] [SEED]`. Prints its seed; ends with a line that counts. */
import { effectsRun, randomKills } from './effects-harness.ts';
import { seeded } from './harness.ts';

const kills = Number(process.argv[2] ?? 300);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000_007);
const random = seeded(seed);
process.stdout.write(`kills over effects: ${kills}, seed ${seed}\n`);

let done = 0;
let runs = 0;
let failed = 0;
let unknown = 0;
const one = async (http: boolean): Promise<void> => {
  const plan = randomKills(random, 5);
  const report = await effectsRun(plan, http);
  runs++;
  done += report.kills;
  unknown += report.unknown;
  if (report.problems.length === 0) return;
  failed++;
  process.stdout.write(
    `FAILED ${http ? 'http' : 'stdio'} ${JSON.stringify(plan)}: ${report.problems.join('; ')}\n`,
  );
};
while (done < kills) {
  await Promise.all([one(true), one(false)]);
  if (runs % 10 === 0) process.stdout.write(`${done} of ${kills} kills, ${runs} runs\n`);
}
process.stdout.write(
  `${done} kills in ${runs} runs; ${unknown} effects honestly unknown until a person looked\n`,
);
process.stdout.write(`${runs - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
