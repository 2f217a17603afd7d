import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolsOf } from './call.ts';
import { type Snapshot, takeSnapshot } from './database.ts';
import { readJson } from './python/json.ts';
import { readAssigned, readLiteral } from './python/literal.ts';
import type { PyDict, PyValue } from './python/value.ts';
import { asDict, asList, asText, type Split, type TauTask, toTask } from './task.ts';
import type { DomainName } from './tool.ts';

/** The revision of the data set that this port follows and that every report names. */
export const tauRevision = '59a200c6d575d595120f1cb70fea53cef0632f6b';
export const tauCheckoutCommand = `git clone https://github.com/sierra-research/tau-bench && git -C tau-bench checkout ${tauRevision}`;

/** Everything that an environment of one domain needs. Nothing in it is changed by episodes. */
export interface TauDomain {
  readonly name: DomainName;
  readonly snapshot: Snapshot;
  /** The policy that the agent must follow: P. */
  readonly wiki: string;
  readonly rules: readonly string[];
  /** The function schemas that the original hands to the model. */
  readonly toolSchemas: readonly PyDict[];
  readonly tasks: ReadonlyMap<Split, readonly TauTask[]>;
  readonly revision: string;
}

interface Layout {
  readonly kind: 'files' | 'checkout';
  /** The folder of the domain, and the one with its tables. */
  readonly folder: string;
  readonly data: string;
}

const tableNames: Record<DomainName, readonly string[]> = {
  retail: ['orders', 'products', 'users'],
  airline: ['flights', 'reservations', 'users'],
};
const splits: readonly Split[] = ['test', 'dev', 'train'];

/**
 * Loads a domain from a folder: either plain files (`retail/orders.json`, `retail/tasks_test.json`, `retail/wiki.md`,
 * directly in `path` or in `path/tau`), or a checkout of τ-bench. Throws an error that names what was looked for and
 * the one command that gets the data.
 */
export function loadTau(path: string, domain: DomainName): TauDomain {
  const layout = findLayout(path, domain);
  const data = new Map(
    tableNames[domain].map((table) => {
      const file = join(layout.data, `${table}.json`);
      return [table, asDict(parse(file, readJson), file)] as const;
    }),
  );
  return {
    name: domain,
    snapshot: takeSnapshot(data),
    wiki: parse(join(layout.folder, 'wiki.md'), (text) => text),
    rules: readRules(layout),
    toolSchemas: readSchemas(layout, domain),
    tasks: readTasks(layout),
    revision: tauRevision,
  };
}

/** The first of some folders that holds the domain's data. Throws an error that names them and the command to get it. */
export function findTauData(places: readonly string[], domain: DomainName): string {
  const found = places.find((place) =>
    layoutsOf(place, domain).some((layout) => existsSync(join(layout.data, 'users.json'))),
  );
  if (found !== undefined) return found;
  throw new Error(
    `no τ-bench ${domain} data in ${places.join(', ')}. Name its folder with --data; to get it: ${tauCheckoutCommand}`,
  );
}

function layoutsOf(path: string, domain: DomainName): Layout[] {
  return [
    ...[join(path, domain), join(path, 'tau', domain)].map(
      (folder) => ({ kind: 'files', folder, data: folder }) as const,
    ),
    ...[join(path, 'tau_bench', 'envs', domain), join(path, 'envs', domain), join(path, domain)].map(
      (folder) => ({ kind: 'checkout', folder, data: join(folder, 'data') }) as const,
    ),
  ];
}

function findLayout(path: string, domain: DomainName): Layout {
  const candidates = layoutsOf(path, domain);
  const found = candidates.find((layout) => existsSync(join(layout.data, 'users.json')));
  if (found) return found;
  const places = candidates.map((layout) => join(layout.data, 'users.json')).join(', ');
  throw new Error(
    `no τ-bench ${domain} data in ${path} (looked for ${places}). To get it: ${tauCheckoutCommand}`,
  );
}

/** Reads and parses one file; errors name the file, and an absent one also the command that gets it. */
function parse<T>(file: string, read: (text: string) => T): T {
  if (!existsSync(file))
    throw new Error(`${file} is missing. To get the τ-bench data: ${tauCheckoutCommand}`);
  try {
    return read(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function readRules(layout: Layout): string[] {
  const file = layout.kind === 'files' ? 'rules.json' : 'rules.py';
  const read = layout.kind === 'files' ? readJson : (text: string) => readAssigned(text, /RULES/);
  return asList(parse(join(layout.folder, file), read), file).map((rule) => asText(rule, file));
}

function readTasks(layout: Layout): Map<Split, TauTask[]> {
  const tasks = new Map<Split, TauTask[]>();
  for (const split of splits) {
    const file = join(layout.folder, `tasks_${split}.${layout.kind === 'files' ? 'json' : 'py'}`);
    if (!existsSync(file)) continue;
    const read = layout.kind === 'files' ? readJson : (text: string) => readAssigned(text, /TASKS\w*/);
    tasks.set(split, asList(parse(file, read), file).map(toTask));
  }
  if (tasks.size === 0)
    throw new Error(`no tasks_*.json or tasks_*.py in ${layout.folder}. ${tauCheckoutCommand}`);
  return tasks;
}

function readSchemas(layout: Layout, domain: DomainName): PyDict[] {
  if (layout.kind === 'files') {
    const file = join(layout.folder, 'tools.json');
    return asList(parse(file, readJson), file).map((schema) => asDict(schema, file));
  }
  return toolsOf(domain).map(({ name }) => {
    const file = join(layout.folder, 'tools', `${name}.py`);
    return asDict(parse(file, readReturned), file);
  });
}

/** The literal that a tool's `get_info` returns. */
function readReturned(text: string): PyValue {
  const found = /def get_info\b[\s\S]*?\breturn\b/.exec(text);
  if (!found) throw new SyntaxError('no get_info that returns a literal');
  return readLiteral(text, found.index + found[0].length);
}
