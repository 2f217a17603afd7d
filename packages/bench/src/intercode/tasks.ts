import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What an agent may know of a task. */
export interface CtfTask {
  id: number;
  query: string;
  tags: readonly string[];
  /** A command that the original runs before the first turn. */
  setup: string | null;
}

export interface CtfData {
  tasks: readonly CtfTask[];
  /** Directory with one folder of assets per task. */
  assets: string;
  /** `vectors`: ic_ctf.json beside task_assets. `checkout`: a clone of the original repository. */
  layout: 'vectors' | 'checkout';
  /** Of ic_ctf.json; `pinned` tells whether it is the file that this port was checked against. */
  sha256: string;
  pinned: boolean;
  /** The directory that holds ic_ctf.json. */
  root: string;
  /** The right flag of a task. Throws a RangeError for an unknown task. Never for the agent's eyes. */
  gold(id: number): string;
}

export type LoadResult =
  | { ok: true; data: CtfData }
  | { ok: false; problem: { code: 'data_missing' | 'data_broken'; path: string; hint: string } };

/** princeton-nlp/intercode at c3e46d827cfc9d4c704ec078f7abf9f41e3191d8, data/ctf/ic_ctf.json. */
export const pinnedRevision = 'c3e46d827cfc9d4c704ec078f7abf9f41e3191d8';
const pinnedSha256 = '7d5c29724d23719de369e31126c26ebc9a925ae21769f1c3c029abf074def126';
export const intercodeCheckoutCommand = `git clone https://github.com/princeton-nlp/intercode && git -C intercode checkout ${pinnedRevision}`;

const places = [
  { folder: '.', layout: 'vectors' },
  { folder: 'intercode', layout: 'vectors' },
  { folder: 'data/ctf', layout: 'checkout' },
] as const;

/** The first of some folders that holds the task definitions, in either layout; null: none does. */
export function findIntercodeData(dirs: readonly string[]): string | null {
  const holds = (dir: string) => places.some(({ folder }) => existsSync(join(dir, folder, 'ic_ctf.json')));
  return dirs.find(holds) ?? null;
}

/** Reads the 100 task definitions from a folder in either layout, or says what is missing and how to get it. */
export async function loadIntercode(dir: string): Promise<LoadResult> {
  const place = places.find(({ folder }) => existsSync(join(dir, folder, 'ic_ctf.json')));
  if (place === undefined) {
    const hint = `no ic_ctf.json here, in intercode/ or in data/ctf/. Get it: ${intercodeCheckoutCommand}, then name the clone's path`;
    return { ok: false, problem: { code: 'data_missing', path: dir, hint } };
  }
  const root = join(dir, place.folder);
  const text = await readFile(join(root, 'ic_ctf.json'));
  const records = parseRecords(text);
  if (typeof records === 'string') {
    return { ok: false, problem: { code: 'data_broken', path: join(root, 'ic_ctf.json'), hint: records } };
  }
  const golds = new Map(records.map(({ task, gold }) => [task.id, gold]));
  const sha256 = createHash('sha256').update(text).digest('hex');
  const data: CtfData = {
    tasks: records.map(({ task }) => task),
    assets: join(root, 'task_assets'),
    layout: place.layout,
    sha256,
    pinned: sha256 === pinnedSha256,
    root,
    gold(id) {
      const gold = golds.get(id);
      if (gold === undefined) throw new RangeError(`no task ${id}`);
      return gold;
    },
  };
  return { ok: true, data };
}

function parseRecords(text: Buffer): { task: CtfTask; gold: string }[] | string {
  let value: unknown;
  try {
    value = JSON.parse(text.toString('utf8'));
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (!Array.isArray(value)) return 'expected a list of tasks';
  const records = value.map(readRecord);
  const wrong = records.indexOf(null);
  if (wrong >= 0) return `entry ${wrong} needs task_id (a number), query and gold (texts)`;
  return records.filter((record) => record !== null);
}

function readRecord(value: unknown): { task: CtfTask; gold: string } | null {
  if (typeof value !== 'object' || value === null) return null;
  const { task_id: id, query, gold, tags, setup } = value as Record<string, unknown>;
  if (typeof id !== 'number' || typeof query !== 'string' || typeof gold !== 'string') return null;
  const labels = Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
  return { task: { id, query, tags: labels, setup: typeof setup === 'string' ? setup : null }, gold };
}
