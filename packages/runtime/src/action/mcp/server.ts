import type { ToolCall, ToolDeclaration, ToolResult } from '../../types.ts';
import { toToolResult } from './content.ts';
import { neverSent, statusOf } from './http.ts';
import type { Place } from './line.ts';
import { type Link, openLink } from './link.ts';
import type { Offered } from './offered.ts';
import { reasonOf } from './reason.ts';
import { UNREADABLE } from './stdio.ts';
import { RAW } from './tap.ts';

/** One declared server over the life of a drive, whatever connections that takes. */
export type Server = {
  /** The tools as found when the drive began; what the run is bound to. */
  readonly offered: ReadonlyMap<string, Offered>;
  /**
   * Calls a tool once. An error that the server reports, and a call that cannot have reached it, are status `error`;
   * where it may have happened (lost connection, unreadable answer, abort) it throws.
   */
  call(tool: string, call: ToolCall, declared: ToolDeclaration): Promise<ToolResult>;
  close(): Promise<void>;
};

/** Longest delay that timers hold; the call's own signal ends it earlier. */
const NO_TIMEOUT = 2_147_483_647;

export async function openServer(place: Place): Promise<Server> {
  let link = await openLink(place);
  let closed = false;
  let restarting: Promise<void> | null = null;
  const { offered } = link;
  const restart = async (): Promise<void> => {
    place.log(`it is started again: ${link.down}`);
    await link.close();
    const next = await openLink(place);
    link = next;
    if (closed) await next.close();
  };
  const ready = async (): Promise<Link> => {
    if (closed) throw new Error('the tools of this run were closed');
    if (link.down !== null) {
      restarting ??= restart().finally(() => {
        restarting = null;
      });
      await restarting;
    } else if (link.stale) await link.relist();
    return link;
  };
  return {
    offered,
    async call(tool, call, declared) {
      const now = await ready().catch((error: unknown) => reasonOf(error));
      if (typeof now === 'string') return { status: 'error', text: `nothing was sent: ${now}` };
      const current = now.offered.get(tool);
      if (current === undefined) {
        place.log(`tool ${tool} is gone`);
        return { status: 'error', text: `nothing was sent: server ${place.name} no longer offers ${tool}` };
      }
      const result = await send(place, now, tool, call, declared);
      if (current.digest === offered.get(tool)?.digest) return result;
      return {
        ...result,
        text: `${result.text}\n[note: the server changed the schema of ${tool} since this run began]`,
      };
    },
    async close() {
      closed = true;
      await link.close();
    },
  };
}

async function send(
  place: Place,
  link: Link,
  tool: string,
  call: ToolCall,
  declared: ToolDeclaration,
): Promise<ToolResult> {
  const { key, progressMs } = declared;
  const idle = patience(progressMs);
  link.line.takeRetryAfter();
  try {
    const meta = key?.in === 'meta' ? { _meta: { [key.name]: call.key } } : {};
    const result = await link.client.callTool(
      { name: tool, arguments: { ...call.args }, ...meta },
      {
        signal: AbortSignal.any([call.signal, idle.signal]),
        timeout: NO_TIMEOUT,
        onprogress: idle.progress,
        ...(key?.in === 'header' ? { headers: { [key.name]: call.key } } : {}),
      },
    );
    return toToolResult((result as Readonly<Record<string, unknown>>)[RAW] ?? result);
  } catch (error) {
    return failed(place, link, error);
  } finally {
    idle.stop();
  }
}

/** Ends a call that reports no progress for `ms`; every report starts the time again (P56). */
function patience(ms: number | undefined): { signal: AbortSignal; progress: () => void; stop: () => void } {
  const gaveUp = new AbortController();
  const expire = (): void => gaveUp.abort(new Error(`no progress for ${ms} ms`));
  const timer = ms === undefined ? undefined : setTimeout(expire, ms);
  return { signal: gaveUp.signal, progress: () => timer?.refresh(), stop: () => clearTimeout(timer) };
}

function failed(place: Place, link: Link, error: unknown): ToolResult {
  const { sdk } = place;
  if (error instanceof sdk.ProtocolError && error.code !== UNREADABLE) {
    const data =
      error.data === undefined ? '' : `\n${place.redact(JSON.stringify(error.data)).slice(0, 4000)}`;
    return { status: 'error', text: `${error.message} (MCP error ${error.code})${data}` };
  }
  if (error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.CapabilityNotSupported)
    return {
      status: 'error',
      text: `server ${place.name} asks for something in return that is not given here: ${error.message}`,
    };
  const status = statusOf(error);
  if (status !== null && status >= 400 && status < 500) {
    if (status === 404) link.down = 'its session ended';
    const wait = link.line.takeRetryAfter();
    return {
      status: 'error',
      text: `refused with HTTP ${status}: ${reasonOf(error)}${wait === null ? '' : `; Retry-After: ${wait}`}`,
    };
  }
  if (neverSent(error)) {
    link.down = 'it cannot be reached';
    return {
      status: 'error',
      text: `nothing was sent: server ${place.name} cannot be reached: ${reasonOf(error)}`,
    };
  }
  if (error instanceof TypeError) link.down ??= 'its connection was lost';
  const trouble = link.line.trouble();
  throw new Error(
    `no answer from server ${place.name}: ${reasonOf(error)}${trouble === '' ? '' : `; ${trouble}`}`,
    { cause: error },
  );
}
