import type { Client } from '@modelcontextprotocol/client';
import { checkJson } from '../../json/check.ts';
import { wellFormed } from '../../json/wellformed.ts';
import type { JsonObject } from '../../types.ts';
import { openLine, type Line, type Place } from './line.ts';
import { reasonOf } from './reason.ts';
import { type Offered, readOffered } from './offered.ts';

/** One connection: from a start of the server to its end. */
export type Link = {
  readonly client: Client;
  offered: ReadonlyMap<string, Offered>;
  /** Why it can be used no more; null while it can. */
  down: string | null;
  /** The server said that its list changed. */
  stale: boolean;
  readonly line: Line;
  relist(): Promise<void>;
  close(): Promise<void>;
};

/** More is a list without end (P58). */
const MOST_PAGES = 500;
const MOST_TOOLS = 10_000;
const GOODBYE_MS = 2000;

/**
 * Starts or reaches the server and reads its whole tool list, each within `startMs`. Both protocol eras: the newer one
 * is asked for first; a server that ends at that question is started once more and spoken to in the older one.
 * Rejects with an error that says what happened and what the server said.
 */
export async function openLink(place: Place): Promise<Link> {
  const first = await tryLink(place, 'auto');
  if ('link' in first) return first.link;
  const { SdkError, SdkErrorCode } = place.sdk;
  const refused = first.error instanceof SdkError && first.error.code === SdkErrorCode.EraNegotiationFailed;
  const second = refused && place.spec.transport === 'stdio' ? await tryLink(place, 'legacy') : first;
  if ('link' in second) return second.link;
  throw new Error(failure(place, second.error, second.trouble), { cause: second.error });
}

type Try = { readonly link: Link } | { readonly error: unknown; readonly trouble: string };

async function tryLink(place: Place, mode: 'auto' | 'legacy'): Promise<Try> {
  const { startMs } = place.spec;
  const line = openLine(place);
  const link = newLink(place, line, mode);
  try {
    await within(
      startMs,
      `no answer within ${startMs} ms`,
      link.client.connect(line.tap.transport, { timeout: startMs }),
    );
    await link.relist();
    return { link };
  } catch (error) {
    await link.close();
    return { error, trouble: line.trouble() };
  }
}

function newLink(place: Place, line: Line, mode: 'auto' | 'legacy'): Link {
  const { sdk, spec, log, redact } = place;
  const probe = { timeoutMs: Math.ceil(spec.startMs / 2) };
  const changed = (): void => {
    link.stale = true;
  };
  const client = new sdk.Client(
    { name: 'skillstate', version: '0.1.0' },
    {
      capabilities: place.host.ask === undefined ? {} : { elicitation: { form: { applyDefaults: true } } },
      versionNegotiation: mode === 'auto' ? { mode, probe } : { mode },
      listMaxPages: MOST_PAGES,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: changed } },
    },
  );
  answerQuestions(place, client);
  const link: Link = {
    client,
    offered: new Map(),
    down: null,
    stale: false,
    line,
    async relist() {
      link.stale = false;
      link.offered = readOffered(await list(client, line, spec.startMs, log), log);
    },
    async close() {
      link.down ??= 'it was closed';
      const leave = line.finish().then(() => client.close());
      await within(GOODBYE_MS, 'no goodbye', leave).catch(() => undefined);
      await line.tap.transport.close().catch(() => undefined);
    },
  };
  client.onerror = (error) => log(redact(error.message).slice(0, 500));
  client.onclose = () => {
    link.down ??= 'its connection ended';
  };
  return link;
}

function answerQuestions({ name, host }: Place, client: Client): void {
  const { ask } = host;
  if (ask === undefined) return;
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode === 'url') return { action: 'decline' };
    const schema = checkJson(params.requestedSchema);
    const asked = {
      server: name,
      message: wellFormed(params.message),
      schema: schema.ok ? (schema.value as JsonObject) : {},
    };
    const answer = await ask(asked);
    return answer.action === 'accept' ? { action: 'accept', content: answer.content as Content } : answer;
  });
}

type Content = Record<string, string | number | boolean | string[]>;

/** The entries of all pages as sent, without those that the client may not use (their header declarations are wrong). */
async function list(
  client: Client,
  line: Line,
  patience: number,
  log: (line: string) => void,
): Promise<unknown[]> {
  line.tap.takeListed();
  const asked = client.listTools(undefined, { timeout: patience, cacheMode: 'refresh' });
  const { tools } = await within(patience, `its tool list did not come within ${patience} ms`, asked);
  const entries = line.tap.takeListed();
  if (entries.length > MOST_TOOLS) throw new Error(`its tool list has more than ${MOST_TOOLS} entries`);
  const usable = new Set(tools.map((tool) => tool.name));
  return entries.filter((entry) => {
    const name = refusedByClient(entry, usable);
    if (name !== null) log(`tool ${name} was left out: its x-mcp-header declarations are not valid`);
    return name === null;
  });
}

function refusedByClient(entry: unknown, usable: ReadonlySet<string>): string | null {
  const { name, inputSchema } = (entry ?? {}) as { name?: unknown; inputSchema?: unknown };
  if (typeof name !== 'string' || usable.has(name)) return null;
  return JSON.stringify(inputSchema ?? null).includes('"x-mcp-header"') ? name : null;
}

function failure(place: Place, error: unknown, trouble: string): string {
  return `MCP server ${place.name} cannot be used: ${reasonOf(error)}${trouble === '' ? '' : `; ${trouble}`}`;
}

/** Rejects after `ms` with `what`; the work goes on unseen. */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(what)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
