import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import type { ShellLimits } from './types.ts';

/** Descriptor on which bwrap tells the process id of the sandbox's first process. */
export const infoFd = 5;
/** Descriptor from which bwrap reads its options, so that no process list shows them. */
export const optionsFd = 6;
const innerId = '1000';

export interface Confinement {
  workspace: string;
  mount: string;
  network: 'none' | 'host';
  /** A host directory for /tmp; without it a tmpfs. */
  tmp: string | null;
  /** A host directory with `passwd` and `group` for inside; without it none. */
  identity: string | null;
  env: Readonly<Record<string, string>>;
  limits: Pick<ShellLimits, 'tmpBytes'>;
}

/** Public parts of /etc that programs fail without; no host name, no user of the host, no key. */
const etcFiles = [
  'alternatives',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'ssl/openssl.cnf',
  'ssl/certs',
  'pki/tls/certs',
  'pki/tls/openssl.cnf',
];
const etcNetworkFiles = ['resolv.conf', 'hosts', 'services', 'protocols'];

/**
 * Options of bwrap (0.8 or newer) for a namespace that holds the system read-only and the workspace, and nothing else
 * of the host: no other processes, no network unless asked for, no capabilities, no further user namespaces. Every
 * place that can be written is the workspace or has a size.
 */
export function confinementArgs(confinement: Confinement): string[] {
  const { limits, mount, network, tmp, identity } = confinement;
  const etc = network === 'host' ? [...etcFiles, ...etcNetworkFiles] : etcFiles;
  const size = ['--size', String(limits.tmpBytes), '--tmpfs'];
  return [
    ['--unshare-all', '--unshare-user', '--disable-userns', '--uid', innerId, '--gid', innerId],
    network === 'host' ? ['--share-net'] : [],
    ['--cap-drop', 'ALL', '--new-session', '--die-with-parent', '--hostname', 'sandbox', '--clearenv'],
    Object.entries(confinement.env).flatMap(([name, value]) => ['--setenv', name, value]),
    ['--ro-bind', '/usr', '/usr'],
    systemLinks(),
    etc.flatMap((name) => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`]),
    identity === null ? [] : identityBinds(identity),
    tmp === null ? [...size, '/tmp'] : ['--bind', tmp, '/tmp'],
    ['--symlink', '../tmp', '/var/tmp', '--proc', '/proc', '--dev', '/dev'],
    [...size, '/dev/shm', '--remount-ro', '/dev'],
    ['--bind', confinement.workspace, mount, '--remount-ro', '/', '--chdir', mount],
    ['--info-fd', String(infoFd)],
  ].flat();
}

function identityBinds(folder: string): string[] {
  return Object.keys(identityFiles).flatMap((name) => ['--ro-bind', `${folder}/${name}`, `/etc/${name}`]);
}

/** /bin, /lib and their like: links into /usr where the host has it so, read-only binds otherwise. */
function systemLinks(): string[] {
  return ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap((path) => {
    if (!existsSync(path)) return [];
    if (lstatSync(path).isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
    return ['--ro-bind', path, path];
  });
}

/** The whole environment inside. */
export function shellEnv(home: string, added: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LANG: 'C.UTF-8',
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: '/bin/bash',
    TERM: 'dumb',
    TMPDIR: '/tmp',
    ...added,
  };
}

export const identityFiles = {
  passwd: `agent:x:${innerId}:${innerId}::/:/bin/bash\nnobody:x:65534:65534::/:/usr/sbin/nologin\n`,
  group: `agent:x:${innerId}:\nnogroup:x:65534:\n`,
};
