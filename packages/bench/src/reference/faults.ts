import type { JsonDocument, JsonValue } from '../env/environment.ts';
import { randomAt } from '../env/random.ts';

/** Rates per model call, each in [0, 1]; together at most 1. The paper's mix (section 5.7) is 68/20/12. */
export type FaultRates = {
  /** Existing keys omitted or deleted in the update. */
  readonly overwrite: number;
  /** Lists and records, strings and numbers confused. */
  readonly types: number;
  /** Broken JSON; in a text reply, a broken action line. */
  readonly syntax: number;
  /** A well-formed command that is wrong. */
  readonly action: number;
};

export type Fault = keyof FaultRates;

/** The paper's shares of state faults (section 5.7), with no wrong actions. */
export const PAPER_MIX: FaultRates = { overwrite: 0.68, types: 0.2, syntax: 0.12, action: 0 };

/** A mix at a total rate: `mix` are shares of it. */
export function mixed({ overwrite, types, syntax, action }: FaultRates, rate: number): FaultRates {
  return { overwrite: overwrite * rate, types: types * rate, syntax: syntax * rate, action: action * rate };
}

/** The paper's mix at a total rate. */
export function paperMix(rate: number): FaultRates {
  return mixed(PAPER_MIX, rate);
}

/** The fault of one call: a function of seed and call index, so every strategy meets the same schedule. */
export function faultAt(rates: FaultRates | undefined, seed: number, call: number): Fault | null {
  if (!rates) return null;
  const draw = randomAt(seed, 'fault', call).below(1_000_000) / 1_000_000;
  let edge = 0;
  for (const fault of ['overwrite', 'types', 'syntax', 'action'] as const) {
    edge += rates[fault];
    if (draw < edge) return fault;
  }
  return null;
}

/**
 * The update as a weak model would spoil it. On even calls of `overwrite` the first changed record is deleted (`null`);
 * on odd ones it holds this step's change alone, which a deep merge forgives and a shallow one does not.
 */
export function spoilUpdate(
  fault: Fault | null,
  call: number,
  update: JsonDocument,
  change: JsonDocument,
  state: JsonDocument,
): JsonDocument {
  const key = Object.keys(update)[0] ?? Object.keys(state)[0];
  if (key === undefined) return update;
  if (fault === 'overwrite') {
    const alone = change[key] ?? {};
    return { ...update, [key]: call % 2 === 0 ? null : alone };
  }
  return fault === 'types' ? { ...update, [key]: asList(update[key]) } : update;
}

function asList(value: JsonValue | undefined): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [value ?? null];
  return Object.entries(value).map(([name, held]) => ({ [name]: held }));
}

/** Breaks JSON text as section 5.7 describes: a trailing comma or a missing delimiter. */
export function spoilSyntax(json: string, call: number): string {
  return call % 2 === 0 ? `${json.slice(0, -1)},}` : json.slice(0, -1);
}
