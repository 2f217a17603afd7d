import type { EventBody, Json, JsonObject, Result, RunEvent } from '../types.ts';

/** The version that this program writes, and the newest that it reads. */
export const EVENT_VERSION = 1;

/** An event as stores keep it: `body` is JSON text, and the hash covers exactly these bytes. */
export type StoredEvent = {
  readonly v: number;
  readonly seq: number;
  readonly at: number;
  readonly prev: string;
  readonly hash: string;
  readonly body: string;
};

/** Turns a body of version N into one of version N + 1. Pure; the stored text and its hash stay as they are. */
export type BodyMigration = (body: JsonObject) => JsonObject;

/** Keyed by the version they start from. Version 1 is the first, so there are none yet. */
const MIGRATIONS: Readonly<Record<number, BodyMigration>> = {};

const TYPES: Readonly<Record<EventBody['type'], true>> = {
  'run.started': true,
  'run.resumed': true,
  'step.accepted': true,
  'step.rejected': true,
  'model.failed': true,
  'model.retried': true,
  'action.finished': true,
  confirmed: true,
  unconfirmed: true,
  'approval.asked': true,
  'approval.given': true,
  'approval.denied': true,
  'message.received': true,
  'state.set': true,
  'skill.changed': true,
  ledger: true,
  'run.stopped': true,
};

/** All types of events, in the order of docs/event-format.md. */
export const EVENT_TYPES = Object.keys(TYPES) as readonly EventBody['type'][];

/**
 * The JSON text of an event without its envelope (`v`, `seq`, `at`, `prev`, `hash`), members in their own order.
 * Parsing the text and encoding it again gives the same text, so an event may be hashed from either side.
 */
export function bodyText(event: RunEvent): string {
  const { v: _v, seq: _seq, at: _at, prev: _prev, hash: _hash, ...body } = event;
  return JSON.stringify(body);
}

export function encodeEvent(event: RunEvent): StoredEvent {
  const { v, seq, at, prev, hash } = event;
  return { v, seq, at, prev, hash, body: bodyText(event) };
}

/**
 * Reads a stored event. Never guesses: text that is no event of a known version and type is an issue that names the
 * event, so that nothing resumes on a hole (P21). Codes: `store.newer` (update this program), `store.corrupt`.
 */
export function decodeEvent(
  stored: StoredEvent,
  migrations: Readonly<Record<number, BodyMigration>> = MIGRATIONS,
): Result<RunEvent> {
  const path = `/events/${stored.seq}`;
  if (!Number.isInteger(stored.v) || stored.v > EVENT_VERSION)
    return refuse(
      'store.newer',
      path,
      `has version ${stored.v}, this program reads up to ${EVENT_VERSION}`,
      UPDATE,
    );
  const parsed = parseObject(stored.body);
  if (parsed === null) return refuse('store.corrupt', path, 'is not a JSON object', SALVAGE);
  const body = migrateBody(parsed, stored.v, migrations);
  if (body === null)
    return refuse('store.corrupt', path, `has version ${stored.v}, which has no migration`, SALVAGE);
  const type = body['type'];
  if (typeof type !== 'string' || !Object.hasOwn(TYPES, type))
    return refuse('store.newer', path, `has the unknown type ${JSON.stringify(type)}`, UPDATE);
  const { seq, at, prev, hash } = stored;
  // The hash chain vouches for the members: only `chainEvents` makes bodies.
  return { ok: true, value: { ...(body as EventBody), v: EVENT_VERSION, seq, at, prev, hash } };
}

const UPDATE =
  'it was written by a newer skillstate: update, or export the run with the version that wrote it';
const SALVAGE = 'the stored log is damaged: export what is readable and resume from an earlier snapshot';

function refuse(code: `store.${string}`, path: string, what: string, advice: string): Result<never> {
  return { ok: false, issues: [{ code, path, hint: `the event at ${path} ${what}; ${advice}` }] };
}

function parseObject(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : null;
  } catch {
    return null;
  }
}

function migrateBody(
  body: JsonObject,
  version: number,
  migrations: Readonly<Record<number, BodyMigration>>,
): JsonObject | null {
  let current = body;
  for (let v = version; v < EVENT_VERSION; v++) {
    const migrate = migrations[v];
    if (migrate === undefined) return null;
    current = migrate(current);
  }
  return current;
}

/**
 * One line of `audit/events.jsonl`, without the newline. The body comes last and unchanged, so a reader may take the
 * hashed text from the line: everything after `"hash":"…",` with `{` before it. `time` is for people; `seq` orders.
 */
export function eventLine(run: string, event: RunEvent): string {
  const { v, seq, at, prev, hash } = event;
  const time = new Date(at).toISOString();
  const envelope = JSON.stringify({ run, v, seq, at, time, prev, hash });
  return `${envelope.slice(0, -1)},${bodyText(event).slice(1)}`;
}

/** Reads such a line back; `line` is its number, for messages. */
export function parseEventLine(text: string, line: number): Result<{ run: string; event: RunEvent }> {
  const value = parseObject(text);
  const fault = (what: string): Result<never> =>
    refuse('store.corrupt', `/lines/${line}`, what, 'the exported file was cut or changed');
  if (value === null) return fault('is not a JSON object');
  const { run, v, seq, at, time: _time, prev, hash, ...body } = value;
  if (typeof run !== 'string' || typeof v !== 'number' || typeof seq !== 'number' || typeof at !== 'number')
    return fault('lacks run, v, seq or at');
  if (typeof prev !== 'string' || typeof hash !== 'string') return fault('lacks prev or hash');
  const decoded = decodeEvent({ v, seq, at, prev, hash, body: JSON.stringify(body) });
  return decoded.ok ? { ok: true, value: { run, event: decoded.value } } : decoded;
}
