/** The world of the effect tests: a SQLite file of the server's own. What is counted there happened. */
import { DatabaseSync } from 'node:sqlite';

export type Effect = { readonly tool: string; readonly n: number };

export function openWorld(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;');
  db.exec(
    'CREATE TABLE IF NOT EXISTS effects (id INTEGER PRIMARY KEY, tool TEXT NOT NULL, n INTEGER NOT NULL) STRICT',
  );
  db.exec('CREATE TABLE IF NOT EXISTS keys (key TEXT PRIMARY KEY) STRICT');
  return db;
}

/** The effect and its key in one transaction; false where the key was there already. */
export function happen(db: DatabaseSync, { tool, n }: Effect, key: string | null): boolean {
  db.exec('BEGIN IMMEDIATE');
  const fresh =
    key === null || db.prepare('INSERT OR IGNORE INTO keys (key) VALUES (?)').run(key).changes === 1;
  if (fresh) db.prepare('INSERT INTO effects (tool, n) VALUES (?, ?)').run(tool, n);
  db.exec('COMMIT');
  return fresh;
}

export function countOf(db: DatabaseSync, { tool, n }: Effect): number {
  return Number(db.prepare('SELECT count(*) AS n FROM effects WHERE tool = ? AND n = ?').get(tool, n)?.['n']);
}

export function allEffects(file: string): readonly (Effect & { readonly count: number })[] {
  const db = openWorld(file);
  const rows = db.prepare('SELECT tool, n, count(*) AS count FROM effects GROUP BY tool, n').all();
  db.close();
  return rows as unknown as readonly (Effect & { readonly count: number })[];
}
