import { parseCommand } from '../command.ts';
import type { Episode } from '../environment.ts';
import { createEpisode } from '../episode.ts';
import type { Game, Turn } from '../game.ts';
import { type NoiseOptions, withNoise } from '../noise.ts';
import { type Random, randomAt } from '../random.ts';
import { type Drifted, type DriftSetup, drift } from './drift.ts';
import { warehouseSkill } from './skill.ts';
import { applyToShelves, createShelves, isShelf, SHELVES, type Shelves } from './world.ts';

export type WarehouseOptions = {
  readonly seed: number;
  readonly horizon: number;
  /**
   * Occupied shelves to fill up to. Below it four of five events are shipments; at it, as in Algorithm 2, one of the
   * three kinds with equal chance. 0 (Algorithm 2): about ten occupied at T = 100. The crowded warehouse: 300.
   */
  readonly crowded?: number;
  readonly noise?: NoiseOptions;
  readonly drift?: Partial<DriftSetup> & Pick<DriftSetup, 'scenario'>;
};

export const CROWDED = 300;

export type WarehouseTurn = Turn & {
  readonly kind: 'shipment' | 'order' | 'maintenance' | 'alert' | 'canceled';
  readonly item: string;
  readonly shelf: string;
};

/** Environment 1 (appendix B.1, Algorithm 2). */
export function createWarehouse(options: WarehouseOptions): Episode {
  const game = warehouseGame(options);
  const decorate = withNoise('warehouse', options.seed, options.noise);
  return createEpisode(game, options.horizon, decorate);
}

/** What should be in stock, whatever the agent did. At most one item per shelf. */
type Plan = { stock: string[]; items: number };

/** The warehouse's rules, for an episode or for a game that adds to them. */
export function warehouseGame(options: WarehouseOptions): Game<WarehouseTurn> {
  const setup = driftSetup(options);
  let shelves = createShelves();
  let plan: Plan = { stock: [], items: 0 };
  let drifted: (Drifted & { alertAt: number; open: boolean }) | null = null;
  let inbound: string | null = null;

  const startDrift = (turn: number): WarehouseTurn | undefined => {
    if (!setup || drifted || turn < setup.at) return undefined;
    const random = randomAt(options.seed, 'warehouse-drift', turn);
    const made = drift(setup.scenario, shelves, plan.stock, `item_${plan.items + 1}`, random);
    if (!made) return shipment(plan);
    if (made.renamed) rename(plan, made.renamed.old, made.item);
    drifted = { ...made, alertAt: turn, open: true };
    return { kind: 'alert', text: made.alert, item: made.item, shelf: '', actionable: false, alert: true };
  };
  const probe = (turn: number): WarehouseTurn | undefined => {
    if (!setup || !drifted?.open || turn <= drifted.alertAt + setup.gap) return undefined;
    if (turn > drifted.alertAt + setup.gap + setup.probes) return undefined;
    const canceled = setup.scenario === 'canceled-order';
    return {
      ...order(drifted.item),
      kind: canceled ? 'canceled' : 'order',
      actionable: !canceled,
      probe: true,
    };
  };
  return {
    name: options.crowded ? 'warehouse-crowded' : 'warehouse',
    skill: warehouseSkill,
    scenario: setup?.scenario ?? null,
    reset() {
      shelves = createShelves();
      plan = { stock: [], items: 0 };
      drifted = null;
      inbound = null;
    },
    draw(turn) {
      const kept = drifted && (drifted.open || setup?.scenario === 'canceled-order') ? drifted.item : null;
      const random = randomAt(options.seed, 'warehouse', turn);
      const event =
        startDrift(turn) ?? probe(turn) ?? ordinary(plan, shelves, random, options.crowded ?? 0, kept);
      inbound = event.kind === 'shipment' ? event.item : null;
      return event;
    },
    apply: (_turn, command) => applyToShelves(shelves, inbound, command),
    accepts: (event, command) => accepts(event, command, shelves),
    answer: (event) => answer(event, shelves),
    settle(event, correct) {
      if (event.kind === 'shipment') {
        plan.items += 1;
        plan.stock.push(event.item);
      }
      if (event.probe && drifted) drifted.open = !correct && event.kind === 'order';
      if (event.kind === 'order' && (correct || !event.probe)) remove(plan, event.item);
    },
  };
}

function driftSetup({ drift: asked, horizon }: WarehouseOptions): DriftSetup | null {
  return asked ? { at: Math.floor(horizon / 2), gap: 0, probes: 20, ...asked } : null;
}

function ordinary(
  plan: Plan,
  shelves: Shelves,
  random: Random,
  crowded: number,
  kept: string | null,
): WarehouseTurn {
  const stock = kept === null ? plan.stock : plan.stock.filter((item) => item !== kept);
  if (stock.length === 0 || (plan.stock.length < crowded && random.chance(0.8))) return shipment(plan);
  const kinds = plan.stock.length < SHELVES ? 3 : 2;
  const kind = random.below(kinds);
  const item = random.pick(stock);
  if (kind === 0) return order(item);
  if (kind === 1) return maintenance(item, shelves, random);
  return shipment(plan);
}

function shipment(plan: Plan): WarehouseTurn {
  const item = `item_${plan.items + 1}`;
  return {
    kind: 'shipment',
    item,
    shelf: '',
    text: `Shipment arrived containing ${item}.`,
    actionable: true,
  };
}

function order(item: string): WarehouseTurn {
  return { kind: 'order', item, shelf: '', text: `Customer ordered ${item}.`, actionable: true };
}

/** Names the shelf where the item really is; if an earlier miss lost the item, another occupied shelf. */
function maintenance(wanted: string, shelves: Shelves, random: Random): WarehouseTurn {
  const other = (): string => random.pick(shelves.itemOn.size > 0 ? [...shelves.itemOn.keys()] : ['shelf_0']);
  const shelf = shelves.shelfOf.get(wanted) ?? other();
  const item = shelves.itemOn.get(shelf) ?? wanted;
  return { kind: 'maintenance', item, shelf, text: `Maintenance required on ${shelf}.`, actionable: true };
}

function accepts(event: WarehouseTurn, text: string, shelves: Shelves): boolean {
  const command = parseCommand(text);
  if (!command) return false;
  const [item, from = '', to = ''] = command.args;
  switch (event.kind) {
    case 'shipment':
      return command.verb === 'Store' && item === event.item && isShelf(from);
    case 'order':
      return command.verb === 'Ship' && item === event.item && shelves.shelfOf.get(event.item) === from;
    case 'maintenance':
      return command.verb === 'Move' && item === event.item && from === event.shelf && to !== from;
    case 'alert':
    case 'canceled':
      return command.verb === 'Wait';
  }
}

function answer(event: WarehouseTurn, shelves: Shelves): string {
  const empty = (): string => {
    for (let i = 0; i < SHELVES; i++) if (!shelves.itemOn.has(`shelf_${i}`)) return `shelf_${i}`;
    return 'shelf_0';
  };
  if (event.kind === 'shipment') return `Store ${event.item} ${empty()}`;
  if (event.kind === 'order') return `Ship ${event.item} ${shelves.shelfOf.get(event.item) ?? 'shelf_0'}`;
  if (event.kind === 'maintenance') return `Move ${event.item} ${event.shelf} ${empty()}`;
  return 'Wait';
}

function remove(plan: Plan, item: string): void {
  const index = plan.stock.indexOf(item);
  if (index < 0) return;
  const last = plan.stock.pop() as string;
  if (last !== item) plan.stock[index] = last;
}

function rename(plan: Plan, old: string, fresh: string): void {
  plan.items += 1;
  plan.stock[plan.stock.indexOf(old)] = fresh;
}
