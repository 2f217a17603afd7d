/** Time to resume a run: `resume.js FILE RUN` loads head and state as a new driver does. Prints one JSON line. */
import { openSqliteStore, replayState, type RunEvent } from '@skillstate/runtime';

const [file = '', run = ''] = process.argv.slice(2);
const begin = performance.now();
const store = await openSqliteStore(file);
const opened = performance.now();
const loaded = await store.load(run);
if (loaded === null) throw new Error(`no run ${run} in ${file}`);
const tail: RunEvent[] = [];
for await (const event of store.events(run, { from: loaded.snapshot.seq + 1 })) tail.push(event);
replayState(loaded.snapshot.state, tail);
const done = performance.now();
await store.close();
process.stdout.write(
  JSON.stringify({ openMs: opened - begin, resumeMs: done - opened, events: tail.length }),
);
