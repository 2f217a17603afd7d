import type { ShellLimits } from './types.ts';

const MiB = 1024 * 1024;

export const defaultShellLimits: Readonly<ShellLimits> = {
  timeMs: 60_000,
  headBytes: 64 * 1024,
  tailBytes: 16 * 1024,
  outputBytes: 64 * MiB,
  processes: 256,
  addressBytes: 8192 * MiB,
  memoryBytes: 2048 * MiB,
  fileBytes: 256 * MiB,
  tmpBytes: 64 * MiB,
  workspaceBytes: 1024 * MiB,
  workspaceEntries: 100_000,
};

/** The defaults with the given ones over them. Throws a RangeError on anything but positive whole numbers. */
export function resolveLimits(given: Partial<ShellLimits> = {}): ShellLimits {
  const limits = { ...defaultShellLimits, ...given };
  for (const [name, value] of Object.entries(limits)) {
    const least = name === 'headBytes' || name === 'tailBytes' ? 0 : 1;
    if (!Number.isSafeInteger(value) || value < least) {
      throw new RangeError(`shell limit ${name} must be a whole number of at least ${least}, got ${value}`);
    }
  }
  return limits;
}
