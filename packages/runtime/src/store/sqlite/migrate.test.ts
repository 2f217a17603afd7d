import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { noteBody, startSample } from '../sample.ts';
import { connect } from './open.ts';
import { migrate, pragma, prepareFile } from './migrate.ts';
import { MIGRATIONS } from './schema.ts';
import { sqliteStore } from './store.ts';

test('P19: an older file is brought to the newest version with a recorded default, and its runs go on', async () => {
  const conn = await connect(':memory:', {});
  const store = sqliteStore(conn);
  const run = await startSample(store, 'r1', { state: { task: 'x', done: false } });
  const next = [...MIGRATIONS, "ALTER TABLE runs ADD COLUMN label TEXT NOT NULL DEFAULT 'none'"];
  prepareFile(conn.db, 'file', next);
  expect(pragma(conn.db, 'user_version')).toBe(next.length);
  expect(conn.get('SELECT label FROM runs')).toEqual({ label: 'none' });
  await run.append([noteBody('on')]);
  expect((await store.load('r1'))?.snapshot.state).toEqual({ task: 'x', done: false });
  expect(() => prepareFile(conn.db, 'file', MIGRATIONS)).toThrow(/store\.newer/);
  await store.close();
});

test('P19: a migration that fails leaves the file at its old version', () => {
  const db = new DatabaseSync(':memory:');
  migrate(db, 0, MIGRATIONS);
  expect(() => migrate(db, 1, [...MIGRATIONS, 'CREATE TABLE half (a); SELECT nonsense'])).toThrow();
  expect(pragma(db, 'user_version')).toBe(1);
  expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()).toEqual({ n: 0 });
  db.close();
});
