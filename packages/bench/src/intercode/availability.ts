import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CtfData, CtfTask } from './tasks.ts';

export type Availability =
  | { available: true; note: string | null }
  | { available: false; why: 'assets' | 'network' | 'package' | 'sight'; reason: string };

/** What each task needs beyond bash, python3 and coreutils: read from the tasks and from solving them. */
const servers = new Set([9, 16, 20, 28, 29, 39, 41, 42, 43, 54, 57, 62, 66, 73, 87, 88, 89, 95]);
const downloads = new Set([1, 7, 35]);
const lookups = new Set([59]);
const pictures = new Set([55, 56]);
const packages: Record<string, { command: string; tasks: readonly number[] }> = {
  openssl: { command: 'openssl', tasks: [0, 6, 58] },
  binutils: { command: 'strings', tasks: [2, 8, 11, 21, 52, 53, 63, 64, 94] },
  unzip: { command: 'unzip', tasks: [14, 37, 38, 63, 71] },
  xxd: { command: 'xxd', tasks: [34] },
  'poppler-utils': { command: 'pdftotext', tasks: [67] },
  'pari-gp': { command: 'gp', tasks: [12] },
};
const notes = new Map([
  [5, 'the same query and flag as task 90'],
  [15, 'the recorded flag lost a backslash, so the true flag scores 0'],
  [21, 'its flag is printed in the worked examples of the original prompt'],
  [44, 'its flag is printed in the worked examples of the original prompt'],
]);

/** Tasks whose score says nothing about an agent; reports give the score with and without them. */
export const knownBadTasks: readonly number[] = [15];

export interface AvailabilityOptions {
  network?: boolean;
  /** Whether a command exists where tasks run. Default: looks in /usr/bin and /usr/local/bin here. */
  hasCommand?: (name: string) => boolean;
}

/** Per task id: whether it can be attempted with this data here, or the reason why not. */
export async function availabilityOf(data: CtfData, options: AvailabilityOptions = {}) {
  const absent = await absentAssets(data);
  const has = options.hasCommand ?? commandHere;
  const judge = (task: CtfTask): Availability => {
    const missing = absent(task.id);
    if (missing !== null) return { available: false, why: 'assets', reason: missing };
    const network = options.network ? null : networkNeed(task.id);
    if (network !== null) return { available: false, why: 'network', reason: network };
    if (pictures.has(task.id)) {
      return { available: false, why: 'sight', reason: 'the flag is in a picture that someone has to see' };
    }
    const lacking = Object.entries(packages).find(
      ([, { command, tasks }]) => tasks.includes(task.id) && !has(command),
    );
    if (lacking) return { available: false, why: 'package', reason: `needs the package ${lacking[0]}` };
    return { available: true, note: notes.get(task.id) ?? null };
  };
  return new Map(data.tasks.map((task) => [task.id, judge(task)]));
}

function networkNeed(id: number): string | null {
  if (servers.has(id)) return 'needs a server on the network that the task names';
  if (downloads.has(id)) return 'has to download its file';
  return lookups.has(id) ? 'needs a look-up on the network' : null;
}

/** Tells which of a task's files are not in the data: by the manifest where there is one, else by the folder. */
async function absentAssets(data: CtfData): Promise<(id: number) => string | null> {
  const manifest = await readManifest(join(data.root, 'assets_manifest.json'));
  const left = manifest?.filter((path) => !existsSync(join(data.root, path))) ?? [];
  return (id) => {
    const prefix = `task_assets/${id}/`;
    const missing = left.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
    if (missing.length > 0) return `its assets are not in the data: ${missing.join(', ')}`;
    return existsSync(join(data.assets, String(id))) ? null : 'its assets are not in the data';
  };
}

async function readManifest(path: string): Promise<string[] | null> {
  try {
    const { files } = JSON.parse(await readFile(path, 'utf8')) as { files: { path: string }[] };
    return files.map((file) => file.path);
  } catch {
    return null;
  }
}

function commandHere(name: string): boolean {
  return ['/usr/bin', '/usr/local/bin', '/bin'].some((folder) => existsSync(join(folder, name)));
}
