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
  expect(() =>
    migrate(db, MIGRATIONS.length, [...MIGRATIONS, 'CREATE TABLE half (a); SELECT nonsense']),
  ).toThrow();
  expect(pragma(db, 'user_version')).toBe(MIGRATIONS.length);
  expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()).toEqual({ n: 0 });
  db.close();
});

test('P19: what was confirmed in a file of version 1 stays confirmed', () => {
  const db = new DatabaseSync(':memory:');
  migrate(db, 0, MIGRATIONS.slice(0, 1));
  const claim = { name: 'saved', subject: 'x', call: 'c1', step: 1, seq: 3, path: null, checked: true };
  const claims = { 'saved "x"': claim, 'saved "y"': { ...claim, subject: 'y' } };
  const head = JSON.stringify({ confirmed: { 'saved "x"': 4 }, facts: { claims } });
  db.prepare(
    "INSERT INTO runs (run, seq, hash, head, head_hash, created_at, updated_at) VALUES ('r', 0, '', ?, '', 0, 0)",
  ).run(head);
  migrate(db, 1, MIGRATIONS);
  const rows = db.prepare('SELECT key, subject FROM subjects ORDER BY key').all();
  expect(rows.map(({ key, subject }) => [key, JSON.parse(String(subject))])).toEqual([
    ['saved "x"', { ...claim, confirmed: 4 }],
    ['saved "y"', { ...claim, subject: 'y', confirmed: null }],
  ]);
  db.close();
});
