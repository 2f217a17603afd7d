import { parseCommand, quoteCommand } from '../command.ts';
import type { Applied } from '../game.ts';

export const SHELVES = 500;

/** True for `shelf_0` to `shelf_499`, written without leading zeros. */
export function isShelf(name: string): boolean {
  const number = /^shelf_(0|[1-9]\d{0,2})$/.exec(name)?.[1];
  return number !== undefined && Number(number) < SHELVES;
}

/** The shelves as they are. Two maps that mirror each other. */
export type Shelves = {
  readonly itemOn: ReadonlyMap<string, string>;
  readonly shelfOf: ReadonlyMap<string, string>;
  put(item: string, shelf: string): void;
  take(shelf: string): string | undefined;
};

export function createShelves(): Shelves {
  const itemOn = new Map<string, string>();
  const shelfOf = new Map<string, string>();
  return {
    itemOn,
    shelfOf,
    put(item, shelf) {
      itemOn.set(shelf, item);
      shelfOf.set(item, shelf);
    },
    take(shelf) {
      const item = itemOn.get(shelf);
      if (item === undefined) return undefined;
      itemOn.delete(shelf);
      shelfOf.delete(item);
      return item;
    },
  };
}

const ARITY: Readonly<Record<string, number>> = { Store: 2, Ship: 2, Move: 3, Wait: 0 };

/**
 * Carries out one command. `inbound` is the item at the dock, the only one that can be stored. An error names the
 * command and what the shelf really holds, and changes nothing.
 */
export function applyToShelves(shelves: Shelves, inbound: string | null, text: string): Applied {
  const command = parseCommand(text);
  const fail = (reason: string): Applied => ({
    ok: false,
    text: `Error: ${quoteCommand(text)} failed: ${reason}.`,
  });
  if (!command || ARITY[command.verb] !== command.args.length) return fail('not a command of this warehouse');
  const [item = '', from = '', to = ''] = command.args;
  const unknown = command.args.slice(1).find((name) => !isShelf(name));
  if (unknown !== undefined) return fail('no such shelf');
  switch (command.verb) {
    case 'Store':
      if (item !== inbound) return fail('that item is not at the dock');
      if (shelves.itemOn.has(from)) return fail(holds(shelves, from));
      shelves.put(item, from);
      return { ok: true, text: `Success: Stored ${item} on ${from}.` };
    case 'Ship':
      if (shelves.itemOn.get(from) !== item) return fail(holds(shelves, from));
      shelves.take(from);
      return { ok: true, text: `Success: Shipped ${item} from ${from}.` };
    case 'Move':
      if (shelves.itemOn.get(from) !== item) return fail(holds(shelves, from));
      if (shelves.itemOn.has(to)) return fail(holds(shelves, to));
      shelves.take(from);
      shelves.put(item, to);
      return { ok: true, text: `Success: Moved ${item} from ${from} to ${to}.` };
    default:
      return { ok: true, text: 'Success: Waited.' };
  }
}

function holds(shelves: Shelves, shelf: string): string {
  const item = shelves.itemOn.get(shelf);
  return item === undefined ? `${shelf} is empty` : `${shelf} holds ${item}`;
}
