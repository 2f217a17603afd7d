/** An MCP call over stdio, by the bare client and by the runtime's connector, in turn. Prints one JSON line. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { defineSkill, mcpConnector } from '@skillstate/runtime';
import { median, programPath } from './measure.ts';

/** Of one call, in ms; CPU of this process alone. */
export type McpTimes = { readonly cpuMs: number; readonly wallMs: number };

const CALLS = 200;
const ROUNDS = 9;
const server = {
  command: process.execPath,
  args: [programPath('../../../skillstate/bin/skillstate.js'), 'bench', 'serve'],
};

const client = new Client({ name: 'speed', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StdioClientTransport(server));
const bareCall = (): Promise<unknown> => client.callTool({ name: 'status', arguments: {} });

const skill = defineSkill({
  name: 'speed',
  description: 'Calls a tool of a server.',
  instructions: 'Call it.',
  state: { type: 'object', properties: {} },
  actions: { servers: { world: { transport: 'stdio', args: server.args, command: server.command } } },
});
const source = await mcpConnector({ base: process.cwd() })(skill, {});
const tool = source.tools.find(({ name }) => name === 'status');
if (tool === undefined) throw new Error('the server has no tool status');
const ourCall = (step: number): Promise<unknown> => {
  const { signal } = new AbortController();
  return tool.run({
    args: {},
    key: `key ${step}`,
    run: 'speed',
    step,
    signal,
    deadline: Date.now() + 60_000,
  });
};

const [bare, ours]: [McpTimes[], McpTimes[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  bare.push(await timed(bareCall));
  ours.push(await timed(ourCall));
}
await client.close();
await source.close();
process.stdout.write(JSON.stringify({ bare: middle(bare), ours: middle(ours) }));

async function timed(call: (step: number) => Promise<unknown>): Promise<McpTimes> {
  const cpuBefore = process.cpuUsage();
  const wallBefore = performance.now();
  for (let step = 0; step < CALLS; step++) await call(step);
  const cpu = process.cpuUsage(cpuBefore);
  return { cpuMs: (cpu.user + cpu.system) / 1000 / CALLS, wallMs: (performance.now() - wallBefore) / CALLS };
}

function middle(times: readonly McpTimes[]): McpTimes {
  return {
    cpuMs: median(times.map(({ cpuMs }) => cpuMs)),
    wallMs: median(times.map(({ wallMs }) => wallMs)),
  };
}
