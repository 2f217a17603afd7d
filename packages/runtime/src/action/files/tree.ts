import { createHash, type Hash } from 'node:crypto';
import { readWhole } from './disk.ts';
import { entriesBelow } from './look.ts';
import type { Root } from './roots.ts';
import type { Entry } from './walk.ts';

/** A larger tree has no fingerprint: to take one would cost more than to list or search it again. */
const MOST_ENTRIES = 5000;
const MOST_BYTES = 16 * 1024 * 1024;

/** For the ledger: the folder or file of its path and all below, or every root where no path is given. */
export function ofTree(roots: readonly Root[]): { readonly resources: string } {
  const all = JSON.stringify(roots.map(({ name }) => `tree:${name}`));
  return { resources: `has(args.path) ? ["tree:" + args.path] : ${all}` };
}

/**
 * SHA-256 over every path, kind and size below `tree:` resources, with `contents` also over what the files hold; null
 * where a tree is too large, is not there, or holds a file that cannot be read. Never by modification time (P45).
 */
export async function fingerprintTrees(
  roots: readonly Root[],
  resources: readonly string[],
  contents: boolean,
): Promise<string | null> {
  const hash = createHash('sha256');
  const left = { entries: MOST_ENTRIES, bytes: MOST_BYTES };
  for (const resource of resources) {
    if (!resource.startsWith('tree:')) return null;
    const entries = await entriesBelow(roots, resource.slice(5));
    if (typeof entries === 'string') return null;
    hash.update(`${resource.length} ${resource} `);
    for await (const entry of entries) if (!(await add(hash, entry, contents, left))) return null;
    hash.update('end ');
  }
  return resources.length === 0 ? null : hash.digest('hex').slice(0, 32);
}

async function add(
  hash: Hash,
  { path, real, root, kind, size }: Entry,
  contents: boolean,
  left: { entries: number; bytes: number },
): Promise<boolean> {
  left.entries -= 1;
  if (left.entries < 0) return false;
  hash.update(`${path.length} ${path} ${kind} ${size} `);
  if (!contents || kind !== 'file') return true;
  left.bytes -= size;
  if (left.bytes < 0) return false;
  const content = await readWhole(real, root.real);
  if (content.kind !== 'file') return false;
  hash.update(`${content.bytes.length} `).update(content.bytes);
  return true;
}
