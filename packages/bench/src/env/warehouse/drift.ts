import type { Random } from '../random.ts';
import { SHELVES, type Shelves } from './world.ts';

/** Experiment 3, warehouse. What each changes and how it is probed is in docs/bench-reference.md. */
export type WarehouseDrift = 'secret-audit' | 'secret-barcode' | 'secret-move' | 'canceled-order';

export type DriftSetup = {
  readonly scenario: WarehouseDrift;
  /** Earliest turn of the alert. */
  readonly at: number;
  /** Turns between the alert and the first probe, in which ordinary events go on. */
  readonly gap: number;
  /** Most probes; a fact not recovered by then counts as N/A. */
  readonly probes: number;
};

/** A change that was made: the text of its alert and the item that later orders will name. */
export type Drifted = {
  readonly alert: string;
  readonly item: string;
  readonly renamed?: { readonly old: string };
};

/** Changes the world as the scenario says; undefined while the shelves hold too little for it. */
export function drift(
  scenario: WarehouseDrift,
  shelves: Shelves,
  stock: readonly string[],
  fresh: string,
  random: Random,
): Drifted | undefined {
  const present = stock.filter((item) => shelves.shelfOf.has(item));
  if (present.length < 2) return undefined;
  const index = random.below(present.length);
  const item = present[index] as string;
  const other = present[(index + 1 + random.below(present.length - 1)) % present.length] as string;
  const shelf = shelves.shelfOf.get(item) as string;
  switch (scenario) {
    case 'secret-audit':
      return swap(shelves, [item, shelf], [other, shelves.shelfOf.get(other) as string]);
    case 'secret-barcode':
      shelves.take(shelf);
      shelves.put(fresh, shelf);
      return {
        alert: `Barcode notice: ${item} is now labeled ${fresh}.`,
        item: fresh,
        renamed: { old: item },
      };
    case 'secret-move':
      return move(shelves, item, shelf, random);
    case 'canceled-order':
      return { alert: `Order notice: the order for ${item} is canceled.`, item };
  }
}

function swap(shelves: Shelves, [a, onA]: [string, string], [b, onB]: [string, string]): Drifted {
  shelves.take(onA);
  shelves.take(onB);
  shelves.put(a, onB);
  shelves.put(b, onA);
  return { alert: `Audit notice: ${onB} holds ${a} and ${onA} holds ${b}.`, item: a };
}

function move(shelves: Shelves, item: string, from: string, random: Random): Drifted | undefined {
  const start = random.below(SHELVES);
  for (let i = 0; i < SHELVES; i++) {
    const to = `shelf_${(start + i) % SHELVES}`;
    if (shelves.itemOn.has(to)) continue;
    shelves.take(from);
    shelves.put(item, to);
    return { alert: `Floor notice: ${item} was moved from ${from} to ${to}.`, item };
  }
  return undefined;
}
