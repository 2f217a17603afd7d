import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Spending, Spent } from '../harness/guards.ts';

const FILE = 'spent.jsonl';

/**
 * What all benches of a folder have spent: one line a model call, those of episodes that were not kept included. A line that
 * a killed bench left unfinished is passed over.
 */
export function openSpending(folder: string): Spending & { close(): void } {
  const path = join(folder, FILE);
  const before = existsSync(path) ? sumOf(readFileSync(path, 'utf8')) : { tokens: 0, usd: 0 };
  const file = openSync(path, 'a');
  return {
    before,
    record: (used) => void writeSync(file, `\n${JSON.stringify(used)}`),
    close: () => closeSync(file),
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
