/** The CMS as a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type CmsOptions = {
  readonly db: string;
  readonly seed: number;
  readonly ttlMs: number;
  readonly busy: readonly number[];
};
export type CmsProcess = { readonly url: string; stop(): Promise<void> };

const SERVE = join(import.meta.dirname, '../cms/serve.ts');

export async function startCms({ db, seed, ttlMs, busy }: CmsOptions): Promise<CmsProcess> {
  const args = [SERVE, '--db', db, '--seed', String(seed), '--ttl', String(ttlMs), '--busy', busy.join(',')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const url = await Promise.race([
    once(child.stdout, 'data').then(([data]) => String(data).trim()),
    ended.then(() => Promise.reject(new Error('the CMS ended before it listened'))),
  ]);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
