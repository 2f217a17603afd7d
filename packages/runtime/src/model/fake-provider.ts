import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../types.ts';
import { anthropicWire } from './fake-anthropic.ts';
import { createFakeCache, type FakeCache } from './fake-cache.ts';
import { googleWire } from './fake-google.ts';
import { chatWire, responsesWire } from './fake-openai.ts';
import type { Wire, WireAnswer, WireRequest, WireUsage } from './fake-wire.ts';

export type FakeProtocol = 'chat' | 'responses' | 'anthropic' | 'google';

/** How one request is answered. A string is `{text}`: it becomes the tool's arguments where a tool was offered. */
export type FakeReply =
  | string
  | {
      readonly text: string;
      /** Plain text although a tool was offered. */
      readonly prose?: boolean;
      /** Number of tool calls; default 1. */
      readonly calls?: number;
      readonly reasoning?: string;
      readonly finish?: 'stop' | 'length' | 'refusal';
      /** Cut at the cap, but called a normal tool call (P04). */
      readonly mislabel?: boolean;
      /** Drop the connection after this many events. */
      readonly dieAfter?: number;
      /** `dieAfter` ends the response in order, as a proxy does, instead of resetting the connection. */
      readonly quiet?: boolean;
      /** Report no usage. */
      readonly silent?: boolean;
    }
  | {
      readonly status: number;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly hang: true }
  /** Endless output of this many bytes, in one line or in many events. */
  | { readonly flood: number; readonly line?: boolean };

export type FakeRequest = {
  readonly call: number;
  readonly protocol: FakeProtocol;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** The prompt's texts joined by a blank line. */
  readonly prompt: string;
  /** The API key that came, from whichever header. */
  readonly key: string;
  /** Another connection closed it before the answer was complete. */
  closedEarly: boolean;
};

export type FakeOptions = {
  reply(prompt: string, request: FakeRequest): FakeReply | Promise<FakeReply>;
  /** Default: a quarter of the UTF-8 bytes. */
  readonly tokens?: (text: string) => number;
  /** Shortest prefix that is cached, in tokens; default 1024. */
  readonly minCacheTokens?: number;
  /** How many requests are kept; default 1000. */
  readonly keep?: number;
};

export type FakeProvider = {
  readonly port: number;
  /** The base URL that an adapter is given for this protocol. */
  url(protocol: FakeProtocol): string;
  readonly requests: readonly FakeRequest[];
  close(): Promise<void>;
};

type Server = {
  readonly options: FakeOptions;
  readonly tokens: (text: string) => number;
  readonly cache: FakeCache;
  readonly requests: FakeRequest[];
  calls: number;
};

const wires: Readonly<Record<FakeProtocol, Wire>> = {
  chat: chatWire,
  responses: responsesWire,
  anthropic: anthropicWire,
  google: googleWire,
};

const paths: Readonly<Record<FakeProtocol, string>> = {
  chat: '/v1',
  responses: '/v1',
  anthropic: '/v1',
  google: '/v1beta',
};

/**
 * A local server that speaks the providers' protocols over real HTTP, streamed and not, with scripted behaviour. It
 * simulates the prefix cache and reports usage. For tests and benchmarks; it knows no model.
 */
export async function startFakeProvider(options: FakeOptions): Promise<FakeProvider> {
  const tokens = options.tokens ?? ((text: string) => Math.ceil(Buffer.byteLength(text) / 4));
  const cache = createFakeCache(tokens, options.minCacheTokens ?? 1_024);
  const state: Server = { options, tokens, cache, requests: [], calls: 0 };
  const server = createServer((request, response) => {
    handle(state, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (protocol) => `http://127.0.0.1:${port}${paths[protocol]}`,
    requests: state.requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(state: Server, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = incoming.url ?? '/';
  const protocol = protocolOf(path);
  if (!protocol) return sendJson(response, 404, { error: { message: `nothing at ${path}` } });
  const body = JSON.parse(await readText(incoming)) as JsonObject;
  const wire = wires[protocol];
  const asked = wire.read(body, path);
  const request = record(state, incoming, protocol, body, asked);
  response.on('close', () => {
    request.closedEarly = !response.writableFinished;
  });
  const reply = await state.options.reply(request.prompt, request);
  if (typeof reply === 'object' && 'hang' in reply) return;
  if (typeof reply === 'object' && 'flood' in reply) return flood(response, wire, asked, reply);
  if (typeof reply === 'object' && 'status' in reply) {
    const message = reply.message ?? `scripted status ${reply.status}`;
    return sendJson(response, reply.status, wire.error(reply.status, message), reply.headers);
  }
  const full = typeof reply === 'string' ? { text: reply } : reply;
  const answer = shape(state, protocol, asked, full);
  if (!asked.stream) return sendJson(response, 200, wire.body(answer));
  return stream(response, wire.events(answer), full);
}

function protocolOf(path: string): FakeProtocol | null {
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/messages')) return 'anthropic';
  return /:(streamGenerateContent|generateContent)/.test(path) ? 'google' : null;
}

function record(
  state: Server,
  incoming: IncomingMessage,
  protocol: FakeProtocol,
  body: JsonObject,
  asked: WireRequest,
): FakeRequest {
  state.calls += 1;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) headers[name] = String(value);
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['authorization'] ?? '';
  const request: FakeRequest = {
    call: state.calls,
    protocol,
    path: incoming.url ?? '/',
    headers,
    body,
    prompt: asked.parts.map((part) => part.text).join(''),
    key: key.replace(/^Bearer /, ''),
    closedEarly: false,
  };
  state.requests.push(request);
  if (state.requests.length > (state.options.keep ?? 1_000)) state.requests.shift();
  return request;
}

type Spoken = Extract<FakeReply, { text: string }>;

function shape(state: Server, protocol: FakeProtocol, asked: WireRequest, reply: Spoken): WireAnswer {
  const finish = reply.finish ?? 'stop';
  const asTool = asked.tool !== null && !reply.prose && finish !== 'refusal' && reply.text !== '';
  const usage = reply.silent ? null : usageOf(state, protocol, asked, reply);
  return {
    text: reply.text,
    reasoning: reply.reasoning ?? '',
    calls: asTool ? (reply.calls ?? 1) : 0,
    tool: asked.tool ?? '',
    finish,
    mislabel: reply.mislabel ?? false,
    usage,
    model: asked.model,
  };
}

function usageOf(state: Server, protocol: FakeProtocol, asked: WireRequest, reply: Spoken): WireUsage {
  const { tokens } = state;
  const cached = state.cache.ask(
    asked,
    protocol === 'anthropic' || asked.parts.some((part) => part.breakpoint),
  );
  const reasoning = reply.reasoning ? tokens(reply.reasoning) : 0;
  const spoken = tokens(reply.text) + reasoning;
  const output = reply.finish === 'length' ? (asked.cap ?? spoken) : spoken;
  return { ...cached, output, reasoning };
}

/** Writes events one by one; after `dieAfter` of them the connection is cut. */
async function stream(
  response: ServerResponse,
  events: ReturnType<Wire['events']>,
  { dieAfter, quiet }: Spoken,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [index, [name, data]] of events.entries()) {
    if (index === dieAfter) {
      await new Promise((resolve) => response.write(': \n\n', resolve));
      return void (quiet ? response.end() : response.destroy());
    }
    response.write(eventText(name, data));
  }
  response.end();
}

async function flood(
  response: ServerResponse,
  wire: Wire,
  asked: WireRequest,
  { flood: bytes, line }: Extract<FakeReply, { flood: number }>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const base = { reasoning: '', calls: 0, tool: '', mislabel: false, usage: null, model: asked.model };
  const events = wire
    .events({ ...base, text: 'x'.repeat(40), finish: 'stop' })
    .map((each) => eventText(...each));
  const delta = events.findIndex((event) => event.includes('xxxx'));
  response.write(line ? 'data: {"x":"' : events.slice(0, delta).join(''));
  const chunk = line ? 'x'.repeat(16_000) : (events[delta] ?? '').repeat(100);
  let sent = 0;
  while (sent < bytes && !response.destroyed) {
    sent += chunk.length;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

function eventText(name: string | null, data: Json): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === null ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
