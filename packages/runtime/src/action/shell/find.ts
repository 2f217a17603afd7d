import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { confinementArgs, infoFd } from './confine.ts';
import { identityFor } from './identity.ts';
import { collect } from './spawn.ts';
import type { SandboxStatus } from './types.ts';

const execute = promisify(execFile);

/**
 * Whether commands can be confined here: bubblewrap is present, new enough, and a trial run with the very options that
 * commands get works. `installLine` is the one command that installs it on this system.
 */
export async function findSandbox(options: { bwrap?: string } = {}): Promise<SandboxStatus> {
  const line = installLine(osRelease());
  const missing = (reason: string): SandboxStatus => ({ available: false, reason, installLine: line });
  if (process.platform !== 'linux') return missing('bubblewrap needs Linux');
  const path = options.bwrap ?? searchPath('bwrap');
  if (path === null || !isExecutable(path)) return missing(`bubblewrap (bwrap) is not installed`);
  if (!isExecutable('/bin/bash')) return missing('/bin/bash is not installed');
  const version = await execute(path, ['--version']).then(
    ({ stdout }) => stdout.trim().split(' ')[1] ?? '',
    none,
  );
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 0 && minor < 8)
    return missing(`bubblewrap ${version || '(unknown)'} is too old: 0.8.0 is needed`);
  const trouble = await trialRun(path);
  if (trouble !== null) return missing(`bubblewrap ${version} cannot make a sandbox here: ${trouble}`);
  return { available: true, path, version, installLine: line };
}

async function trialRun(path: string): Promise<string | null> {
  const args = confinementArgs({
    workspace: '/usr/share',
    mount: '/workspace',
    network: 'none',
    tmp: null,
    identity: null,
    env: {},
    limits: { tmpBytes: 4096 },
  });
  const run = await collect(path, [...args, '--', '/bin/bash', '-c', 'exit 0'], identityFor(null), infoFd);
  if (run.code === 0) return null;
  const said = run.stderr.trim().slice(0, 300);
  return /uid map|user namespace|Permission denied|Operation not permitted/.test(said)
    ? `${said} (unprivileged user namespaces may be switched off: see sysctl kernel.apparmor_restrict_unprivileged_userns, user.max_user_namespaces)`
    : said;
}

/** The install command for an os-release text. */
export function installLine(release: string): string {
  const ids = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(
    ([, value]) => value?.split(' ') ?? [],
  );
  const lines: Record<string, string> = {
    debian: 'sudo apt-get install -y bubblewrap',
    ubuntu: 'sudo apt-get install -y bubblewrap',
    fedora: 'sudo dnf install -y bubblewrap',
    rhel: 'sudo dnf install -y bubblewrap',
    alpine: 'sudo apk add bubblewrap bash',
    arch: 'sudo pacman -S --noconfirm bubblewrap',
    suse: 'sudo zypper install -y bubblewrap',
  };
  const known = ids.map((id) => lines[id]).find((line) => line !== undefined);
  return (
    known ?? 'install bubblewrap 0.8.0 or newer from your system (https://github.com/containers/bubblewrap)'
  );
}

function osRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

function searchPath(name: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  return [...folders, '/usr/bin', '/bin'].map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const none = () => '';
