import { sheetFor } from '../cost/sheet.ts';
import type { Job } from '../experiment/job.ts';
import { type Progress, progressText } from '../experiment/progress.ts';
import { type BenchEnd, INTERRUPTED, runBench } from '../experiment/run.ts';
import { createSpending, SPENT, type Spending, spentText } from '../harness/guards.ts';
import { rowsOf } from '../report/rows.ts';
import type { Measure } from '../strategy/budget.ts';
import { type BenchFlags, isScripted } from './arguments.ts';
import { openFolder } from './bench-folder.ts';
import { modelFor, surpriseOf } from './bench-model.ts';
import { rowsText } from './bench-table.ts';
import { tokenMeasure } from './public.ts';

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
  const spending = kept?.spending ?? createSpending();
  const shown = showing();
  const stop = onInterrupt();
  try {
    const model = await modelFor(flags, jobs, tokens, { signal: stop.signal, sheet, spending });
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
    print(end, flags, spending);
    return end.stopped === null ? 0 : end.stopped === INTERRUPTED ? 130 : 2;
  } finally {
    stop.end();
    await kept?.close();
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

function print({ results, stopped }: BenchEnd, flags: BenchFlags, { total }: Spending): void {
  const rows = rowsOf(results);
  process.stdout.write(
    flags.json === true ? `${JSON.stringify({ rows, stopped }, null, 2)}\n` : rowsText(rows),
  );
  if (stopped === null) return;
  const why = stopped === INTERRUPTED ? 'stopped' : `stopped: ${stopped}`;
  const spent = total.tokens === 0 ? '' : `; spent so far: ${spentText(total)}`;
  process.stderr.write(`${why}${spent}\n${afterStop(stopped, flags)}\n`);
}

/** What can be done about a stop. */
function afterStop(stopped: string, { out, replay }: BenchFlags): string {
  if (replay !== undefined && stopped !== INTERRUPTED)
    return `the replay ends here: ${replay} lacks what is named above`;
  if (out === undefined) return 'nothing was kept; with --out the same command goes on where it stopped';
  if (stopped.includes(SPENT)) return 'with a higher limit the same command with --out goes on from here';
  return 'the same command with --out goes on from here';
}

/** Where nobody watches, a line this often. */
const QUIET_MS = 15_000;

/** Progress on standard error: one line that is written over on a terminal, else a line now and then. */
function showing(): { tell(progress: Progress): void; end(): void } {
  const { isTTY, columns } = process.stderr;
  const width = columns > 0 ? columns : 80;
  let last = performance.now();
  return {
    tell(progress) {
      const now = performance.now();
      if (now - last < (isTTY ? 100 : QUIET_MS) && progress.done < progress.jobs) return;
      if (!isTTY && now - last < QUIET_MS) return;
      last = now;
      const text = progressText(progress);
      process.stderr.write(isTTY ? `\r\x1b[K${text.slice(0, width - 1)}` : `${text}\n`);
    },
    end: () => void (isTTY && process.stderr.write('\r\x1b[K')),
  };
}
