import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, type PriceSheet } from '@skillstate/runtime';
import { sheetFor } from '../cost/sheet.ts';
import { type Job, modelOf, type Player } from '../experiment/job.ts';
import { lockFolder } from '../experiment/lock.ts';
import { type Progress, progressText } from '../experiment/progress.ts';
import { openResults, readResults, type ResultFile } from '../experiment/record.ts';
import { type BenchEnd, INTERRUPTED, runBench } from '../experiment/run.ts';
import { openSpending } from '../experiment/spending.ts';
import { type Guard, interruptGuard, rateGuard, spendGuard, type Spending } from '../harness/guards.ts';
import type { BenchModel } from '../harness/model.ts';
import { benchModelOf } from '../harness/plain-model.ts';
import type { EpisodeResult } from '../harness/result.ts';
import { type ModelBase, replayedModel, saveBase, savedBase, savingModel } from '../harness/saved.ts';
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

/** 0: all episodes ran. 2: the bench stopped before its end. 130: it was interrupted. */
export type BenchExit = 0 | 2 | 130;

/** Runs an experiment's jobs and prints its rows; keeps results, replies and a report where asked. */
export async function runJobs(
  plan: (tokens: Measure) => Promise<readonly Job[]> | readonly Job[],
  flags: BenchFlags,
): Promise<BenchExit> {
  if (flags.save !== undefined && flags.replay !== undefined)
    throw new RangeError('--save keeps what a model says and --replay asks none: name one of them');
  const sheet = await sheetFor(flags.model, flags);
  const { tokens, tokensBy } = await tokenMeasure();
  const surprise = await surpriseOf(flags);
  const jobs = await plan(tokens);
  const kept = flags.out === undefined ? null : await openFolder(flags.out, sheet);
  const shown = showing();
  const stop = onInterrupt();
  try {
    const model = await modelFor(flags, jobs, tokens, {
      signal: stop.signal,
      sheet,
      spending: kept?.spending,
    });
    const end = await runBench({
      jobs,
      model,
      tokens,
      tokensBy,
      parallel: flags.parallel,
      closedForms: isScripted(flags.model),
      signal: stop.signal,
      pricing: { sheet },
      ...(surprise !== null && { surprise }),
      onProgress: shown.tell,
      ...(kept !== null && { known: kept.file.known, onResult: kept.file.append }),
    });
    shown.end();
    print(end, flags);
    return end.stopped === null ? 0 : end.stopped === INTERRUPTED ? 130 : 2;
  } finally {
    stop.end();
    await kept?.close();
  }
}

type Kept = {
  readonly file: ResultFile<Digest>;
  readonly spending: Spending;
  /** Closes all, and writes the report of what is kept. */
  close(): Promise<void>;
};

/** A bench's folder, held by this process until it is closed. */
async function openFolder(folder: string, sheet: PriceSheet | null): Promise<Kept> {
  makeFolder(folder);
  const unlock = lockFolder(folder);
  try {
    const digest = (result: EpisodeResult): Digest => digestEpisode(result, { sheet });
    const file = await openResults(join(folder, 'results.jsonl'), digest);
    const spending = openSpending(folder);
    return {
      file,
      spending,
      async close() {
        spending.close();
        await file.close();
        await writeReport(folder, sheet).finally(unlock);
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The first Ctrl-C stops the bench and keeps what it has; the second ends the program. */
function onInterrupt(): { readonly signal: AbortSignal; end(): void } {
  const control = new AbortController();
  const heard = (): void => {
    if (control.signal.aborted) process.exit(130);
    process.stderr.write('\nstopping; once more to end at once\n');
    control.abort();
  };
  process.on('SIGINT', heard);
  return { signal: control.signal, end: () => void process.off('SIGINT', heard) };
}

/** The causal model that was asked for, loaded once. Throws an error that says what is missing. */
async function surpriseOf({ surprise }: BenchFlags): Promise<Surprise | null> {
  if (surprise === null) return null;
  const model = await loadCausalModel(surprise.causal);
  if (model.ok) return () => createCausalSurprise(model.value);
  throw new Error(model.issues.map(({ code, hint }) => `${hint} [${code}]`).join('; '));
}

/** Tokens that a named model may answer with, reasoning included. */
const MOST_OUTPUT = 8_192;

type Around = {
  readonly signal: AbortSignal;
  readonly sheet: PriceSheet | null;
  readonly spending: Spending | undefined;
};

/** The model of each job, inside the limits, saved or replayed. */
async function modelFor(
  flags: BenchFlags,
  jobs: readonly Job[],
  tokens: Measure,
  { signal, sheet, spending }: Around,
): Promise<(job: Job) => BenchModel> {
  const { model: name, save, replay, rate, maxTokens, maxUsd } = flags;
  const interrupt = interruptGuard(signal);
  if (replay !== undefined) {
    const base = isScripted(name) ? null : await savedBase(replay);
    const baseOf = (job: Job): ModelBase => base ?? modelOf({ scripted: name as 'reference', tokens }, job);
    return (job) => interrupt(replayedModel(baseOf(job), replay));
  }
  const player: Player = isScripted(name)
    ? { scripted: name, tokens }
    : {
        scripted: null,
        model: benchModelOf(await namedModel(name, { mode: flags.mode, maxOutputTokens: MOST_OUTPUT })),
      };
  const guards: Guard[] = [];
  if (rate !== undefined) guards.push(rateGuard(rate));
  if (maxTokens !== undefined || maxUsd !== undefined || player.scripted === null)
    guards.push(
      spendGuard({ tokens: maxTokens ?? null, usd: maxUsd ?? null }, tokens, {
        ...(player.scripted === null && { mostOutput: MOST_OUTPUT }),
        ...(flags.prices !== undefined || flags.sheet !== undefined ? { sheet } : {}),
        ...(spending !== undefined && { spending }),
      }),
    );
  if (save !== undefined) {
    const [first] = jobs;
    if (first !== undefined) await saveBase(save, modelOf(player, first));
    guards.push((inner) => savingModel(inner, save));
  }
  guards.push(interrupt);
  return (job) => guards.reduce((inner, guard) => guard(inner), modelOf(player, job));
}

function print({ results, stopped }: BenchEnd, flags: BenchFlags): void {
  const rows = rowsOf(results);
  process.stdout.write(
    flags.json === true ? `${JSON.stringify({ rows, stopped }, null, 2)}\n` : rowsText(rows),
  );
  if (stopped !== null) process.stderr.write(`stopped: ${stopped}\n${afterStop(flags)}\n`);
}

function afterStop({ out, replay }: BenchFlags): string {
  if (replay !== undefined) return `the replay ends here: ${replay} lacks what is named above`;
  if (out !== undefined) return 'the same command goes on from here; a limit counts what was spent before';
  return 'nothing was kept; with --out the same command goes on where it stopped';
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
