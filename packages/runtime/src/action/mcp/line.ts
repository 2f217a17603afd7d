import { resolve } from 'node:path';
import type { McpServerSpec } from '../../types.ts';
import type { McpHost } from './host.ts';
import { openHttp } from './http.ts';
import { markEnv } from './process.ts';
import type { Sdk } from './sdk.ts';
import { fillSecrets } from './secret.ts';
import { openStdio } from './stdio.ts';
import { type Tap, tapTransport } from './tap.ts';

/** What every connection to one server needs. */
export type Place = {
  readonly name: string;
  readonly spec: McpServerSpec;
  readonly base: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly mark: string;
  readonly sdk: Sdk;
  readonly host: McpHost;
  /** One line about something out of the ordinary; secrets are already replaced. */
  readonly log: (line: string) => void;
  /** Replaces secrets; what a server said is given to it before it is cut, for half a secret is not found. */
  readonly redact: (text: string) => string;
  /** Told of each process as soon as it runs. */
  readonly spawned: (pid: number) => void;
};

/** The way to a server, before the protocol. */
export type Line = {
  readonly tap: Tap;
  /** What the server said outside the protocol; '' where nothing. */
  readonly trouble: () => string;
  /** The last `Retry-After`, forgotten once read. */
  readonly takeRetryAfter: () => string | null;
  /** Says goodbye where the protocol has a word for it. */
  readonly finish: () => Promise<void>;
};

export function openLine(place: Place): Line {
  const { spec, sdk, secrets } = place;
  const where = `/actions/servers/${place.name}`;
  if (spec.transport === 'http') {
    const headers = fillSecrets(spec.headers, secrets, `${where}/headers`);
    const send = place.host.fetchFor?.(place.name) ?? fetch;
    const { transport, takeRetryAfter } = openHttp(spec.url, headers, sdk, send);
    const finish = (): Promise<void> => transport.terminateSession().catch(() => undefined);
    return { tap: tapTransport(transport), trouble: () => '', takeRetryAfter, finish };
  }
  const env = { ...plainEnv(), ...fillSecrets(spec.env, secrets, `${where}/env`), ...markEnv(place.mark) };
  const command = { command: spec.command, args: spec.args, env, cwd: resolve(place.base, spec.cwd ?? '.') };
  const { transport, trouble } = openStdio(command, sdk, place);
  // The client takes a transport with these two members for a process and not for HTTP.
  const tap = tapTransport(transport, { pid: null, stderr: null });
  return { tap, trouble, takeRetryAfter: () => null, finish: () => Promise.resolve() };
}

/** What a program needs to run at all; nothing else of this process's environment reaches a server. */
function plainEnv(): Record<string, string> {
  const names = [
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'SHELL',
    'TERM',
    'LANG',
    'TMPDIR',
    'TEMP',
    'SYSTEMROOT',
    'APPDATA',
    'USERPROFILE',
  ];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
