import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../folder.ts';
import { jsonEqual } from '../json/equal.ts';
import type { Issue, Json, JsonObject, Payload, RunEvent, Store } from '../types.ts';
import { type ChainEnd, chainChecker } from './chain.ts';
import { eventLine, parseEventLine } from './codec.ts';
import { payloadRefs } from './payload.ts';
import { replayEvent } from './replay.ts';

const STATE = 'state.json';
const EVENTS = join('audit', 'events.jsonl');
const PAYLOADS = join('audit', 'payloads');

export type ExportSource = {
  readonly run: string;
  readonly events: Iterable<RunEvent> | AsyncIterable<RunEvent>;
  /** Σ where the caller knows it; 'replay' computes it from the events; null: it is lost, and no state is written. */
  readonly state: JsonObject | 'replay' | null;
  readonly payload: (handle: string) => Promise<Payload | 'pruned' | null>;
};

export type ExportResult = {
  readonly events: number;
  readonly payloads: number;
  readonly files: readonly string[];
};

/** Writes a run of a store as {@link writeExport} does. Throws `StoreError` where it cannot be read. */
export function exportRun(store: Store, run: string, folder: string): Promise<ExportResult> {
  const payload = (handle: string) => store.payload(run, handle);
  return writeExport({ run, events: store.events(run), state: 'replay', payload }, folder);
}

/**
 * Writes `state.json` (Σ), `audit/events.jsonl` (one event a line) and `audit/payloads/` into `folder`, in constant
 * memory. Each file is flushed and appears complete or not at all.
 */
export async function writeExport(source: ExportSource, folder: string): Promise<ExportResult> {
  makeFolder(join(folder, PAYLOADS));
  let state: JsonObject | null = source.state === 'replay' ? {} : source.state;
  let events = 0;
  const payloads = new Set<string>();
  async function* lines(): AsyncGenerator<string> {
    for await (const event of source.events) {
      if (source.state === 'replay' && state !== null) state = replayEvent(state, event);
      for (const { handle } of payloadRefs(event)) await savePayload(source, folder, handle, payloads);
      events++;
      yield `${eventLine(source.run, event)}\n`;
    }
  }
  await place(join(folder, EVENTS), (path) =>
    pipeline(Readable.from(lines()), createWriteStream(path, { flush: true })),
  );
  const files = [EVENTS];
  if (state === null) await rm(join(folder, STATE), { force: true });
  else {
    const text = `${JSON.stringify(state, null, 2)}\n`;
    await place(join(folder, STATE), (path) => writeFile(path, text, { flush: true }));
    files.unshift(STATE);
  }
  return { events, payloads: payloads.size, files };
}

async function savePayload(
  source: ExportSource,
  folder: string,
  handle: string,
  done: Set<string>,
): Promise<void> {
  if (done.has(handle) || !/^[\w-]+$/.test(handle)) return;
  const payload = await source.payload(handle);
  if (payload === null || payload === 'pruned') return;
  done.add(handle);
  await place(join(folder, PAYLOADS, handle), (path) => writeFile(path, payload.bytes, { flush: true }));
}

/** Write beside, flush, rename, flush the folder (P25). */
async function place(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const made = `${path}.new`;
  try {
    await write(made);
    await rename(made, path);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export type ExportCheck = {
  readonly ok: boolean;
  readonly run: string;
  readonly events: number;
  readonly head: ChainEnd;
  readonly issues: readonly Issue[];
};

/**
 * Checks an exported folder by itself: every line is an event of one run, the chain is whole, and the deltas replay to
 * `state.json`. `head` is a hash kept elsewhere: without it a cut tail is only seen where `state.json` disagrees.
 */
export async function checkExport(
  folder: string,
  expected: { readonly head?: string | undefined } = {},
): Promise<ExportCheck> {
  const issues: Issue[] = [];
  const note = (code: string, path: string, hint: string): void => {
    if (issues.length < 100) issues.push({ code: `store.${code}`, path, hint });
  };
  const log = await readLog(join(folder, EVENTS), expected.head, note);
  const text = existsSync(join(folder, STATE)) ? await readFile(join(folder, STATE), 'utf8') : null;
  if (text === null) note('missing', `/${STATE}`, 'there is no state.json beside the log');
  else if (log.state !== null && !jsonEqual(parseOr(text), log.state))
    note('replay', `/${STATE}`, 'it is not the state that the events lead to');
  return { ok: issues.length === 0, run: log.run, events: log.events, head: log.head, issues };
}

function parseOr(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

type Log = { run: string; events: number; head: ChainEnd; state: JsonObject | null };

async function readLog(
  path: string,
  head: string | undefined,
  note: (code: string, path: string, hint: string) => void,
): Promise<Log> {
  const log: Log = { run: '', events: 0, head: { seq: 0, hash: '' }, state: {} };
  let checker: ReturnType<typeof chainChecker> | null = null;
  let number = 0;
  for await (const text of splitLines(createReadStream(path))) {
    const parsed = parseEventLine(text, ++number);
    if (!parsed.ok) {
      for (const { code, path: place, hint } of parsed.issues) note(code.slice('store.'.length), place, hint);
      return { ...log, state: null };
    }
    const { run, event } = parsed.value;
    checker ??= chainChecker({ run, head });
    if (log.events > 0 && run !== log.run)
      note('foreign', `/lines/${number}`, `it is an event of run ${run}`);
    checker.next(event);
    log.run = run;
    log.events++;
    log.head = { seq: event.seq, hash: event.hash };
    log.state = log.state === null ? null : tryReplay(log.state, event);
  }
  const chain = (checker ?? chainChecker({ run: null, head })).end();
  if (!chain.ok) note(chain.fault, `/events/${chain.seq}`, chain.hint);
  return log;
}

function tryReplay(state: JsonObject, event: RunEvent): JsonObject | null {
  try {
    return replayEvent(state, event);
  } catch {
    return null;
  }
}

/** Lines end at a line feed only: JSON text may hold U+2028, at which Node's readline would cut. */
async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      rest.push(chunk.subarray(start, end));
      yield Buffer.concat(rest).toString();
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
  }
  const last = Buffer.concat(rest).toString();
  if (last !== '') yield last;
}
