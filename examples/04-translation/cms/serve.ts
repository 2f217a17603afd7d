/**
 * `node cms/serve.ts --db FILE [--seed N] [--port N] [--ttl MS] [--busy 12,31] [--faults all|none|cache,publish-default,…]`:
 * the CMS as a process of its own. Prints its address when it listens.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createReadCache } from './cache.ts';
import { logCall, openCms } from './database.ts';
import { cmsServer } from './server.ts';

const { values } = parseArgs({
  options: {
    db: { type: 'string' },
    seed: { type: 'string', default: '1' },
    port: { type: 'string', default: '0' },
    ttl: { type: 'string', default: '1000' },
    busy: { type: 'string', default: '' },
    faults: { type: 'string', default: 'all' },
  },
});
if (values.db === undefined) throw new Error('--db FILE is needed');

const named = values.faults.split(',');
const has = (fault: string): boolean => named.includes('all') || named.includes(fault);
const faults = {
  cache: has('cache'),
  deleteEnvelope: has('delete-envelope'),
  publishDefault: has('publish-default'),
  wrongVerifiers: has('wrong-verifiers'),
};
const db = openCms(values.db, Number(values.seed));
const cache = createReadCache(Number(values.ttl));
const handler = createMcpHandler(() => cmsServer(db, cache, faults));

/** Which tool calls, counted from 1, find the CMS busy: 429 with Retry-After. */
const busy = new Set(has('busy') ? values.busy.split(',').filter(Boolean).map(Number) : []);
let calls = 0;

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  if (request.method !== 'POST') return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request);
  if (body?.includes('"tools/call"') === true && busy.has(++calls)) {
    logCall(db, { tool: 'any', kind: 'busy', outcome: 'busy', stale: false });
    response.writeHead(429, { 'retry-after': '1' }).end('too many requests');
    return;
  }
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const init = { method: request.method ?? 'GET', headers, ...(body === undefined ? {} : { body }) };
  const made = await handler.fetch(new Request(`http://localhost${request.url}`, init));
  response.writeHead(made.status, Object.fromEntries(made.headers));
  if (made.body !== null) for await (const chunk of made.body) response.write(chunk);
  response.end();
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    response.destroy();
  });
});
server.listen(Number(values.port), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : values.port;
  process.stdout.write(`http://127.0.0.1:${port}/mcp\n`);
});
process.on('SIGTERM', () => process.exit(0));
