import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, type PriceSheet } from '@skillstate/runtime';
import { lockFolder } from '../experiment/lock.ts';
import { openResults, readResults, type ResultFile } from '../experiment/record.ts';
import { openSpending } from '../experiment/spending.ts';
import type { Spending, Spent } from '../harness/guards.ts';
import type { EpisodeResult } from '../harness/result.ts';
import { type Digest, digestEpisode } from '../report/digest.ts';
import { renderReportOf } from '../report/render.ts';

/** What a bench keeps in a folder. */
export type BenchFolder = {
  readonly file: ResultFile<Digest>;
  readonly spending: Spending;
  /** Closes all, and writes the report of what is kept. */
  close(): Promise<void>;
};

/** A bench's folder, held by this process until it is closed. */
export async function openFolder(folder: string, sheet: PriceSheet | null): Promise<BenchFolder> {
  makeFolder(folder);
  const unlock = lockFolder(folder);
  try {
    const digest = (result: EpisodeResult): Digest => digestEpisode(result, { sheet });
    const file = await openResults(join(folder, 'results.jsonl'), digest);
    const spending = openSpending(folder, usedBy(file.known.values()));
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

function usedBy(kept: Iterable<Digest>): Spent {
  const sum = { tokens: 0, usd: 0 };
  for (const { totals, cost } of kept) {
    sum.tokens += totals.inputTokens + totals.outputTokens;
    sum.usd += cost?.cachedUsd ?? 0;
  }
  return sum;
}

async function writeReport(folder: string, sheet: PriceSheet | null): Promise<void> {
  const report = await renderReportOf(readResults(join(folder, 'results.jsonl')), { sheet });
  await writeFile(join(folder, 'report.md'), report.markdown);
  await writeFile(join(folder, 'report.html'), report.html);
}
