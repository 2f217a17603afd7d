import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { storeConformance } from '../conformance.ts';
import { openSqliteStore } from './store.ts';

describe('a SQLite store does what every store must', () => {
  const cases = storeConformance(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skillstate-store-'));
    const file = join(folder, 'store.db');
    const store = await openSqliteStore(file, { durability: 'process' });
    return {
      store,
      reopen: () => openSqliteStore(file, { durability: 'process' }),
      dispose: async () => {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  });
  for (const { name, run } of cases) test(name, run);
});
