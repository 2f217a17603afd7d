import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createSpending, type Spending, type Spent } from '../harness/guards.ts';

const FILE = 'spent.jsonl';

/**
 * What all benches of a folder have spent: one line a model call, those of episodes that were not kept included. Where the
 * episodes that it keeps took more than the lines hold (they may be older than the file), the rest is added as a line. A
 * line that a killed bench left unfinished is passed over; after `close` nothing is written.
 */
export function openSpending(
  folder: string,
  kept: Readonly<Spent> = { tokens: 0, usd: 0 },
): Spending & { close(): void } {
  const path = join(folder, FILE);
  const before = existsSync(path) ? sumOf(readFileSync(path, 'utf8')) : { tokens: 0, usd: 0 };
  let file: number | null = openSync(path, 'a');
  const spending = createSpending(before, (used) => {
    if (file !== null) writeSync(file, `\n${JSON.stringify(used)}`);
  });
  if (kept.tokens > before.tokens)
    spending.record({ tokens: kept.tokens - before.tokens, usd: Math.max(0, kept.usd - before.usd) });
  return {
    ...spending,
    close() {
      if (file !== null) closeSync(file);
      file = null;
    },
  };
}

function sumOf(text: string): Spent {
  const sum = { tokens: 0, usd: 0 };
  for (const line of text.split('\n')) {
    const found = /^\{"tokens":(\d{1,15}),"usd":([\d.e-]{1,30})\}$/.exec(line);
    sum.tokens += Number(found?.[1] ?? 0);
    sum.usd += Number(found?.[2] ?? 0);
  }
  return sum;
}
