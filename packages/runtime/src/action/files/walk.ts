import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY } from './disk.ts';
import type { Root } from './roots.ts';

export type Entry = {
  /** As the model writes it. */
  readonly path: string;
  readonly real: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  readonly root: Root;
};

/** Entries below a place, folders before what they hold, names in code point order. Links are named and not followed. */
export async function* walk(
  from: { path: string; real: string; root: Root },
  depth: number,
): AsyncGenerator<Entry> {
  const waiting: { path: string; real: string; left: number }[] = [{ ...from, left: depth }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const names = await readdir(at.real).catch(() => [] as string[]);
    const folders: { path: string; real: string; left: number }[] = [];
    for (const name of names.filter((entry) => !entry.startsWith(TEMPORARY)).sort()) {
      const real = join(at.real, name);
      const path = at.path === '.' ? name : `${at.path}/${name}`;
      const info = await lstat(real).catch(() => null);
      if (info === null) continue;
      const kind = info.isFile()
        ? 'file'
        : info.isDirectory()
          ? 'folder'
          : info.isSymbolicLink()
            ? 'link'
            : 'other';
      yield { path, real, kind, size: info.size, root: from.root };
      if (kind === 'folder' && at.left > 1) folders.push({ path, real, left: at.left - 1 });
    }
    waiting.push(...folders.reverse());
  }
}
