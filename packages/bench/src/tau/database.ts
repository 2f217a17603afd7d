import { createHash, type Hash } from 'node:crypto';
import { item } from './python/operations.ts';
import { compareText, pairText, str, tupleText } from './python/text.ts';
import { copyDict, type PyDict, type PyValue } from './python/value.ts';

/** The untouched records of one table, and what their part of the hashed text is. */
interface Table {
  readonly records: ReadonlyMap<string, PyDict>;
  readonly sortedKeys: readonly string[];
  /** The hashed text of each record, in the order of `sortedKeys`. */
  readonly texts: readonly string[];
  /** The hashed text of the whole table. */
  readonly text: string;
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
  return { records, sortedKeys, texts, text: tupleText(texts) };
}

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
  if (!table || !top || top.size === 0) {
    hash.update(table?.text ?? '()', 'utf8');
    return;
  }
  const texts = table.sortedKeys.map((key, i) => {
    const record = top.get(key);
    return record ? pairText(key, record) : (table.texts[i] ?? '');
  });
  const added = [...top.keys()].filter((key) => !table.records.has(key));
  for (const key of added)
    texts.splice(rank(table, key, texts, added), 0, pairText(key, top.get(key) ?? null));
  hash.update(tupleText(texts), 'utf8');
}

/** Where an added record's text belongs among the texts, given which added keys came before it. */
function rank(table: Table, key: string, texts: readonly string[], added: readonly string[]): number {
  const before = table.sortedKeys.filter((other) => compareText(other, key) < 0).length;
  const inserted = texts.length - table.sortedKeys.length;
  return before + added.slice(0, inserted).filter((other) => compareText(other, key) < 0).length;
}
