import {
  openShell,
  type RunOptions,
  type Shell,
  type ShellCommand,
  type ShellLimits,
  type ShellResult,
} from '@skillstate/runtime';

/** The shell that an episode works in; the runtime's shell is one. */
export interface CtfShell {
  run(command: ShellCommand, options?: RunOptions): Promise<ShellResult>;
  close(): Promise<void>;
}

export interface PortRequest {
  /** Directory on the host to copy in. */
  assets: string;
  /** Where the copy lies inside. */
  mount: string;
  network: boolean;
  limits: Partial<ShellLimits>;
}

export type PortResult =
  | { ok: true; shell: CtfShell }
  | { ok: false; problem: { code: string; hint: string } };

/** Where commands of an episode run: bubblewrap, Docker, or what a test gives. */
export interface SandboxPort {
  readonly name: string;
  open(request: PortRequest): Promise<PortResult>;
}

/** Bubblewrap on this machine. `unsafe` runs without any sandbox, on explicit request only. */
export function bubblewrapPort(options: { unsafe?: boolean } = {}): SandboxPort {
  return {
    name: options.unsafe ? 'none (unsafe)' : 'bubblewrap',
    async open({ assets, mount, network, limits }): Promise<PortResult> {
      const opened = await openShell({
        workspace: assets,
        mode: 'copy',
        mount,
        limits,
        network: network ? 'host' : 'none',
        keepTmp: true,
        ...(options.unsafe ? { unsafe: true } : {}),
      });
      return opened.ok ? { ok: true, shell: opened.shell satisfies Shell } : opened;
    },
  };
}
