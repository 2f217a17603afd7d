import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, type PriceSheet } from '@skillstate/runtime';
import { sheetFor } from '../cost/sheet.ts';
import { type Job, modelOf, type Player } from '../experiment/job.ts';
import { type Progress, progressText } from '../experiment/progress.ts';
import { openResults, readResults } from '../experiment/record.ts';
import { type BenchEnd, runBench } from '../experiment/run.ts';
import { type Guard, rateGuard, spendGuard } from '../harness/guards.ts';
import type { BenchModel } from '../harness/model.ts';
import type { EpisodeResult } from '../harness/result.ts';
import { benchModelOf } from '../harness/plain-model.ts';
import { replayedModel, saveBase, savedBase, savingModel } from '../harness/saved.ts';
import { type Digest, digestEpisode } from '../report/digest.ts';
import { renderReportOf } from '../report/render.ts';
import { rowsOf } from '../report/rows.ts';
import type { Measure } from '../strategy/budget.ts';
import { createCausalSurprise } from '../strategy/causal.ts';
import type { Surprise } from '../strategy/surprise.ts';
import { loadCausalModel } from '../strategy/transformers-js.ts';
import { type BenchFlags, isScripted } from './arguments.ts';
import { rowsText } from './bench-table.ts';
import { namedModel, tokenMeasure } from './public.ts';

/** 0: all episodes ran. 2: the bench stopped before its end and can be gone on with. */
export type BenchExit = 0 | 2;

/** Runs an experiment's jobs and prints its rows; keeps results, replies and a report where asked. */
export async function runJobs(
  plan: (tokens: Measure) => Promise<readonly Job[]> | readonly Job[],
  flags: BenchFlags,
): Promise<BenchExit> {
  const sheet = await sheetFor(flags.model, flags);
  const { tokens, tokensBy } = await tokenMeasure();
  const surprise = await surpriseOf(flags);
  const jobs = await plan(tokens);
  const model = await modelFor(flags, jobs, tokens);
  if (flags.out !== undefined) makeFolder(flags.out);
  const digest = (result: EpisodeResult): Digest => digestEpisode(result, { sheet });
  const file = flags.out === undefined ? null : await openResults(join(flags.out, 'results.jsonl'), digest);
  const shown = showing();
  try {
    const closedForms = isScripted(flags.model);
    const end = await runBench({
      jobs,
      model,
      tokens,
      tokensBy,
      parallel: flags.parallel,
      closedForms,
      pricing: { sheet },
      ...(surprise !== null && { surprise }),
      onProgress: shown.tell,
      ...(file !== null && { known: file.known, onResult: file.append }),
    });
    shown.end();
    print(end, flags);
    return end.stopped === null ? 0 : 2;
  } finally {
    await file?.close();
    if (flags.out !== undefined) await writeReport(flags.out, sheet);
  }
}

/** The causal model that was asked for, loaded once. Throws an error that says what is missing. */
async function surpriseOf({ surprise }: BenchFlags): Promise<Surprise | null> {
  if (surprise === null) return null;
  const model = await loadCausalModel(surprise.causal);
  if (model.ok) return () => createCausalSurprise(model.value);
  throw new Error(model.issues.map(({ code, hint }) => `${hint} [${code}]`).join('; '));
}

/** The model of each job, inside the limits, saved or replayed. */
async function modelFor(
  flags: BenchFlags,
  jobs: readonly Job[],
  tokens: Measure,
): Promise<(job: Job) => BenchModel> {
  const { model: name, save, replay, rate, maxTokens, maxUsd } = flags;
  if (replay !== undefined) {
    const base = isScripted(name) ? null : await savedBase(replay);
    return (job) =>
      replayedModel(base ?? modelOf({ scripted: name as 'reference' | 'http', tokens }, job), replay);
  }
  const player: Player = isScripted(name)
    ? { scripted: name, tokens }
    : { scripted: null, model: benchModelOf(await namedModel(name)) };
  const guards: Guard[] = [];
  if (rate !== undefined) guards.push(rateGuard(rate));
  if (maxTokens !== undefined || maxUsd !== undefined)
    guards.push(spendGuard({ tokens: maxTokens ?? null, usd: maxUsd ?? null }, tokens));
  if (save !== undefined) {
    const [first] = jobs;
    if (first !== undefined) await saveBase(save, modelOf(player, first));
    guards.push((inner) => savingModel(inner, save));
  }
  return (job) => guards.reduce((inner, guard) => guard(inner), modelOf(player, job));
}

function print({ results, stopped }: BenchEnd, { json }: BenchFlags): void {
  const rows = rowsOf(results);
  process.stdout.write(json === true ? `${JSON.stringify({ rows, stopped }, null, 2)}\n` : rowsText(rows));
  if (stopped !== null)
    process.stderr.write(`stopped: ${stopped}\nthe same command with --out goes on from here\n`);
}

async function writeReport(folder: string, sheet: PriceSheet | null): Promise<void> {
  const report = await renderReportOf(readResults(join(folder, 'results.jsonl')), { sheet });
  await writeFile(join(folder, 'report.md'), report.markdown);
  await writeFile(join(folder, 'report.html'), report.html);
}

/** Where nobody watches, a line this often. */
const QUIET_MS = 15_000;

/** Progress on standard error: one line that is written over on a terminal, else a line now and then. */
function showing(): { tell(progress: Progress): void; end(): void } {
  const { isTTY } = process.stderr;
  let last = performance.now();
  return {
    tell(progress) {
      const now = performance.now();
      if (now - last < (isTTY ? 100 : QUIET_MS) && progress.done < progress.jobs) return;
      if (!isTTY && now - last < QUIET_MS) return;
      last = now;
      process.stderr.write(isTTY ? `\r\x1b[K${progressText(progress)}` : `${progressText(progress)}\n`);
    },
    end: () => void (isTTY && process.stderr.write('\r\x1b[K')),
  };
}
