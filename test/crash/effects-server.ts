/**
 * An MCP server with effects: `effects-server.ts WORLD stdio|PORT`. A write takes a while, is made whether or not its client
 * still lives, and is answered a while later.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { KEY_NAME } from './effects-skill.ts';
import { countOf, happen, openWorld } from './effects-world.ts';

const [, , file = '', transport = 'stdio'] = process.argv;
const db = openWorld(file);
const input = fromJsonSchema<{ n: number }>({
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
});
const said = (value: object) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
  structuredContent: { ...value },
});

async function effect(tool: string, n: number, context: ServerContext) {
  const key = context.mcpReq._meta?.[KEY_NAME];
  await pause(n % 3 === 0 ? 60 : 5);
  const fresh = happen(db, { tool, n }, typeof key === 'string' ? key : null);
  await pause(5);
  return said({ tool, n, fresh });
}

function effectsServer(): McpServer {
  const server = new McpServer({ name: 'effects', version: '1.0.0' }, { capabilities: { tools: {} } });
  const readOnly = { annotations: { readOnlyHint: true } };
  server.registerTool('look', { inputSchema: input, ...readOnly }, ({ n }) => said({ n }));
  server.registerTool('find', { inputSchema: input, ...readOnly }, ({ n }) =>
    said({ count: countOf(db, { tool: 'write', n }) }),
  );
  for (const tool of ['store', 'charge', 'write', 'send'])
    server.registerTool(
      tool,
      { inputSchema: input, annotations: { destructiveHint: false } },
      ({ n }, context) => effect(tool, n, context),
    );
  return server;
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  if (request.method !== 'POST') return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function serveHttp(port: number): void {
  const handler = createMcpHandler(effectsServer);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const headers = new Headers(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const init = { method: request.method ?? 'GET', headers, ...(body === undefined ? {} : { body }) };
    const made = await handler.fetch(new Request(`http://localhost${request.url}`, init));
    response.writeHead(made.status, Object.fromEntries(made.headers));
    if (made.body !== null) for await (const chunk of made.body) response.write(chunk);
    response.end();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : port}\n`);
  });
}

if (transport === 'stdio') serveStdio(effectsServer);
else serveHttp(Number(transport));
