import { priceOf, type PriceSheet } from '@skillstate/runtime';
import type { EpisodeResult } from '../harness/result.ts';
import { callsOfEpisode } from './calls.ts';
import { type ArmCost, createBill } from './bill.ts';

/**
 * What an episode costs on a sheet. The provider's cached tokens count where it reported any for this very model;
 * otherwise the prefix match is simulated at the breakpoints the strategy set, within the lifetime by the recorded
 * times, or by `paceMs` between calls.
 */
export function costOfEpisode(result: EpisodeResult, sheet: PriceSheet, paceMs?: number): ArmCost {
  const own = priceOf(result.model.name)?.model === sheet.model;
  const useReported = result.tokensBy === 'provider' && own;
  const options = paceMs === undefined ? { useReported } : { useReported, paceMs };
  const bill = createBill(result.arm.id, sheet);
  for (const call of callsOfEpisode(result, options)) bill.add(call);
  return bill.total();
}
