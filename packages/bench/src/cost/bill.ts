import { costUsd, type PriceSheet, storageUsd } from '@skillstate/runtime';
import type { BilledCall } from './calls.ts';
import { createPrefixCache, type Split } from './prefix-cache.ts';

/** Sums up to and including a step. */
export type StepCost = {
  readonly step: number;
  /** All tokens, input and output. */
  readonly tokens: number;
  readonly rawUsd: number;
  readonly cachedUsd: number;
};

/** What one way of building prompts costs on one price sheet. */
export type ArmCost = {
  readonly arm: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** As if nothing were ever cached. */
  readonly rawUsd: number;
  /** With reads, writes and storage at their own prices. */
  readonly cachedUsd: number;
  readonly storageUsd: number;
  /** Whose figures the cached tokens are. */
  readonly cacheBy: 'provider' | 'simulated';
  readonly steps: readonly StepCost[];
  /** Losses and oddities in words: what a reader must know before using the figures. */
  readonly notes: readonly string[];
};

type Sums = {
  calls: number;
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  rawUsd: number;
  cachedUsd: number;
  storageUsd: number;
};

export type Bill = { add(call: BilledCall): void; total(): ArmCost };

/** Prices calls in order, one at a time. USD at the sheet's prices. */
export function createBill(arm: string, sheet: PriceSheet): Bill {
  const cache = createPrefixCache(sheet);
  const sums: Sums = { ...NOTHING };
  const steps = new Map<number, StepCost>();
  const seen = { offered: 0, late: 0, simulated: false, last: null as Kept | null };
  const add = (call: BilledCall): void => {
    const split = cache(call);
    sums.storageUsd += keeping(seen.last, call.at, sheet);
    addSplit(sums, call, call.reported === null ? split : fromProvider(call, split), sheet);
    if (seen.last !== null && call.at - seen.last.at >= sheet.ttlSeconds * 1_000) seen.late += 1;
    seen.last = { at: call.at, tokens: split.read + split.write };
    seen.offered = Math.max(seen.offered, split.offered);
    seen.simulated ||= call.reported === null;
    steps.set(call.step, stepCost(call.step, sums));
  };
  const total = (): ArmCost => {
    const all = { ...sums, cachedUsd: sums.cachedUsd + sums.storageUsd };
    const cacheBy = seen.simulated || sums.calls === 0 ? 'simulated' : 'provider';
    return { arm, ...all, cacheBy, steps: [...steps.values()], notes: notesOf(all, seen, sheet) };
  };
  return { add, total };
}

const NOTHING: Sums = {
  calls: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  rawUsd: 0,
  cachedUsd: 0,
  storageUsd: 0,
};

function stepCost(
  step: number,
  { inputTokens, outputTokens, rawUsd, cachedUsd, storageUsd: kept }: Sums,
): StepCost {
  return { step, tokens: inputTokens + outputTokens, rawUsd, cachedUsd: cachedUsd + kept };
}

type Kept = { readonly at: number; readonly tokens: number };

function keeping(last: Kept | null, now: number, sheet: PriceSheet): number {
  if (last === null || sheet.storagePerHour === 0) return 0;
  return storageUsd(last.tokens, Math.min((now - last.at) / 1_000, sheet.ttlSeconds), sheet);
}

function fromProvider({ reported }: BilledCall, split: Split): Split {
  const { cacheRead = 0, cacheWrite = 0 } = reported ?? {};
  const total = split.read + split.write + split.uncached;
  return {
    ...split,
    read: cacheRead,
    write: cacheWrite,
    uncached: Math.max(0, total - cacheRead - cacheWrite),
  };
}

function addSplit(sums: Sums, call: BilledCall, split: Split, sheet: PriceSheet): void {
  const inputTokens = split.read + split.write + split.uncached;
  const { outputTokens } = call;
  const usage = { inputTokens, outputTokens, reasoningTokens: 0, source: 'counted' } as const;
  sums.calls += 1;
  sums.inputTokens += inputTokens;
  sums.outputTokens += outputTokens;
  sums.cacheReadTokens += split.read;
  sums.cacheWriteTokens += split.write;
  sums.rawUsd += costUsd({ ...usage, cacheReadTokens: 0, cacheWriteTokens: 0 }, sheet);
  sums.cachedUsd += costUsd({ ...usage, cacheReadTokens: split.read, cacheWriteTokens: split.write }, sheet);
}

function notesOf(sums: Sums, seen: { offered: number; late: number }, sheet: PriceSheet): string[] {
  const notes: string[] = [];
  if (sums.cacheReadTokens === 0 && seen.offered > 0 && seen.offered < sheet.minCacheTokens)
    notes.push(
      `never cached: the longest prefix has ${seen.offered} tokens, the minimum is ${sheet.minCacheTokens}`,
    );
  else if (sums.cacheReadTokens === 0 && seen.offered === 0)
    notes.push('never cached: nothing stays the same at the front of its prompts');
  else if (sums.cacheReadTokens === 0) notes.push('never read from the cache');
  if (sums.cachedUsd > sums.rawUsd * (1 + 1e-9)) notes.push('caching costs more than it saves');
  if (seen.late > 0) notes.push(`${seen.late} of ${sums.calls} calls came after the cache's lifetime`);
  return notes;
}
