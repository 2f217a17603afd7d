import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

export type FileCounts = { files: number; symlinks: number; tooDeep: number; unreadable: number };

/** Deep enough for projects, dates and sub-agents; a tree deeper than this is no transcript folder. */
const MOST_LEVELS = 12;

/** The `.jsonl` files below a folder. Symbolic links are counted, never followed. Throws where the folder cannot be read. */
export async function* transcriptFiles(root: string, counts: FileCounts): AsyncGenerator<string> {
  const open: { readonly folder: string; readonly level: number }[] = [{ folder: root, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { folder, level } = next;
    const found = await list(folder).catch((error: unknown) => {
      if (level === 0) throw error;
      counts.unreadable += 1;
      return [];
    });
    for (const entry of found) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) counts.symlinks += 1;
      else if (entry.isDirectory() && level + 1 >= MOST_LEVELS) counts.tooDeep += 1;
      else if (entry.isDirectory()) open.push({ folder: path, level: level + 1 });
      else if (entry.isFile() && entry.name.endsWith('.jsonl')) {
        counts.files += 1;
        yield path;
      }
    }
  }
}

async function list(folder: string) {
  const entries = [];
  for await (const entry of await opendir(folder)) entries.push(entry);
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
