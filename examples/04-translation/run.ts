/** `node examples/04-translation/run.ts [SEED]`: one job, one translator with the same faults, five ways and ten more. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBare } from './arms/bare.ts';
import { startCms } from './arms/cms-process.ts';
import { playNaive } from './arms/naive.ts';
import { playPlumbing } from './arms/plumbing.ts';
import { playRuntime, translationSkill } from './arms/runtime.ts';
import { playTranscript } from './arms/transcript.ts';
import { jobOnly, RUNTIME, type Variant, VARIANTS } from './arms/variants.ts';
import { TRANSLATION_TOOLS } from './cms/tools.ts';
import { judge } from './judge.ts';
import { billOf, type Row, table } from './report.ts';
import { createTranslator } from './translator/translator.ts';

/** The cache lives about 25 answers of the model long, as in the report that this example follows. */
export const TIMES = { ttlMs: 500, latencyMs: 20 };
export const SEED = 3;

const MOST_STEPS = 120;
const BUSY = [9, 31];

export type Arm = 'A' | 'B' | 'C' | 'D' | Variant;

/** Plays one arm in a folder of its own, against a CMS process of its own, and has it judged from outside. */
export async function playArm(arm: Arm, seed: number = SEED): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-translation-'));
  const db = join(folder, 'cms.db');
  const cms = await startCms({ db, seed, ttlMs: TIMES.ttlMs, busy: BUSY });
  try {
    const played =
      typeof arm === 'string'
        ? await playBare(arm, cms.url, seed)
        : await playOurs(arm, cms.url, join(folder, 'runs.db'), seed);
    return { ...played, ...judge(db) };
  } finally {
    await cms.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Played = Pick<Row, 'name' | 'stops' | 'end' | 'steps' | 'rejected' | 'bill'>;

async function playBare(arm: 'A' | 'B' | 'C' | 'D', url: string, seed: number): Promise<Played> {
  const model = createTranslator({ seed, latencyMs: TIMES.latencyMs });
  const job = jobOnly((await translationSkill()).instructions);
  const cms = await openBare(url);
  const needed = cms.tools.filter(({ name }) => TRANSLATION_TOOLS.some((tool) => tool.name === name));
  try {
    switch (arm) {
      case 'A':
        return bareRow(
          'A transcript, 62 tools',
          await playTranscript(cms, cms.tools, model, job, MOST_STEPS),
        );
      case 'B':
        return bareRow('B transcript, 8 tools', await playTranscript(cms, needed, model, job, MOST_STEPS));
      case 'C':
        return bareRow('C script, a call an article', await playPlumbing(cms, model));
      case 'D':
        return bareRow('D state, a 200 is a commit', await playNaive(cms, needed, model, job, MOST_STEPS));
    }
  } finally {
    await cms.close();
  }
}

async function bareRow(
  name: string,
  { sent, steps, end }: Awaited<ReturnType<typeof playTranscript>>,
): Promise<Played> {
  return { name, stops: '', end, steps, rejected: {}, bill: await billOf(sent) };
}

async function playOurs(variant: Variant, url: string, db: string, seed: number): Promise<Played> {
  const model = createTranslator({ seed, latencyMs: TIMES.latencyMs });
  const { sent, report, rejected } = await playRuntime(url, db, model, variant);
  const end = report.status === 'finished' ? report.status : `${report.status}: ${report.reason}`;
  return {
    name: variant.name,
    stops: variant.stops,
    end,
    steps: report.steps,
    rejected,
    bill: await billOf(sent),
  };
}

/** Two at a time: they mostly wait. */
async function playAll(arms: readonly Arm[], seed: number, say: (row: Row) => void): Promise<Row[]> {
  const rows: Row[] = [];
  const waiting = arms.map((arm, index) => ({ arm, index }));
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const row = await playArm(next.arm, seed);
      rows[next.index] = row;
      say(row);
    }
  };
  await Promise.all([work(), work()]);
  return rows;
}

/** Arm E is arm A's run; only its bill differs. */
function billedWithCache(a: Row): Row {
  return { ...a, name: 'E = A, billed with caching', bill: { ...a.bill, usd: a.bill.usdCached } };
}

if (process.argv[1] === import.meta.filename) {
  const seed = Number(process.argv[2] ?? SEED);
  const say = ({ name, right, end }: Row): void =>
    void process.stderr.write(`${name}: ${right} of 6, ${end}\n`);
  const rows = await playAll(['A', 'B', 'C', 'D', RUNTIME, ...VARIANTS], seed, say);
  const [a, ...rest] = rows;
  const shown = a === undefined ? rows : [a, ...rest.slice(0, 3), billedWithCache(a), ...rest.slice(3)];
  process.stdout.write(`\nSix English articles, one of them empty; seed ${seed}.\n\n${table(shown)}\n`);
}
