import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { priceOf, type PriceSheet } from '@skillstate/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { findSheet, sheetFor } from './sheet.ts';

const good = priceOf('openai:gpt-5-mini') as PriceSheet;

function file(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-sheet-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'sheet.json'), text);
  return join(folder, 'sheet.json');
}

test('a sheet from a file is taken as it is, and every member that makes no sense is named', async () => {
  expect(await findSheet('x', file(JSON.stringify(good)))).toEqual(good);
  for (const [change, named] of [
    [{ granularity: 0 }, 'granularity (a whole number from 1 up)'],
    [{ granularity: 1.5 }, 'granularity'],
    [{ breakpoints: 1.5 }, 'breakpoints'],
    [{ lookback: -1 }, 'lookback'],
    [{ minCacheTokens: 0.5 }, 'minCacheTokens'],
    [{ input: -1, output: '1' }, 'input (an amount from 0 up), output'],
    [{ source: null }, 'source (a text)'],
  ] as const)
    await expect(findSheet('x', file(JSON.stringify({ ...good, ...change })))).rejects.toThrow(named);
  const huge = JSON.stringify(good).replace(/"ttlSeconds":\d+/, '"ttlSeconds":1e999');
  await expect(findSheet('x', file(huge))).rejects.toThrow();
  for (const text of ['', 'null', '[]', '{"model":', '7'])
    await expect(findSheet('x', file(text))).rejects.toThrow();
});

test('a scripted model has assumed prices, a local one none, and an unknown name is an error', async () => {
  expect((await sheetFor('reference', {}))?.model).toBe('openai:gpt-5-mini');
  expect(await sheetFor('ollama:qwen3:8b', {})).toBeNull();
  expect((await sheetFor('ollama:qwen3:8b', { prices: 'google:gemini-2.5-flash' }))?.model).toBe(
    'google:gemini-2.5-flash',
  );
  await expect(sheetFor('reference', { prices: 'nobody:x' })).rejects.toThrow('no prices are known');
});
