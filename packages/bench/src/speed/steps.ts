/**
 * Measures the runtime alone, in a process of its own: `steps.js T STATE_BYTES DURABILITY FILE [KIND]`. A run of
 * WARM_STEPS goes before, so that the measured one shows steady work and not the compilation of code. Prints one JSON line.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import {
  createRuntime,
  openSqliteStore,
  type Progress,
  type RunReport,
  type ToolCall,
} from '@skillstate/runtime';
import { createJob, type Kind } from './job.ts';
import { median } from './measure.ts';

const WARM_STEPS = 1000;

const [steps = '10', stateBytes = '1000', durability = 'full', file = ':memory:', kind = 'read'] =
  process.argv.slice(2);
const total = Number(steps);
const job = createJob(kind as Kind, Number(stateBytes));
const store = await openSqliteStore(file, { durability: durability === 'process' ? 'process' : 'full' });
/** From the decision to act to the tool's own start, in µs: what stands between them is the ledger. */
const waits: number[] = [];
let acting = 0;
const tools = job.tools.map((tool) => ({
  ...tool,
  run: (call: ToolCall) => {
    waits.push((performance.now() - acting) * 1000);
    return tool.run(call);
  },
}));
const listen = ({ kind: what }: Progress): void => {
  if (what === 'acting') acting = performance.now();
};
const drive = (run: string, count: number): Promise<RunReport> =>
  createRuntime({ store, model: job.model(count), tools, listen }).start(job.skill, { run });

await drive('warm', WARM_STEPS);
waits.length = 0;
const before = { cpu: process.cpuUsage(), wall: performance.now(), bytes: statSync(file).size };
const report = await drive('speed', total);
const cpu = process.cpuUsage(before.cpu);
const wall = performance.now() - before.wall;
const rss = process.memoryUsage.rss();
globalThis.gc?.();
const { heapUsed } = process.memoryUsage();
await store.close();
if (report.status !== 'finished') throw new Error(`the run ended as ${report.status}: ${report.reason}`);
process.stdout.write(
  JSON.stringify({
    steps: report.steps,
    cpuMs: (cpu.user + cpu.system) / 1000 / report.steps,
    wallMs: wall / report.steps,
    rss,
    heapUsed,
    decideUs: median(waits),
    diskBytes: (statSync(file).size - before.bytes) / report.steps,
    ...stored(report.steps),
  }),
);

/** What a step stored, for a floor of the same bytes: of its events, and of the head that every commit rewrites. */
function stored(steps: number): { eventBytes: number; headBytes: number } {
  const db = new DatabaseSync(file, { readOnly: true });
  const events = db
    .prepare(
      'SELECT sum(octet_length(e.body)) AS bytes FROM events e JOIN runs r ON r.id = e.id >> 32 WHERE r.run = ?',
    )
    .get('speed');
  const head = db.prepare('SELECT octet_length(head) AS bytes FROM runs WHERE run = ?').get('speed');
  db.close();
  return {
    eventBytes: Math.round(Number(events?.['bytes']) / steps),
    headBytes: Number(head?.['bytes']),
  };
}
