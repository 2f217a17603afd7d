import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSpending } from './spending.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillstate-spending-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const text = (): string => readFileSync(join(folder, 'spent.jsonl'), 'utf8');

test('what a folder’s benches spent adds up over processes; an unfinished line is passed over', () => {
  const first = openSpending(folder);
  first.record({ tokens: 10, usd: 0.5 });
  first.record({ tokens: 5, usd: 1e-7 });
  first.close();
  appendFileSync(join(folder, 'spent.jsonl'), '\n{"tokens":99');
  const second = openSpending(folder);
  expect(second.total).toEqual({ tokens: 15, usd: 0.5 + 1e-7 });
  second.record({ tokens: 1, usd: 0 });
  second.close();
  expect(openSpending(folder).total.tokens).toBe(16);
});

test('kept episodes that no line tells of count, once', () => {
  const kept = { tokens: 100, usd: 2 };
  for (const _ of [1, 2]) {
    const spending = openSpending(folder, kept);
    expect(spending.total).toEqual(kept);
    spending.close();
  }
  const later = openSpending(folder, { tokens: 130, usd: 2.5 });
  expect(later.total).toEqual({ tokens: 130, usd: 2.5 });
});

test('a call that ends after the bench is written nowhere', () => {
  const spending = openSpending(folder);
  spending.close();
  spending.record({ tokens: 1, usd: 0 });
  spending.close();
  expect(text()).toBe('');
});
