/**
 * The client that the official conformance suite drives: the connector as the runtime uses it, on the server whose
 * address is the last argument. What a scenario wants called stands in MCP_CONFORMANCE_CONTEXT, or follows from its name.
 */
import { defineSkill, type JsonObject, mcpConnector, type Tool } from '@skillstate/runtime';
import { type AuthContext, signingIn } from './oauth.ts';

type Call = { readonly name: string; readonly arguments: JsonObject };

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as AuthContext & {
  readonly toolCalls?: readonly Call[];
};

const skill = defineSkill({
  name: 'conformance',
  description: 'Calls what a scenario wants called.',
  instructions: 'Call it.',
  state: { type: 'object', properties: {} },
  actions: { servers: { suite: { transport: 'http', url, headers: {}, startMs: 20_000 } } },
});

const connector = mcpConnector({
  base: process.cwd(),
  fetchFor: () => signingIn(url, context),
  log: (line) => process.stderr.write(`${line}\n`),
  ask: ({ schema }) =>
    Promise.resolve({
      action: 'accept',
      content: 'confirmed' in ((schema['properties'] ?? {}) as object) ? { confirmed: true } : {},
    }),
});
const source = await connector(skill, {});
try {
  for (const call of callsFor(source.tools)) await run(call);
} finally {
  await source.close();
}

function callsFor(tools: readonly Tool[]): readonly Call[] {
  if (context.toolCalls !== undefined) return context.toolCalls;
  if (scenario === 'json-schema-2020-12-preservation') {
    const schema = tools.find(({ name }) => name !== 'json_schema_echo')?.inputSchema ?? {};
    return [{ name: 'json_schema_echo', arguments: { schema } }];
  }
  const args: JsonObject = scenario === 'tools_call' ? { a: 5, b: 3 } : {};
  return tools.map(({ name }) => ({ name, arguments: args }));
}

async function run({ name, arguments: args }: Call): Promise<void> {
  const tool = source.tools.find((found) => found.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const call = {
    args,
    key: 'k',
    run: 'conformance',
    step: 1,
    signal: AbortSignal.timeout(20_000),
    deadline: Date.now() + 20_000,
  };
  const result = await tool.run(call);
  process.stderr.write(`${name}: ${result.status} ${result.text.slice(0, 300)}\n`);
}
