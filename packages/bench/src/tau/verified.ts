import { callTool, contentOf, findTool, isFailure, respondAction, type TauAction } from './call.ts';
import { canonicalRecord, differingFields, sameCall } from './canonical.ts';
import { type Database, openDatabase } from './database.ts';
import type { TraceEntry } from './environment.ts';
import type { TauDomain } from './load.ts';
import { readJson } from './python/json.ts';
import type { PyDict, PyValue } from './python/value.ts';
import { replayGold } from './reward.ts';
import type { TauTask } from './task.ts';
import { type DomainName, transferTool } from './tool.ts';

/** One thing that was looked at after the episode, and whether a read confirmed it. */
export interface OutcomeCheck {
  readonly kind: 'change' | 'extra-change' | 'hand-off' | 'output' | 'claim';
  /** The record (`orders/#W…`), the output or the claimed call. */
  readonly subject: string;
  readonly confirmed: boolean;
  readonly detail: string;
}

/**
 * Our own score beside the official one. `confirmed`: everything the task requires was found by reading. `refuted`:
 * something required is missing, or something was changed or claimed that should not be. `unverifiable`: the task
 * requires nothing that a read could show (a request to be refused), so nobody can earn or miss it.
 * `reward` is 1 for `confirmed` only.
 */
export interface VerifiedOutcome {
  readonly verdict: 'confirmed' | 'refuted' | 'unverifiable';
  readonly reward: 0 | 1;
  readonly checks: readonly OutcomeCheck[];
}

/** What is judged: the episode's database and trace, and the calls that the agent says it made (its state's claims). */
export interface Episode {
  readonly database: Database;
  readonly trace: readonly TraceEntry[];
  readonly claims?: readonly TauAction[];
}

const readers: Record<string, { tool: string; parameter: string }> = {
  orders: { tool: 'get_order_details', parameter: 'order_id' },
  products: { tool: 'get_product_details', parameter: 'product_id' },
  users: { tool: 'get_user_details', parameter: 'user_id' },
  reservations: { tool: 'get_reservation_details', parameter: 'reservation_id' },
};

/** Judges an episode by reading back, with the domain's own read tools, what the task requires and the agent claims. */
export function verifyOutcome(domain: TauDomain, task: TauTask, episode: Episode): VerifiedOutcome {
  const required = [
    ...changeChecks(domain, task, episode),
    ...(task.actions.some((action) => action.name === transferTool) ? [handOffCheck(episode)] : []),
    ...task.outputs.map((output) => outputCheck(domain.name, output, episode)),
  ];
  const refusing = [
    ...extraChecks(domain, task, episode),
    ...(episode.claims ?? []).map((claim) => claimCheck(domain, claim, episode)),
  ];
  const checks = [...required, ...refusing];
  const verdict = checks.some((check) => !check.confirmed)
    ? 'refuted'
    : required.length === 0
      ? 'unverifiable'
      : 'confirmed';
  return { verdict, reward: verdict === 'confirmed' ? 1 : 0, checks };
}

/** The record as the domain's read tool shows it, or undefined where it shows none. */
function readBack(domain: DomainName, database: Database, table: string, id: string): PyDict | undefined {
  const reader = readers[table];
  if (!reader) return undefined;
  const kwargs = new Map<string, PyValue>([[reader.parameter, id]]);
  const { observation } = callTool(domain, database, { name: reader.tool, kwargs });
  if (observation === null || isFailure(observation)) return undefined;
  const record = readJson(observation);
  return record instanceof Map ? record : undefined;
}

/** The records that differ from the untouched database, as `table/id` → record. */
function changedRecords(
  domain: TauDomain,
  database: Database,
): Map<string, { table: string; id: string; record: PyDict }> {
  const changed = new Map<string, { table: string; id: string; record: PyDict }>();
  for (const [table, records] of database.touched())
    for (const [id, record] of records) {
      const before = domain.snapshot.tables.get(table)?.records.get(id);
      if (before && canonicalRecord(table, before) === canonicalRecord(table, record)) continue;
      changed.set(`${table}/${id}`, { table, id, record });
    }
  return changed;
}

function changeChecks(domain: TauDomain, task: TauTask, episode: Episode): OutcomeCheck[] {
  const wanted = changedRecords(domain, replayGold(domain, task).database);
  return [...wanted].map(([subject, { table, id, record }]) => {
    const found = readBack(domain.name, episode.database, table, id);
    if (!found) return { kind: 'change', subject, confirmed: false, detail: 'a read finds no such record' };
    const fields = differingFields(table, found, record);
    const detail = fields.length === 0 ? 'read back as required' : `reads otherwise in ${fields.join(', ')}`;
    return { kind: 'change', subject, confirmed: fields.length === 0, detail };
  });
}

function extraChecks(domain: TauDomain, task: TauTask, episode: Episode): OutcomeCheck[] {
  const wanted = changedRecords(domain, replayGold(domain, task).database);
  const made = changedRecords(domain, episode.database);
  return [...made.keys()]
    .filter((subject) => !wanted.has(subject))
    .map((subject) => ({ kind: 'extra-change', subject, confirmed: false, detail: 'changed without need' }));
}

function succeeded(entry: TraceEntry): boolean {
  return entry.observation !== null && !isFailure(entry.observation);
}

function handOffCheck(episode: Episode): OutcomeCheck {
  const confirmed = episode.trace.some((entry) => entry.action.name === transferTool && succeeded(entry));
  const detail = confirmed ? 'the trace has the hand-off' : 'no hand-off in the trace';
  return { kind: 'hand-off', subject: transferTool, confirmed, detail };
}

/** An output counts where it stands by itself in a message, after at least one read that could have given it. */
function outputCheck(domain: DomainName, output: string, episode: Episode): OutcomeCheck {
  let read = false;
  let toldUnread = false;
  for (const { action, observation } of episode.trace) {
    if (action.name === respondAction) {
      if (!standsIn(output, contentOf(action))) continue;
      if (read) return { kind: 'output', subject: output, confirmed: true, detail: 'told after a read' };
      toldUnread = true;
    } else if (observation !== null && !isFailure(observation)) {
      read ||= findTool(domain, action.name)?.effect !== 'none';
    }
  }
  const detail = toldUnread ? 'told, but nothing had been read' : 'never told by itself';
  return { kind: 'output', subject: output, confirmed: false, detail };
}

/** Whether the output is in the message as its own word or number: `10` is in `$10.00`, not in `2100` or `3.10`. */
export function standsIn(output: string, message: string): boolean {
  const text = message.toLowerCase().replaceAll(',', '');
  const wanted = output.toLowerCase();
  const [first, last] = [/^\d/.test(wanted), /\d$/.test(wanted)];
  const before = first ? '(?<![\\p{N}]|\\d\\.)' : '(?<![\\p{L}\\p{N}])';
  const zeros = wanted.includes('.') ? '0*' : '(?:\\.0+)?';
  const after = last ? `${zeros}(?!\\.?\\p{N})` : '(?![\\p{L}\\p{N}])';
  return new RegExp(`${before}${RegExp.escape(wanted)}${after}`, 'u').test(text);
}

/**
 * A claimed call must be in the trace with success, and a claimed write must show in the record it was about: changed, or,
 * where later calls undid it, as the calls of the trace leave it on an untouched database.
 */
function claimCheck(domain: TauDomain, claim: TauAction, episode: Episode): OutcomeCheck {
  const base = { kind: 'claim', subject: claim.name } as const;
  const entry = episode.trace.find((candidate) => sameCall(candidate.action, claim) && succeeded(candidate));
  if (!entry) return { ...base, confirmed: false, detail: 'no such call succeeded' };
  if (findTool(domain.name, claim.name)?.effect !== 'write')
    return { ...base, confirmed: true, detail: 'the trace has the call' };
  const subject = subjectOf(claim, entry);
  if (!subject) return { ...base, confirmed: false, detail: 'the call names no record' };
  const { table, id } = subject;
  const found = readBack(domain.name, episode.database, table, id);
  const before = domain.snapshot.tables.get(table)?.records.get(id);
  if (!found) return { ...base, confirmed: false, detail: `a read finds no ${table}/${id}` };
  if (!before || canonicalRecord(table, before) !== canonicalRecord(table, found))
    return { ...base, confirmed: true, detail: `${table}/${id} reads changed` };
  const replayed = readBack(domain.name, replayTrace(domain, episode), table, id);
  const undone = replayed && canonicalRecord(table, replayed) === canonicalRecord(table, found);
  return {
    ...base,
    confirmed: undone === true,
    detail: `${table}/${id} reads as before${undone ? ', as the calls leave it' : ''}`,
  };
}

function replayTrace(domain: TauDomain, { trace }: Episode): Database {
  const database = openDatabase(domain.snapshot);
  for (const { action } of trace)
    if (findTool(domain.name, action.name)?.effect === 'write') callTool(domain.name, database, action);
  return database;
}

function subjectOf(claim: TauAction, entry: TraceEntry): { table: string; id: string } | undefined {
  const result =
    claim.name === 'book_reservation' && entry.observation !== null ? readJson(entry.observation) : null;
  const named = result instanceof Map ? result : claim.kwargs;
  for (const table of ['orders', 'reservations', 'users']) {
    const id = named.get(readers[table]?.parameter ?? '');
    if (typeof id === 'string') return { table, id };
  }
  return undefined;
}
