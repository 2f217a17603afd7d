/** `PRAGMA application_id` of our files: 'SKST'. */
export const APPLICATION_ID = 0x534b5354;

/** Position i brings a file from version i to i + 1 (`PRAGMA user_version`). Only ever append to this list. */
export const MIGRATIONS: readonly string[] = [version1(), version2()];

/** Event and snapshot ids: the run's key times 2^32 plus the seq, so that a run's rows lie together, in order. */
export const SEQ_SPAN = 2 ** 32;

function version1(): string {
  return `
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,  -- the run's key; never reused
  run TEXT NOT NULL UNIQUE,
  seq INTEGER NOT NULL,                  -- of the newest event
  hash TEXT NOT NULL,
  head TEXT NOT NULL,                    -- RunHead, JSON
  head_hash TEXT NOT NULL,               -- SHA-256 of head
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  token INTEGER NOT NULL DEFAULT 0,      -- fencing token: of the last lease given
  driver TEXT,                           -- Driver, JSON; null: nobody drives
  expires_at INTEGER,
  indexed INTEGER NOT NULL DEFAULT 0     -- events up to this seq are in search
) STRICT;
CREATE TABLE events (
  id INTEGER PRIMARY KEY,                -- runs.id * 2^32 + seq
  v INTEGER NOT NULL,
  at INTEGER NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL                     -- the hashed JSON text
) STRICT;
CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY,                -- runs.id * 2^32 + seq
  n INTEGER NOT NULL,                    -- 0, 1, 2 … within the run
  hash TEXT NOT NULL,                    -- SHA-256 of state
  state TEXT NOT NULL
) STRICT;
CREATE TABLE payloads (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,
  data BLOB NOT NULL
) STRICT;
CREATE TABLE run_payloads (
  run INTEGER NOT NULL,
  handle TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  mime TEXT NOT NULL,
  payload INTEGER,                       -- payloads.id; null: pruned
  PRIMARY KEY (run, handle)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_payloads_payload ON run_payloads (payload);
CREATE TABLE documents (
  digest TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL,                    -- SHA-256 of document
  document TEXT NOT NULL
) STRICT;
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  sender TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX inbox_run ON inbox (run);
CREATE VIRTUAL TABLE search USING fts5 (text, tokenize = 'trigram', content = '', contentless_delete = 1);
CREATE VIEW log AS
  SELECT r.run, e.id % 4294967296 AS seq,
    strftime('%Y-%m-%dT%H:%M:%f', e.at / 1000.0, 'unixepoch') || '+00:00' AS time,
    e.body ->> '$.type' AS type, coalesce(e.body ->> '$.action.tool', e.body ->> '$.tool') AS tool, e.body
  FROM runs r JOIN events e ON e.id BETWEEN r.id * 4294967296 AND r.id * 4294967296 + 4294967295;
`;
}

/** Confirmations move out of the head, which was written whole by every commit. */
function version2(): string {
  return `
CREATE TABLE subjects (
  run INTEGER NOT NULL,
  key TEXT NOT NULL,                     -- name and canonical subject
  hash TEXT,                             -- SHA-256 of subject; null: brought over from version 1
  subject TEXT NOT NULL,                 -- Subject, JSON
  PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;
INSERT INTO subjects (run, key, subject)
  SELECT r.id, c.key, json_set(c.value, '$.confirmed', f.value)
  FROM runs r JOIN json_each(r.head, '$.facts.claims') c
  LEFT JOIN json_each(r.head, '$.confirmed') f ON f.key = c.key;
`;
}
