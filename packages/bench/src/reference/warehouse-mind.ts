import type { Mind } from './mind.ts';

/** Insertion order is order of last change. */
export type WarehouseFacts = {
  readonly itemOn: Map<string, string>;
  readonly canceled: Set<string>;
};

const ITEM = '(item_\\d+)';
const SHELF = '(shelf_\\d+)';

/** Small words may be missing, because a compressor may have cut them. */
const FACT = new RegExp(
  [
    `Error: Store ${ITEM} ${SHELF} failed`,
    `Error: Move ${ITEM} ${SHELF} ${SHELF} failed`,
    `Error: Ship ${ITEM} ${SHELF} failed`,
    `Store[d]?\\s+${ITEM}\\s+(?:on\\s+)?${SHELF}`,
    `Ship(?:ped)?\\s+${ITEM}\\s+(?:from\\s+)?${SHELF}`,
    `Move[d]?\\s+${ITEM}\\s+(?:from\\s+)?${SHELF}\\s+(?:to\\s+)?${SHELF}`,
    `${ITEM} was moved from ${SHELF} to ${SHELF}`,
    `${SHELF}(?: holds |=)${ITEM}`,
    `${SHELF} is empty`,
    `${ITEM} is now labeled ${ITEM}`,
    `order for ${ITEM} is canceled`,
    `Canceled: ${ITEM}`,
  ].join('|'),
  'g',
);

const EVENT = new RegExp(
  `Shipment arrived containing ${ITEM}|Customer ordered ${ITEM}|Maintenance required on ${SHELF}`,
  'g',
);

/** Knows the warehouse's rules; stores on the lowest shelf that it does not know to be occupied. */
export const warehouseMind: Mind<WarehouseFacts> = {
  fromState(state) {
    const facts: WarehouseFacts = { itemOn: new Map(), canceled: new Set() };
    const inventory = state?.['inventory'];
    if (inventory === null || typeof inventory !== 'object' || Array.isArray(inventory)) return facts;
    for (const [shelf, item] of Object.entries(inventory)) {
      if (typeof item === 'string') facts.itemOn.set(shelf, item);
    }
    return facts;
  },
  learn(facts, text, commands) {
    for (const match of text.matchAll(FACT)) {
      if (commands || !/^(?:Store|Ship|Move)\s/.test(match[0])) learnOne(facts, match);
    }
  },
  decide(facts, observation) {
    const event = [...observation.matchAll(EVENT)].at(-1);
    const [, arrived, ordered, maintained] = event ?? [];
    if (arrived !== undefined) return `Store ${arrived} ${lowestEmpty(facts)}`;
    if (ordered !== undefined && !facts.canceled.has(ordered)) {
      const shelf = shelfOf(facts, ordered);
      return shelf === undefined ? 'Wait' : `Ship ${ordered} ${shelf}`;
    }
    const item = maintained === undefined ? undefined : facts.itemOn.get(maintained);
    return item === undefined ? 'Wait' : `Move ${item} ${maintained} ${lowestEmpty(facts)}`;
  },
  assume(facts, command) {
    warehouseMind.learn(facts, command, true);
  },
  toState: (facts) => ({ inventory: Object.fromEntries(facts.itemOn) }),
  summary: (facts) => [
    ...[...facts.canceled].map((item) => `Canceled: ${item}`),
    ...[...facts.itemOn].map(([shelf, item]) => `${shelf}=${item}`),
  ],
  blunder(command) {
    const shift = (_: string, number: string): string => `shelf_${(Number(number) + 7) % 500}`;
    return /^(?:Ship|Move)/.test(command) ? command.replace(/shelf_(\d+)/, shift) : 'Wait';
  },
};

function learnOne(facts: WarehouseFacts, match: RegExpMatchArray): void {
  const text = match[0];
  const names = match.slice(1).filter((name): name is string => name !== undefined);
  const [a = '', b = '', c = ''] = names;
  if (text.startsWith('Error: Store')) clear(facts, b, a);
  else if (text.startsWith('Error: Ship')) return;
  else if (text.startsWith('Error: Move')) {
    clear(facts, c, a);
    if (!facts.itemOn.has(b)) place(facts, a, b);
  } else if (text.startsWith('Store')) place(facts, a, b);
  else if (text.startsWith('Ship')) facts.itemOn.delete(b);
  else if (text.startsWith('Move') || text.includes(' was moved ')) {
    facts.itemOn.delete(b);
    place(facts, a, c);
  } else if (text.endsWith(' is empty')) facts.itemOn.delete(a);
  else if (text.includes(' labeled ')) relabel(facts, a, b);
  else if (/canceled/i.test(text)) facts.canceled.add(a);
  else place(facts, b, a);
}

/** An item is on one shelf only: the last word counts. */
function place(facts: WarehouseFacts, item: string, shelf: string): void {
  const before = shelfOf(facts, item);
  if (before !== undefined) facts.itemOn.delete(before);
  facts.itemOn.delete(shelf);
  facts.itemOn.set(shelf, item);
}

function clear(facts: WarehouseFacts, shelf: string, item: string): void {
  if (facts.itemOn.get(shelf) === item) facts.itemOn.delete(shelf);
}

function relabel(facts: WarehouseFacts, old: string, fresh: string): void {
  const shelf = shelfOf(facts, old);
  if (shelf !== undefined) facts.itemOn.set(shelf, fresh);
}

function shelfOf(facts: WarehouseFacts, item: string): string | undefined {
  for (const [shelf, held] of facts.itemOn) if (held === item) return shelf;
  return undefined;
}

function lowestEmpty(facts: WarehouseFacts): string {
  for (let i = 0; i < 500; i++) if (!facts.itemOn.has(`shelf_${i}`)) return `shelf_${i}`;
  return 'shelf_0';
}
