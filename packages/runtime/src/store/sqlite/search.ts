import { decodeEvent } from '../../event/codec.ts';
import {
  bestPart,
  joinParts,
  type SearchPart,
  searchParts,
  searchTerms,
  type Terms,
} from '../../event/search.ts';
import type { EventQuery, PayloadRef } from '../../types.ts';
import { isStoreError } from '../error.ts';
import { type Connection, idRange, type Row, runKey } from './connection.ts';
import { eventFilter, readEvents, storedEvent } from './read.ts';

type Hit = { readonly seq: number; readonly handle: string | null; readonly excerpt: string };
type Within = Omit<EventQuery, 'limit'>;

/** Events that one transaction adds to the index. */
const BATCH = 200;
/** Bytes of each payload that are searched. */
const PAYLOAD_BYTES = 262_144;

/**
 * The index is brought up to date here and not at commits, which stay cheap. Every word of `text` must occur, as
 * written; where nothing holds them all, punctuation is ignored. Words under three characters are looked for in the
 * events themselves, for the index holds triples of characters. A store that cannot be written is searched without it.
 */
export async function searchEvents(
  conn: Connection,
  run: string,
  text: string,
  limit: number,
  within: Within = {},
): Promise<Hit[]> {
  if (limit < 1) return [];
  const indexed = await catchUp(conn, run);
  for (const terms of searchTerms(text)) {
    const hits = indexed && terms.long.length > 0 ? searchIndex : scan;
    const found = await hits(conn, run, terms, limit, within);
    if (found.length > 0) return found;
  }
  return [];
}

async function searchIndex(
  conn: Connection,
  run: string,
  terms: Terms,
  limit: number,
  within: Within,
): Promise<Hit[]> {
  const match = terms.long.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ');
  return conn.once(() => {
    const key = runKey(conn, run);
    if (key === null) return [];
    const [base, last] = idRange(key);
    const { where, values } = eventFilter(base, within);
    const rows = conn.all(
      `SELECT e.id, e.v, e.at, e.hash, e.body FROM search s JOIN events e ON e.id = s.rowid
       WHERE s.text MATCH ? AND s.rowid BETWEEN ? AND ? AND ${where} ORDER BY s.rank, e.id DESC LIMIT ?`,
      match,
      base,
      last,
      ...values,
      terms.short.length > 0 ? -1 : limit,
    );
    const hits: Hit[] = [];
    for (const row of rows) {
      if (hits.length === limit) break;
      const parts = rowParts(conn, run, base, row);
      const folded = terms.short.length > 0 ? joinParts(parts).toLowerCase() : '';
      if (terms.short.every((term) => folded.includes(term)))
        hits.push({ seq: Number(row['id']) - base, ...bestPart(parts, terms) });
    }
    return hits;
  });
}

/** Newest first. */
async function scan(
  conn: Connection,
  run: string,
  terms: Terms,
  limit: number,
  within: Within,
): Promise<Hit[]> {
  const key = await conn.once(() => runKey(conn, run));
  if (key === null) return [];
  const hits: Hit[] = [];
  const words = [...terms.long, ...terms.short].map((term) => term.toLowerCase());
  for await (const event of readEvents(conn, run, within)) {
    const parts = searchParts(event, (ref) => payloadText(conn, key, ref));
    const folded = joinParts(parts).toLowerCase();
    if (!words.every((word) => folded.includes(word))) continue;
    hits.push({ seq: event.seq, ...bestPart(parts, terms) });
    if (hits.length > limit) hits.shift();
  }
  return hits.reverse();
}

/** False where the index cannot be written now. */
async function catchUp(conn: Connection, run: string): Promise<boolean> {
  try {
    while (await conn.once(() => isBehind(conn, run))) await conn.transact(() => indexBatch(conn, run));
    return true;
  } catch (error) {
    if (
      ['store.readonly', 'store.full', 'store.busy'].some(
        (code) => isStoreError(error) && error.code === code,
      )
    )
      return false;
    throw error;
  }
}

function isBehind(conn: Connection, run: string): boolean {
  return conn.get('SELECT 1 FROM runs WHERE run = ? AND indexed < seq', run) !== undefined;
}

function indexBatch(conn: Connection, run: string): void {
  const state = conn.get('SELECT id, indexed FROM runs WHERE run = ?', run);
  if (state === undefined) return;
  const [base, last] = idRange(Number(state['id']));
  const rows = conn.all(
    'SELECT id, v, at, hash, body FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ?',
    base + Number(state['indexed']),
    last,
    BATCH,
  );
  for (const row of rows)
    conn.run(
      'INSERT INTO search (rowid, text) VALUES (?, ?)',
      row['id'] as number,
      joinParts(rowParts(conn, run, base, row)),
    );
  const end = rows.at(-1)?.['id'];
  // A log that ends before its head is for `verify` to report; the index must not wait for it.
  if (end === undefined) conn.run('UPDATE runs SET indexed = seq WHERE run = ?', run);
  else conn.run('UPDATE runs SET indexed = ? WHERE run = ?', Number(end) - base, run);
}

/** An event that cannot be decoded has no text; reading it is where that is an error. */
function rowParts(conn: Connection, run: string, base: number, row: Row): readonly SearchPart[] {
  const decoded = decodeEvent(storedEvent(run, base, row));
  return decoded.ok ? searchParts(decoded.value, (ref) => payloadText(conn, base / 2 ** 32, ref)) : [];
}

function payloadText(conn: Connection, key: number, ref: PayloadRef): string {
  if (!/^text\/|json|xml|yaml/.test(ref.mimeType)) return '';
  const row = conn.get(
    `SELECT substr(p.data, 1, ?) AS data FROM run_payloads r JOIN payloads p ON p.id = r.payload
     WHERE r.run = ? AND r.handle = ?`,
    PAYLOAD_BYTES,
    key,
    ref.handle,
  );
  return row?.['data'] instanceof Uint8Array ? new TextDecoder().decode(row['data']) : '';
}
