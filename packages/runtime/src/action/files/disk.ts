import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readlink, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { inside } from './roots.ts';

/** Largest file that is read or written, in bytes. */
export const FILE_BYTES = 16 * 1024 * 1024;

/** What stands in a file now; `absent` and `unusable` say why there is nothing. */
export type Content =
  | { readonly kind: 'file'; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly why: string };

/** The version of a content: the first 16 hexadecimal digits of its SHA-256. */
export function versionOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

/** Reads a regular file whole. Opens no link and no device; where Linux can tell, the open file is proven inside `root`. */
export async function readWhole(real: string, root: string): Promise<Content> {
  let handle: FileHandle;
  try {
    handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? { kind: 'absent' }
      : { kind: 'unusable', why: code === 'ELOOP' ? 'it is a link' : message };
  }
  try {
    const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => real);
    if (!inside(root, opened)) return { kind: 'unusable', why: 'it leads out of its folder' };
    const info = await handle.stat();
    if (!info.isFile())
      return { kind: 'unusable', why: info.isDirectory() ? 'it is a folder' : 'it is no regular file' };
    if (info.size > FILE_BYTES)
      return { kind: 'unusable', why: `it has ${info.size} bytes; at most ${FILE_BYTES} are handled` };
    return { kind: 'file', bytes: await handle.readFile(), mode: info.mode & 0o777 };
  } finally {
    await handle.close();
  }
}

/**
 * Puts a content in place of a file, or makes a new one (`fresh`: there must be none). A reader, also after a crash,
 * sees the old content or the new one, whole (P25): written beside it, flushed, renamed, the folder flushed. Rejects
 * and leaves the old content where any of it fails; there is no second way.
 */
export async function replaceWhole(
  real: string,
  bytes: Uint8Array,
  mode: number,
  fresh: boolean,
): Promise<void> {
  const folder = dirname(real);
  await mkdir(folder, { recursive: true });
  const name = createHash('sha256').update(basename(real)).digest('hex').slice(0, 16);
  const beside = join(folder, `${TEMPORARY}${name}`);
  await unlink(beside).catch(ignoreMissing);
  const handle = await open(
    beside,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    mode,
  );
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode);
    await handle.sync();
    await handle.close();
    if (fresh) {
      await link(beside, real);
      await unlink(beside);
    } else await rename(beside, real);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await unlink(beside).catch(ignoreMissing);
    throw error;
  }
  await flushFolder(folder);
}

/** Names of files that a write was ended in the middle of; the next write of the same file takes the place. */
export const TEMPORARY = '.skillstate-write-';

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
