import type { Usage } from '../types.ts';
import type { CacheRules } from './cache.ts';
import { priceSheets } from './prices.ts';

/** What a model costs, at a date. Prices are USD per million tokens. */
export type PriceSheet = CacheRules & {
  /** `provider:model`; dated and suffixed forms of the same model match it. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  /** Equal to `input` where writing costs nothing extra. */
  readonly cacheWrite: number;
  /** Per million cached tokens and hour; 0 where keeping is free. */
  readonly storagePerHour: number;
  /** Year and month of the price; list prices change: check before use. */
  readonly asOf: string;
  readonly source: string;
};

/**
 * The sheet of a model: the exact name, else the name without a date or `-latest`. Names of a cloud's own prefix
 * (`compatible:`, `ollama:`, `script:`) have none. null: the price is not known, which is not a price of 0.
 */
export function priceOf(model: string, sheets: readonly PriceSheet[] = priceSheets): PriceSheet | null {
  const names = [model, model.replace(/-(?:\d{4}-?\d{2}-?\d{2}|latest|\d{3})$/, '')];
  for (const name of names) {
    const found = sheets.find((sheet) => sheet.model === name);
    if (found) return found;
  }
  return null;
}

/**
 * Cost in USD. Cache reads and writes are part of `inputTokens` and have their own price; reasoning is part of
 * `outputTokens`. Storage is not part of it: see `storageUsd`.
 */
export function costUsd(usage: Usage, sheet: PriceSheet): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const uncached = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return (
    (uncached * sheet.input +
      cacheReadTokens * sheet.cacheRead +
      cacheWriteTokens * sheet.cacheWrite +
      outputTokens * sheet.output) /
    1e6
  );
}

/** Cost in USD of keeping `tokens` cached for `seconds`. */
export function storageUsd(tokens: number, seconds: number, sheet: PriceSheet): number {
  return (tokens * sheet.storagePerHour * seconds) / 3_600 / 1e6;
}
