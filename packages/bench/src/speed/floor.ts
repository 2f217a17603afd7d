/**
 * The floor: bare `node:sqlite` transactions, as many and as large as those of the measured run: `floor.js N EVENT_BYTES
 * HEAD_BYTES DURABILITY FILE`. Prints one JSON line.
 */
import { DatabaseSync } from 'node:sqlite';

const [commits = '10', eventBytes = '1000', headBytes = '1000', durability = 'full', file = ':memory:'] =
  process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec('PRAGMA journal_mode = WAL');
db.exec(`PRAGMA synchronous = ${durability === 'process' ? 'NORMAL' : 'FULL'}`);
db.exec(
  'CREATE TABLE event (seq INTEGER PRIMARY KEY, body TEXT) STRICT; CREATE TABLE head (id INTEGER PRIMARY KEY, body TEXT) STRICT',
);
const insert = db.prepare('INSERT INTO event (body) VALUES (?)');
const update = db.prepare(
  'INSERT INTO head (id, body) VALUES (1, ?) ON CONFLICT DO UPDATE SET body = excluded.body',
);
const event = 'e'.repeat(Number(eventBytes));
const head = 'h'.repeat(Number(headBytes));
const total = Number(commits);

const cpuBefore = process.cpuUsage();
const wallBefore = performance.now();
for (let index = 0; index < total; index++) {
  db.exec('BEGIN IMMEDIATE');
  insert.run(event);
  update.run(head);
  db.exec('COMMIT');
}
const cpu = process.cpuUsage(cpuBefore);
const wall = performance.now() - wallBefore;
db.close();
process.stdout.write(JSON.stringify({ cpuMs: (cpu.user + cpu.system) / 1000 / total, wallMs: wall / total }));
