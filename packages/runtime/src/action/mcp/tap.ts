import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * Keeps what servers answer as they sent it. The client checks lists and results strictly: one odd tool would lose the
 * whole list (P57), one new content kind the whole result (P55). So the client gets an empty result of the right form,
 * and the original beside it.
 */
export type Tap = {
  readonly transport: Transport;
  /** The tool entries of all pages since the last time, as sent. */
  takeListed(): unknown[];
};

/** Member of a tool result under which the original is found. */
export const RAW = 'skillstate.raw';

type Wide = Record<string, unknown>;

/** `marks` are members that tell the client what kind of transport it is. */
export function tapTransport(inner: Transport, marks: object = {}): Tap {
  const asked = new Map<string | number, string>();
  let listed: unknown[] = [];
  const seen = (message: JSONRPCMessage): JSONRPCMessage => {
    if (!('result' in message) || message.id === undefined) return message;
    const method = asked.get(message.id);
    asked.delete(message.id);
    if (method === 'tools/call') return { ...message, result: bareCall(message.result) } as JSONRPCMessage;
    if (method !== 'tools/list') return message;
    const { tools } = message.result as { tools?: unknown };
    if (Array.isArray(tools)) listed.push(...(tools as unknown[]));
    return { ...message, result: bareList(message.result) } as JSONRPCMessage;
  };
  const outer: Transport = {
    ...marks,
    start: () => inner.start(),
    close: () => inner.close(),
    send(message, options) {
      if ('method' in message && 'id' in message && message.method.startsWith('tools/'))
        asked.set(message.id, message.method);
      return inner.send(message, options);
    },
    get sessionId() {
      return inner.sessionId;
    },
    get hasPerRequestStream() {
      return inner.hasPerRequestStream === true;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
  };
  inner.onmessage = (message, extra) => outer.onmessage?.(seen(message), extra);
  inner.onclose = () => outer.onclose?.();
  inner.onerror = (error) => outer.onerror?.(error);
  const takeListed = (): unknown[] => {
    const taken = listed;
    listed = [];
    return taken;
  };
  return { transport: outer, takeListed };
}

/** A result without `resultType` is complete (the older protocol has none); one of another type is not for us to hide. */
function bareCall(result: Wide): Wide {
  if (result['resultType'] !== undefined && result['resultType'] !== 'complete') return result;
  return { resultType: 'complete', content: [], [RAW]: result };
}

function bareList(result: Wide): Wide {
  const { tools, ttlMs, cacheScope } = result;
  return {
    resultType: result['resultType'] ?? 'complete',
    ...(result['nextCursor'] === undefined ? {} : { nextCursor: result['nextCursor'] }),
    tools: Array.isArray(tools) ? (tools as unknown[]).filter(isPlainTool).map(bareTool) : [],
    ttlMs: typeof ttlMs === 'number' && ttlMs >= 0 && Number.isInteger(ttlMs) ? ttlMs : 0,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
  };
}

type PlainTool = { readonly name: string; readonly inputSchema: Wide };

/** What the client can hold of a tool entry: enough to send arguments as headers where the schema asks for it. */
function isPlainTool(entry: unknown): entry is PlainTool {
  if (!isObject(entry) || typeof entry['name'] !== 'string' || !isObject(entry['inputSchema'])) return false;
  const { type, properties, required } = entry['inputSchema'];
  const names =
    required === undefined || (Array.isArray(required) && required.every((name) => typeof name === 'string'));
  return type === 'object' && (properties === undefined || isObject(properties)) && names;
}

/** No output schema: results are checked by the runtime, which keeps them where they do not fit. */
function bareTool({ name, inputSchema }: PlainTool): PlainTool {
  return { name, inputSchema };
}

function isObject(value: unknown): value is Wide {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
