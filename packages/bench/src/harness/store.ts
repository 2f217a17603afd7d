import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type Store } from '@skillstate/runtime';

/** Longer episodes are kept in a file, so that their log takes no memory. */
const MOST_IN_MEMORY = 500;

/** A store for one episode, gone when it is closed. A killed bench runs its episodes again, so no commit needs the disk. */
export async function openEpisodeStore(horizon: number): Promise<Store> {
  if (horizon <= MOST_IN_MEMORY) return openSqliteStore(':memory:', { durability: 'process' });
  const folder = await mkdtemp(join(tmpdir(), 'skillstate-bench-'));
  const store = await openSqliteStore(join(folder, 'run.db'), { durability: 'process' });
  return {
    ...store,
    async close() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
