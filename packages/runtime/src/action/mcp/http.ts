import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Sdk } from './sdk.ts';

/** One server over streamable HTTP. */
export type HttpLine = {
  readonly transport: StreamableHTTPClientTransport;
  /** The `Retry-After` of the last answer that had one; forgotten once read. */
  readonly takeRetryAfter: () => string | null;
};

export function openHttp(
  url: string,
  headers: Readonly<Record<string, string>>,
  sdk: Sdk,
  send: (url: string | URL, init?: RequestInit) => Promise<Response>,
): HttpLine {
  let retryAfter: string | null = null;
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: async (input, init) => {
      const response = await send(input, init);
      retryAfter = response.headers.get('retry-after') ?? retryAfter;
      return response;
    },
  });
  const takeRetryAfter = (): string | null => {
    const value = retryAfter;
    retryAfter = null;
    return value;
  };
  return { transport, takeRetryAfter };
}

/** The HTTP status of an error of the client; null where no answer came. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !('data' in error)) return null;
  const { status } = (error.data ?? {}) as { status?: unknown };
  return typeof status === 'number' ? status : null;
}

/** Whether the request cannot have reached the server: there was no connection to send it through. */
export function neverSent(error: unknown): boolean {
  const refused = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && refused.includes(String(at.code))) return true;
    if (at instanceof AggregateError && at.errors.length > 0) return at.errors.every(neverSent);
  }
  return false;
}
