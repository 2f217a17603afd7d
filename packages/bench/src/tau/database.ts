import { createHash, type Hash } from 'node:crypto';
import { item } from './python/operations.ts';
import { compareText, pairText, sortedEntries, str, tupleText } from './python/text.ts';
import { copyDict, type PyDict, type PyValue } from './python/value.ts';

/** The untouched records of one table, and the part of the hashed text that is theirs. */
interface Table {
  readonly records: ReadonlyMap<string, PyDict>;
  readonly sortedKeys: readonly string[];
  /** The hashed text of the whole table, also as bytes with the place of each record in `sortedKeys`. */
  readonly text: string;
  readonly bytes: Buffer;
  readonly places: readonly Place[];
}
interface Place {
  readonly start: number;
  readonly end: number;
}

/** A database as loaded: never changed, shared by every episode. */
export interface Snapshot {
  readonly tables: ReadonlyMap<string, Table>;
  readonly hash: string;
}

/**
 * One episode's view of a database. Records are copied when first opened for writing, so the snapshot stays as it is.
 * Records from `read` and `rows` must not be changed; those from `edit` may be, and stay the same object afterwards.
 */
export interface Database {
  /** `key in table`; throws Python's TypeError for a key that cannot be hashed. */
  has(table: string, key: PyValue): boolean;
  /** `table[key]`; throws Python's KeyError. */
  read(table: string, key: PyValue): PyDict;
  edit(table: string, key: PyValue): PyDict;
  put(table: string, key: string, record: PyDict): void;
  /** All records in the order in which they came. */
  rows(table: string): Iterable<[string, PyDict]>;
  /** The records that were opened for writing or added, by table. */
  touched(): ReadonlyMap<string, ReadonlyMap<string, PyDict>>;
  /** The official data hash: SHA-256 over Python's printed form of the whole database. */
  hash(): string;
}

/** Prepares a parsed database (table name → records) for any number of episodes. */
export function takeSnapshot(data: ReadonlyMap<string, PyDict>): Snapshot {
  const tables = new Map<string, Table>();
  for (const name of [...data.keys()].sort(compareText))
    tables.set(name, prepareTable(data.get(name) ?? new Map()));
  const pairs = [...tables].map(([name, table]) => `('${name}', ${table.text})`);
  return { tables, hash: sha256(tupleText(pairs)) };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function prepareTable(data: PyDict): Table {
  const records = new Map<string, PyDict>();
  for (const [key, record] of data) {
    if (!(record instanceof Map)) throw new TypeError(`record ${key} is not an object`);
    records.set(key, record);
  }
  const sortedKeys = [...records.keys()].sort(compareText);
  const texts = sortedKeys.map((key) => pairText(key, records.get(key) ?? null));
  const text = tupleText(texts);
  return { records, sortedKeys, text, bytes: Buffer.from(text, 'utf8'), places: placesOf(texts) };
}

/** Where each element's bytes are in the printed tuple: `(`, then the elements with `, ` between them. */
function placesOf(texts: readonly string[]): Place[] {
  let end = 1 - separator.length;
  return texts.map((text) => {
    const start = end + separator.length;
    end = start + Buffer.byteLength(text, 'utf8');
    return { start, end };
  });
}

const separator = ', ';

type Overlay = Map<string, Map<string, PyDict>>;

/** Opens a fresh database over the snapshot. */
export function openDatabase(snapshot: Snapshot): Database {
  const overlay: Overlay = new Map([...snapshot.tables.keys()].map((name) => [name, new Map()]));
  const layers = (name: string) => {
    const [base, top] = [snapshot.tables.get(name)?.records, overlay.get(name)];
    if (!base || !top) throw new RangeError(`the database has no table ${name}`);
    return { base, top };
  };
  const find = (name: string, key: PyValue) => {
    const { base, top } = layers(name);
    return typeof key === 'string' ? (top.get(key) ?? base.get(key)) : undefined;
  };
  const read = (name: string, key: PyValue) => find(name, key) ?? (item(new Map(), key) as PyDict);
  const edit = (name: string, key: PyValue) => {
    const { top } = layers(name);
    const open = typeof key === 'string' ? top.get(key) : undefined;
    if (open) return open;
    const copy = copyDict(read(name, key));
    top.set(str(key), copy);
    return copy;
  };
  return {
    has: (name, key) => {
      if (typeof key === 'object' && key !== null) item(new Map(), key);
      return find(name, key) !== undefined;
    },
    read,
    edit,
    put: (name, key, record) => {
      layers(name).top.set(key, record);
    },
    rows: (name) => mergedRows(layers(name)),
    touched: () => overlay,
    hash: () => hashOverlay(snapshot, overlay),
  };
}

function* mergedRows(layers: {
  base: ReadonlyMap<string, PyDict>;
  top: ReadonlyMap<string, PyDict>;
}): Generator<[string, PyDict]> {
  for (const [key, record] of layers.base) yield [key, layers.top.get(key) ?? record];
  for (const [key, record] of layers.top) if (!layers.base.has(key)) yield [key, record];
}

function hashOverlay(snapshot: Snapshot, overlay: Overlay): string {
  if ([...overlay.values()].every((top) => top.size === 0)) return snapshot.hash;
  const hash = createHash('sha256');
  const names = [...snapshot.tables.keys()];
  for (const [i, name] of names.entries()) {
    hash.update(`${i === 0 ? '(' : ', '}('${name}', `, 'utf8');
    updateWithTable(hash, snapshot.tables.get(name), overlay.get(name));
    hash.update(')', 'utf8');
  }
  hash.update(names.length === 1 ? ',)' : ')', 'utf8');
  return hash.digest('hex');
}

function updateWithTable(
  hash: Hash,
  table: Table | undefined,
  top: ReadonlyMap<string, PyDict> | undefined,
): void {
  if (!table || !top || top.size === 0) hash.update(table?.bytes ?? '()');
  else if (table.sortedKeys.length < 2) hash.update(smallTableText(table, top), 'utf8');
  else spliceInto(hash, table, top);
}

/** Feeds the table's bytes with the touched records' texts in place of, or between, the untouched ones. */
function spliceInto(hash: Hash, table: Table, top: ReadonlyMap<string, PyDict>): void {
  let cursor = 0;
  const feed = (until: number, text: string, next: number) => {
    hash.update(table.bytes.subarray(cursor, until)).update(text, 'utf8');
    cursor = next;
  };
  const end = table.bytes.length - 1;
  for (const [key, record] of sortedEntries(new Map(top))) {
    const i = lowerBound(table.sortedKeys, key);
    const place = table.places[i];
    const text = pairText(key, record);
    if (!place) feed(end, separator + text, end);
    else if (table.sortedKeys[i] === key) feed(place.start, text, place.end);
    else feed(place.start, text + separator, place.start);
  }
  hash.update(table.bytes.subarray(cursor));
}

/** The index of the first key that is not before the given one. */
function lowerBound(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareText(keys[middle] ?? '', key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Tables of no or one record are printed anew, as a tuple of one is written differently. */
function smallTableText(table: Table, top: ReadonlyMap<string, PyDict>): string {
  const merged: PyDict = new Map([...table.records, ...top]);
  return tupleText(sortedEntries(merged).map(([key, record]) => pairText(key, record)));
}
