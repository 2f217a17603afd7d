import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, cp, lchown, lstat, opendir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Identity } from './identity.ts';
import type { ShellProblem } from './types.ts';

const execute = promisify(execFile);

/** Directories that are never a workspace, themselves or (second list) with all they hold. */
const refused = ['/', '/home', '/root', '/tmp', '/var', '/var/tmp', '/opt', '/srv', '/mnt', '/media'];
const refusedTrees = [
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/proc',
  '/run',
  '/sbin',
  '/sys',
];
const refusedMounts = [...refusedTrees, '/usr', '/tmp', '/var'];

export interface Source {
  path: string;
  owner: Identity;
}

/** The real path and owner of a directory that may be a workspace, or why it may not. */
export async function inspectWorkspace(path: string): Promise<Source | ShellProblem> {
  const real = await realpath(path).catch(() => null);
  const info = real === null ? null : await stat(real).catch(() => null);
  if (real === null || !info?.isDirectory()) {
    return { code: 'workspace_missing', path, hint: 'the workspace must be an existing directory' };
  }
  if (refused.includes(real) || real === home() || isWithin(real, [...refusedTrees, '/usr'])) {
    return {
      code: 'workspace_forbidden',
      path: real,
      hint: 'the root, system directories and home directories are never a workspace; name a directory of its own',
    };
  }
  return { path: real, owner: { uid: info.uid, gid: info.gid } };
}

/** Throws a RangeError for a mount point that would hide the system or is not a plain absolute path. */
export function checkMount(mount: string): void {
  const plain =
    mount.startsWith('/') && mount.length > 1 && !/\/(\.{0,2})(\/|$)/.test(mount) && !mount.includes('\0');
  if (!plain || isWithin(mount, refusedMounts)) {
    throw new RangeError(`shell mount ${mount} must be an absolute path outside the system's directories`);
  }
}

/** Whether the user can reach the directory through all that lie above it (mode bits only, as bwrap will need). */
export async function isReachable(path: string, user: Identity | null): Promise<boolean> {
  if (user === null) return access(path, constants.R_OK | constants.X_OK).then(yes, no);
  for (let at = path; ; at = dirname(at)) {
    const info = await lstat(at);
    const shift = info.uid === user.uid ? 6 : info.gid === user.gid ? 3 : 0;
    if (((info.mode >> shift) & 1) === 0) return false;
    if (at === '/') return true;
  }
}

/** Copies a directory (links as links, modes and times kept, the owner able to write). The target must not exist. */
export async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    errorOnExist: true,
  });
  for await (const { path, isDirectory, mode, isLink } of walk(to)) {
    if (!isLink) await chmod(path, mode | (isDirectory ? 0o700 : 0o600));
  }
}

/** Gives every entry to the user. Files with further names (hard links) may lie elsewhere too and are left alone. */
export async function giveTree(path: string, user: Identity): Promise<void> {
  for await (const entry of walk(path)) {
    if (entry.isDirectory || entry.links === 1) await lchown(entry.path, user.uid, user.gid);
  }
}

/** Removes a tree of any depth and of any modes that its owner could set. Missing is fine. */
export async function removeTree(path: string): Promise<void> {
  await execute('/bin/chmod', ['-R', '--silent', 'u+rwX', '--', path]).catch(() => undefined);
  await execute('/bin/rm', ['-rf', '--', path]).catch(() => undefined);
}

interface Entry {
  path: string;
  isDirectory: boolean;
  isLink: boolean;
  mode: number;
  links: number;
}

async function* walk(root: string): AsyncGenerator<Entry> {
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const info = await lstat(path);
    const isDirectory = info.isDirectory();
    yield { path, isDirectory, isLink: info.isSymbolicLink(), mode: info.mode & 0o7777, links: info.nlink };
    if (!isDirectory) continue;
    for await (const child of await opendir(path)) waiting.push(join(path, child.name));
  }
}

function isWithin(path: string, trees: readonly string[]): boolean {
  return trees.some((tree) => path === tree || path.startsWith(`${tree}/`));
}

/** Null for a user that has none. */
function home(): string | null {
  try {
    return homedir();
  } catch {
    return null;
  }
}

const yes = () => true;
const no = () => false;
