import { readFile } from 'node:fs/promises';
import { type Json, parseJson, priceOf, type PriceSheet, priceSheets } from '@skillstate/runtime';

/** No price, lifetime or size is larger; sums of larger ones would overflow. */
const MOST = 1e9;

const isAmount = (value: Json | undefined): boolean =>
  typeof value === 'number' && value >= 0 && value <= MOST;
const isCount = (value: Json | undefined): boolean => isAmount(value) && Number.isInteger(value);
const isText = (value: Json | undefined): boolean => typeof value === 'string';

/** What each member of a sheet must be, in words and as a check. */
const MEMBERS: Readonly<Record<keyof PriceSheet, readonly [string, (value: Json | undefined) => boolean]>> = {
  model: ['a text', isText],
  asOf: ['a text', isText],
  source: ['a text', isText],
  input: ['an amount from 0 up', isAmount],
  output: ['an amount from 0 up', isAmount],
  cacheRead: ['an amount from 0 up', isAmount],
  cacheWrite: ['an amount from 0 up', isAmount],
  storagePerHour: ['an amount from 0 up', isAmount],
  ttlSeconds: ['an amount from 0 up', isAmount],
  minCacheTokens: ['a whole number from 0 up', isCount],
  granularity: ['a whole number from 1 up', (value) => isCount(value) && value !== 0],
  breakpoints: ['a whole number from 0 up, or null', (value) => value === null || isCount(value)],
  lookback: ['a whole number from 0 up, or null', (value) => value === null || isCount(value)],
};

/** Whose prices a scripted model (`script:…`, `reference`, `http`) is shown at, unless others are named. */
export const ASSUMED = 'openai:gpt-5-mini';

/** What a command line says of prices: a model's (`provider:model`), or a file's. */
export type NamedPrices = { readonly prices?: string; readonly sheet?: string };

/**
 * The price sheet that a command line names: a model (`provider:model`), or a JSON file of one sheet. A model that no
 * provider sells is shown at the prices of `ASSUMED`. Throws an Error that says what was wanted.
 */
export async function findSheet(model: string, file: string | undefined): Promise<PriceSheet> {
  if (file !== undefined) return readSheet(file);
  const sheet = sheetOf(model);
  if (sheet !== null) return sheet;
  const known = priceSheets.map((known) => known.model).join(', ');
  throw new Error(
    `no prices are known for ${model}; name a model with --prices (${known}) or give --sheet FILE`,
  );
}

/** The same where prices can be left out: null for a model that has none and where none are named. */
export async function sheetFor(model: string, { prices, sheet }: NamedPrices): Promise<PriceSheet | null> {
  return prices === undefined && sheet === undefined ? sheetOf(model) : findSheet(prices ?? model, sheet);
}

function sheetOf(model: string): PriceSheet | null {
  return priceOf(/^(script|reference|http)\b/.test(model) ? ASSUMED : model);
}

async function readSheet(file: string): Promise<PriceSheet> {
  const parsed = parseJson(await readFile(file, 'utf8'));
  if (!parsed.ok) throw new Error(`${file}: ${parsed.issues[0]?.hint ?? 'no JSON'}`);
  const value = parsed.value as { readonly [key: string]: Json } | null;
  const wrong = Object.entries(MEMBERS).flatMap(([key, [wanted, holds]]) =>
    holds(value?.[key]) ? [] : [`${key} (${wanted})`],
  );
  if (wrong.length > 0)
    throw new Error(`${file}: a price sheet needs ${wrong.join(', ')}; see docs/bench.md`);
  return value as unknown as PriceSheet;
}
