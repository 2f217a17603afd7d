import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { decodeUtf8 } from '../json/wellformed.ts';
import type { Issue, Result } from '../types.ts';
import { failed, skillIssue } from './issue.ts';
import { plainText } from './text.ts';

/** Never follows a link in the last place, never waits for a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Reads a UTF-8 file inside a folder: no `..`, no absolute path, no link in the last place, and the file that was really
 * opened lies below the folder's real path (checked after opening, so a swap in between is noticed). A BOM at the start is
 * dropped and CRLF becomes LF; the text is well-formed.
 *
 * Codes: `skill.missing`, `skill.path`, `skill.size`, `skill.encoding`, `skill.unreadable`.
 */
export async function readInside(
  folder: string,
  relative: string,
  maxBytes: number,
): Promise<Result<string>> {
  const fault = pathFault(relative);
  if (fault !== null) return failed(skillIssue('path', '', `${relative}: ${fault}`));
  const path = join(folder, relative);
  let handle: FileHandle | null = null;
  try {
    handle = await open(path, FLAGS);
    const opened = await handle.stat();
    const issue = await openedFault(folder, path, relative, opened, maxBytes);
    if (issue !== null) return failed(issue);
    return decode(await readUpTo(handle, maxBytes), relative, maxBytes);
  } catch (error) {
    return failed(openIssue(error, relative));
  } finally {
    await handle?.close();
  }
}

/** Why a relative path may not be used, whatever the system; null where it may. */
export function pathFault(relative: string): string | null {
  if (relative === '' || relative.includes('\0')) return 'an empty path or a NUL is not allowed';
  if (/^[/\\]|^[A-Za-z]:|\\/.test(relative)) return 'only relative paths with / are allowed';
  if (relative.split('/').some((part) => part === '..' || part === '.' || part === '')) {
    return 'the path may not lead out of the skill folder';
  }
  return null;
}

async function openedFault(
  folder: string,
  path: string,
  relative: string,
  opened: Stats,
  maxBytes: number,
): Promise<Issue | null> {
  if (!opened.isFile()) return skillIssue('path', '', `${relative} is no regular file`);
  const [root, real] = await Promise.all([realpath(folder), realpath(path)]);
  const there = await stat(real);
  const same = there.dev === opened.dev && there.ino === opened.ino;
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep) || !same) {
    return skillIssue('path', '', `${relative} leads out of the skill folder`);
  }
  return opened.size > maxBytes ? tooLarge(relative, maxBytes) : null;
}

async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(maxBytes + 1);
  let size = 0;
  while (size < buffer.length) {
    const { bytesRead } = await handle.read(buffer, size, buffer.length - size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return buffer.subarray(0, size);
}

function decode(bytes: Uint8Array, relative: string, maxBytes: number): Result<string> {
  if (bytes.length > maxBytes) return failed(tooLarge(relative, maxBytes));
  const { text, lossless } = decodeUtf8(bytes);
  if (!lossless) return failed(skillIssue('encoding', '', `${relative} is not UTF-8 text; save it as UTF-8`));
  return { ok: true, value: plainText(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) };
}

function tooLarge(relative: string, maxBytes: number): Issue {
  return skillIssue('size', '', `${relative} is larger than ${maxBytes} bytes`);
}

function openIssue(error: unknown, relative: string): Issue {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  if (code === 'ENOENT' || code === 'ENOTDIR') return skillIssue('missing', '', `${relative} does not exist`);
  if (code === 'ELOOP' || code === 'EMLINK') {
    return skillIssue(
      'path',
      '',
      `${relative} is a symbolic link; put the file itself into the skill folder`,
    );
  }
  return skillIssue('unreadable', '', `${relative} cannot be read: ${code}`);
}
