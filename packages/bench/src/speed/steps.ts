/** Measures the runtime alone, in a process of its own: `steps.js T STATE_BYTES DURABILITY FILE`. Prints one JSON line. */
import { statSync } from 'node:fs';
import { createRuntime, createScriptedModel, defineSkill, openSqliteStore, type Tool } from '@skillstate/runtime';

const [steps = '10', stateBytes = '1000', durability = 'full', file = ':memory:'] = process.argv.slice(2);
const total = Number(steps);

const KEYS = Math.max(1, Math.round((Number(stateBytes) - 40) / 52));
const key = (index: number): string => `entry_${String(index % KEYS).padStart(6, '0')}`;
const value = (index: number): string => `value ${String(index).padStart(10, '0')} of the entry`;

const skill = defineSkill({
  name: 'speed',
  description: 'Writes one entry of a map in every step.',
  instructions: 'Write the next entry and look.',
  state: {
    type: 'object',
    required: ['entries'],
    properties: {
      entries: { type: 'object', additionalProperties: { type: 'string', maxLength: 80 }, 'x-max-bytes': 60_000 },
    },
  },
  initial: { entries: Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [key(index), value(index)])) },
  actions: { functions: ['look'] },
  limits: { steps: null },
});

const look: Tool = {
  name: 'look',
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false },
  outputSchema: null,
  readOnly: true,
  idempotent: true,
  destructive: false,
  timeoutMs: 1000,
  declaration: {},
  run: ({ args }) => Promise.resolve({ status: 'ok', text: `looked at ${String(args['n'])}, as asked` }),
};

const model = createScriptedModel(
  (_prompt, call) => {
    const transition =
      call > total
        ? { state_patch: {}, action: { tool: 'finish', args: {} } }
        : { state_patch: { entries: { [key(call)]: value(call + KEYS) } }, action: { tool: 'look', args: { n: call } } };
    return `I write the next entry.\n\`\`\`json\n${JSON.stringify(transition)}\n\`\`\``;
  },
  { name: 'script:speed' },
);

const store = await openSqliteStore(file, { durability: durability === 'process' ? 'process' : 'full' });
const runtime = createRuntime({ store, model, tools: [look] });
await runtime.start(skill, { run: 'warm', limits: { steps: 5 } });
const before = { cpu: process.cpuUsage(), wall: performance.now(), bytes: statSync(file).size };
const report = await runtime.start(skill, { run: 'speed' });
const cpu = process.cpuUsage(before.cpu);
const wall = performance.now() - before.wall;
const rss = process.memoryUsage.rss();
await store.close();
process.stdout.write(
  JSON.stringify({
    steps: report.steps,
    status: report.status,
    cpuMs: (cpu.user + cpu.system) / 1000 / report.steps,
    wallMs: wall / report.steps,
    rss,
    diskBytes: (statSync(file).size - before.bytes) / report.steps,
  }),
);
