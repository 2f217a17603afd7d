import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are not there. Throws what the system says. Not `mkdir` with `recursive`: below
 * /proc, where nothing can be made, Node tries for ever.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at))
    missing.unshift(at);
  if (missing.length === 0) mkdirSync(path, { recursive: true });
  for (const folder of missing) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Another process may have made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(folder).isDirectory()) throw error;
    }
  }
}
