import { join } from 'node:path';
import { callTool } from './call.ts';
import { openDatabase, sha256 } from './database.ts';
import type { TauDomain } from './load.ts';
import { readJson, writeJson } from './python/json.ts';
import { canonicalText } from './python/text.ts';
import type { PyDict, PyValue } from './python/value.ts';
import {
  asDomain,
  domainLoader,
  findVectors,
  nameRows,
  readDocument,
  readLines,
  vectorAction,
} from './replay-files.ts';
import { officialReward, replayGold } from './reward.ts';
import { asDict, asList, asText, type Split } from './task.ts';
import { type DomainName, transferTool } from './tool.ts';

export type VectorKind = 'call' | 'value' | 'database' | 'names' | 'task' | 'reward';

/** Where the port and a vector differ. */
export interface Difference {
  readonly id: string;
  readonly field: string;
  readonly wanted: string;
  readonly got: string;
}

/** One line of the report. `agree + lenient + differ = total`. */
export interface ReplayRow {
  readonly kind: VectorKind;
  readonly domain: DomainName | 'none';
  /** The tool, split or sort of vector. */
  readonly group: string;
  total: number;
  agree: number;
  /** Texts made by Python itself that are another `Error:` text here, with the same data afterwards. */
  lenient: number;
  differ: number;
  /** The first few, differing and lenient. */
  readonly differences: Difference[];
}

export interface ReplayReport {
  readonly folder: string;
  readonly files: readonly string[];
  readonly rows: readonly ReplayRow[];
  readonly total: number;
  readonly agree: number;
  readonly lenient: number;
  readonly differ: number;
}

export interface ReplayOptions {
  /** The data folder. By default beside the vectors, else in the usual places (`dataPlaces`). */
  readonly data?: string;
  /** How many differences each row keeps (3). */
  readonly keep?: number;
}

type Outcome = { field: string; wanted: string; got: string; lenient?: boolean } | undefined;
type RecordOutcome = (
  kind: VectorKind,
  domain: DomainName | 'none',
  group: string,
  id: string,
  outcome: Outcome,
) => void;

/**
 * Replays every vector file of a folder (see `findVectors`) on this port and counts, per domain and tool, how many
 * agree byte for byte, results and data hashes. Throws where the folder or the data is missing or malformed.
 */
export function replayVectors(path: string, options: ReplayOptions = {}): ReplayReport {
  const { folder, files } = findVectors(path);
  const load = domainLoader(folder, options.data);
  const rows = new Map<string, ReplayRow>();
  const record = recorder(rows, options.keep ?? 3);
  for (const file of files) replayFile(join(folder, file), file, load, record);
  const list = [...rows.values()];
  const count = (field: 'total' | 'agree' | 'lenient' | 'differ') =>
    list.reduce((n, row) => n + row[field], 0);
  return {
    folder,
    files,
    rows: list,
    total: count('total'),
    agree: count('agree'),
    lenient: count('lenient'),
    differ: count('differ'),
  };
}

function recorder(rows: Map<string, ReplayRow>, keep: number): RecordOutcome {
  return (kind, domain, group, id, outcome) => {
    const key = `${kind} ${domain} ${group}`;
    const row = rows.get(key) ?? {
      kind,
      domain,
      group,
      total: 0,
      agree: 0,
      lenient: 0,
      differ: 0,
      differences: [],
    };
    rows.set(key, row);
    row.total++;
    if (!outcome) {
      row.agree++;
      return;
    }
    row[outcome.lenient ? 'lenient' : 'differ']++;
    const { field, wanted, got } = outcome;
    if (row.differences.length < keep) row.differences.push({ id, field, wanted, got });
  };
}

function replayFile(
  path: string,
  name: string,
  load: (domain: DomainName) => TauDomain,
  record: RecordOutcome,
): void {
  if (name.includes('calls')) replayCalls(path, load, record);
  else if (name.includes('hash_vectors')) replayValues(path, load, record);
  else if (name.includes('task_hashes_')) replayTasks(path, name, load, record);
  else if (name === 'initial_hashes.json') replayInitial(path, load, record);
  else if (name === 'python_names.json') replayNames(path, record);
  else replayRewards(path, load, record);
}

function compare(field: string, wanted: PyValue | undefined, got: PyValue): Outcome {
  const [left, right] = [writeJson(wanted ?? null), writeJson(got)];
  return left === right ? undefined : { field, wanted: left, got: right };
}

function replayCalls(path: string, load: (domain: DomainName) => TauDomain, record: RecordOutcome): void {
  for (const line of readLines(path)) {
    const domain = asDomain(line.get('domain'));
    record(
      'call',
      domain,
      asText(line.get('name'), 'name'),
      asText(line.get('id'), 'id'),
      replayCall(load(domain), line),
    );
  }
}

function replayCall(domain: TauDomain, line: PyDict): Outcome {
  const database = openDatabase(domain.snapshot);
  for (const earlier of asList(line.get('precondition') ?? [], 'precondition'))
    callTool(domain.name, database, vectorAction(earlier));
  const before = line.has('changed') ? database.hash() : '';
  const result = callTool(domain.name, database, vectorAction(line));
  const after = database.hash();
  const data =
    compare('data_hash', line.get('data_hash'), after) ??
    (line.has('changed') ? compare('changed', line.get('changed'), before !== after) : undefined) ??
    compare('raises', line.get('raises') ?? null, result.raises ?? null);
  if (data) return data;
  const text = compare('result', line.get('result'), result.observation);
  if (!text || line.get('error_origin') !== 'python-exception') return text;
  return { ...text, lenient: result.observation?.startsWith('Error: ') ?? false };
}

function replayValues(path: string, load: (domain: DomainName) => TauDomain, record: RecordOutcome): void {
  let number = 0;
  for (const line of readLines(path)) {
    const value = valueOf(line, load);
    const canonical = canonicalText(value);
    const outcome =
      compare('canonical', line.get('canonical'), canonical) ??
      compare('sha256', line.get('sha256'), sha256(canonical)) ??
      (line.has('python_json_dumps')
        ? compare('python_json_dumps', line.get('python_json_dumps'), writeJson(value))
        : undefined);
    record('value', 'none', 'hash_vectors', `line ${++number}`, outcome);
  }
}

/** The value that a line of hash vectors is about: a JSON text, or a record of the data as `[domain, table, id]`. */
function valueOf(line: PyDict, load: (domain: DomainName) => TauDomain): PyValue {
  if (!line.has('record')) return readJson(asText(line.get('json'), 'json'));
  const [domain, table, id] = asList(line.get('record'), 'record');
  return openDatabase(load(asDomain(domain)).snapshot).read(asText(table, 'table'), asText(id, 'id'));
}

function replayInitial(path: string, load: (domain: DomainName) => TauDomain, record: RecordOutcome): void {
  for (const [name, entry] of asDict(readDocument(path), path)) {
    const domain = load(asDomain(name));
    const wanted = asDict(entry, name);
    record(
      'database',
      domain.name,
      'whole',
      name,
      compare('data_hash', wanted.get('data_hash'), domain.snapshot.hash),
    );
    for (const [table, hashes] of asDict(wanted.get('tables') ?? new Map(), name)) {
      const text = domain.snapshot.tables.get(table)?.text ?? '';
      const outcome = compare('sha256', asDict(hashes, table).get('sha256'), sha256(text));
      record('database', domain.name, 'table', table, outcome);
    }
  }
}

function replayNames(path: string, record: RecordOutcome): void {
  for (const [name, tools] of asDict(readDocument(path), path)) {
    const domain = asDomain(name);
    for (const { tool, wanted, got } of nameRows(domain, asDict(tools, name)))
      record('names', domain, 'signatures', tool, compare('signature', wanted, got));
  }
}

function replayTasks(
  path: string,
  name: string,
  load: (domain: DomainName) => TauDomain,
  record: RecordOutcome,
): void {
  const found = /task_hashes_([a-z]+)_([a-z]+)/.exec(name);
  const domain = load(asDomain(found?.[1]));
  const split = (found?.[2] ?? 'test') as Split;
  for (const row of asList(readDocument(path), path)) {
    const wanted = asDict(row, path);
    const index = Number(wanted.get('index'));
    const task = domain.tasks.get(split)?.[index];
    if (!task) throw new RangeError(`${name}: ${domain.name} has no ${split} task ${index}`);
    const gold = replayGold(domain, task);
    const errors = gold.errors.map(
      ({ i, name: tool, result }): PyDict =>
        new Map<string, PyValue>([
          ['i', BigInt(i)],
          ['name', tool],
          ['result', result],
        ]),
    );
    const outcome =
      compare('gt_data_hash', wanted.get('gt_data_hash'), gold.hash) ??
      compare('changes_data', wanted.get('changes_data'), gold.changesData) ??
      compare('action_errors', wanted.get('action_errors'), errors);
    record('task', domain.name, split, `task ${index}`, outcome);
  }
}

function replayRewards(path: string, load: (domain: DomainName) => TauDomain, record: RecordOutcome): void {
  for (const line of readLines(path)) {
    const domain = load(asDomain(line.get('domain')));
    const split = asText(line.get('split'), 'split') as Split;
    const index = Number(line.get('task_index'));
    const task = domain.tasks.get(split)?.[index];
    if (!task) throw new RangeError(`${path}: ${domain.name} has no ${split} task ${index}`);
    const database = openDatabase(domain.snapshot);
    const actions = asList(line.get('actions'), 'actions').map(vectorAction);
    for (const action of actions)
      if (action.name !== 'respond' && action.name !== transferTool) callTool(domain.name, database, action);
    const { reward, info } = officialReward(domain, task, database, actions);
    const outcome = compare('reward', line.get('reward'), reward) ?? compare('info', line.get('info'), info);
    record('reward', domain.name, split, asText(line.get('id'), 'id'), outcome);
  }
}
