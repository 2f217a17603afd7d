import { entries, type Mind } from './mind.ts';

/** Insertion order is order of last change. */
export type WarehouseFacts = {
  readonly itemOn: Map<string, string>;
  readonly canceled: Set<string>;
  /** Gate codes by dock (the delayed-relevance task). */
  readonly codes: Map<string, number>;
};

const ITEM = '(item_\\d+)';
const SHELF = '(shelf_\\d+)';

/** Notes kept; the oldest go first. */
const NOTES = 12;

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
    'gate code of (dock_\\d+) is (\\d+)',
  ].join('|'),
  'g',
);

const EVENT = new RegExp(
  `Shipment arrived containing ${ITEM}|Customer ordered ${ITEM}|Maintenance required on ${SHELF}|what is the gate code of (dock_\\d+)`,
  'g',
);

/** Knows the warehouse's rules; stores on the lowest shelf that it does not know to be occupied. */
export const warehouseMind: Mind<WarehouseFacts> = {
  nothing: () => ({ itemOn: new Map(), canceled: new Set(), codes: new Map() }),
  absorb(facts, state) {
    const learned = facts.itemOn.size > 0;
    for (const [shelf, item] of entries(state['inventory'])) {
      if (typeof item !== 'string') continue;
      if (learned) place(facts, item, shelf);
      else facts.itemOn.set(shelf, item);
    }
    for (const [dock, code] of entries(state['gate_codes'])) facts.codes.set(dock, Number(code));
    const notes = state['notes'];
    if (Array.isArray(notes)) warehouseMind.learn(facts, notes.join('\n'), false);
  },
  learn(facts, text, commands) {
    for (const match of text.matchAll(FACT)) {
      if (commands || !/^(?:Store|Ship|Move)\s/.test(match[0])) learnOne(facts, match);
    }
  },
  decide(facts, observation, instructions) {
    const event = [...observation.matchAll(EVENT)].at(-1);
    const [, arrived, ordered, maintained, dock] = event ?? [];
    if (dock !== undefined) return report(facts, dock, observation, instructions);
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
  toState: ({ itemOn, codes }, like) => ({
    inventory: Object.fromEntries(itemOn),
    ...(like['gate_codes'] !== undefined && { gate_codes: Object.fromEntries(codes) }),
    ...(like['notes'] !== undefined && { notes: [...codes].slice(-NOTES).map(codeSentence) }),
  }),
  summary: (facts) => [
    ...[...facts.canceled].map((item) => `Canceled: ${item}`),
    ...[...facts.codes].map(codeSentence),
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
  else if (text.startsWith('gate code')) facts.codes.set(a, Number(b));
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

/** Looks a code up where the instructions offer that and it was not tried yet. */
function report(facts: WarehouseFacts, dock: string, observation: string, instructions: string): string {
  const code = facts.codes.get(dock);
  if (code !== undefined) return `Report ${dock} ${code}`;
  return instructions.includes('Recall <name>') && !observation.includes('Found:')
    ? `Recall ${dock}`
    : 'Wait';
}

const codeSentence = ([dock, code]: readonly [string, number]): string => `gate code of ${dock} is ${code}`;

function lowestEmpty(facts: WarehouseFacts): string {
  for (let i = 0; i < 500; i++) if (!facts.itemOn.has(`shelf_${i}`)) return `shelf_${i}`;
  return 'shelf_0';
}
