/** Tokens, prices and the table. */
import {
  type CacheRules,
  costUsd,
  createTokenCounter,
  emptyUsage,
  priceOf,
  simulateCache,
} from '@skillstate/runtime';
import type { Sent } from './arms/bare.ts';
import type { Judgement } from './judge.ts';

const MODEL = 'anthropic:claude-haiku-4-5';

export type Bill = {
  readonly calls: number;
  readonly tokens: number;
  /** Of the tokens: read from the provider's cache, by simulation. */
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** List price of the prompts without and with caching. */
  readonly usd: number;
  readonly usdCached: number;
};

export type Row = Judgement & {
  readonly name: string;
  readonly stops: string;
  readonly end: string;
  readonly steps: number;
  readonly rejected: Readonly<Record<string, number>>;
  readonly bill: Bill;
};

const counter = createTokenCounter();

/** Tokens of the prompts, and what they cost with and without the provider's prefix cache. */
export async function billOf(sent: Sent): Promise<Bill> {
  await counter.count('');
  const sheet = priceOf(MODEL);
  if (sheet === null) throw new Error(`no price of ${MODEL}`);
  const splits = simulateCache(sent, sheet satisfies CacheRules, (text) => counter.countNow(text).tokens);
  const sum = (of: (split: (typeof splits)[number]) => number): number =>
    splits.reduce((total, split) => total + of(split), 0);
  const cacheReadTokens = sum((split) => split.cacheRead);
  const cacheWriteTokens = sum((split) => split.cacheWrite);
  const inputTokens = cacheReadTokens + cacheWriteTokens + sum((split) => split.uncached);
  const usage = { ...emptyUsage(), inputTokens };
  return {
    calls: sent.length,
    tokens: inputTokens,
    cacheRead: cacheReadTokens,
    cacheWrite: cacheWriteTokens,
    usd: costUsd(usage, sheet),
    usdCached: costUsd({ ...usage, cacheReadTokens, cacheWriteTokens }, sheet),
  };
}

const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ['arm', ({ name }) => name],
  ['right', ({ right }) => `${right} of 6`],
  ['left over', ({ leftOver }) => String(leftOver)],
  ['published (ever)', ({ published, everPublished }) => `${published} (${everPublished})`],
  [
    'creates: articles + paragraphs',
    ({ articlesMade, paragraphsMade }) => `${articlesMade} + ${paragraphsMade}`,
  ],
  ['reads (stale)', ({ reads, stale }) => `${reads} (${stale})`],
  ['refused by the CMS', ({ refused }) => String(refused)],
  [
    'refused by the runtime',
    ({ rejected }) => String(Object.values(rejected).reduce((sum, n) => sum + n, 0)),
  ],
  ['model calls', ({ bill }) => String(bill.calls)],
  ['prompt tokens', ({ bill }) => bill.tokens.toLocaleString('en')],
  ['of them from cache', ({ bill }) => bill.cacheRead.toLocaleString('en')],
  ['USD', ({ bill }) => bill.usd.toFixed(3)],
  ['USD cached', ({ bill }) => bill.usdCached.toFixed(3)],
  ['end', ({ end }) => (end.length > 40 ? `${end.slice(0, 40)}…` : end)],
  ['stops', ({ stops }) => stops],
];

/** A Markdown table with aligned columns. */
export function table(rows: readonly Row[]): string {
  const cells = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, of]) => of(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((line) => (line[column] ?? '').length)));
  const lines = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}
