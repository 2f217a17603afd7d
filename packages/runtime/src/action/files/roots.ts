import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';

/** A declared folder: as the skill writes it, and where it really is. */
export type Root = { readonly name: string; readonly real: string };

/** A path that may be used, or why it may not. `real` has no links in it; nothing need exist there. */
export type Located =
  | { readonly ok: true; readonly real: string; readonly root: Root }
  | { readonly ok: false; readonly why: string };

/** The declared roots, from `base`. Throws where one is no folder. */
export async function openRoots(base: string, names: readonly string[]): Promise<Root[]> {
  return Promise.all(
    names.map(async (name) => {
      const real = await realpath(resolve(base, name)).catch(() => null);
      const info = real === null ? null : await lstat(real);
      if (real === null || info?.isDirectory() !== true)
        throw new Error(
          `/actions/files/roots: ${name} is no folder below ${base}; create it or name another`,
        );
      return { name: plain(name), real };
    }),
  );
}

/**
 * Finds what a path of the model stands for. One file has one spelling: it begins with a root as the skill writes it
 * and has no `.`, `..` or double slash. Links are followed as long as they end inside the same root.
 */
export async function locate(roots: readonly Root[], path: string): Promise<Located> {
  if (path === '' || path.includes('\0')) return refuse('a path is needed');
  const wanted = plain(path);
  if (wanted !== path) return refuse(`write the path as ${wanted}`);
  const root = roots.filter(({ name }) => below(name, path)).sort((a, b) => b.name.length - a.name.length)[0];
  if (root === undefined)
    return refuse(`${path} is outside the folders ${roots.map(({ name }) => name).join(', ')}`);
  const target = join(root.real, relative(root.name, path));
  const real = await realOf(target);
  if (real === null || !inside(root.real, real)) return refuse(`${path} leads out of ${root.name}`);
  return { ok: true, real, root };
}

/** Whether a real path lies in a real folder, itself included. */
export function inside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function refuse(why: string): Located {
  return { ok: false, why };
}

function plain(path: string): string {
  const short = normalize(path);
  return short.length > 1 && short.endsWith('/') ? short.slice(0, -1) : short;
}

function below(root: string, path: string): boolean {
  if (root === '.') return !isAbsolute(path) && path !== '..' && !path.startsWith('../');
  return inside(root, path);
}

/** The real path of what is there, or of the nearest existing folder with the missing rest; null for a broken link. */
async function realOf(target: string): Promise<string | null> {
  const missing: string[] = [];
  for (let at = target; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => null);
    if (real !== null) return join(real, ...missing);
    if ((await lstat(at).catch(() => null)) !== null || at === dirname(at)) return null;
    missing.unshift(at.slice(dirname(at).length).replace(/^\//, ''));
  }
}
