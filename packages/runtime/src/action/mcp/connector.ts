import { createRedactor } from '../../event/redact.ts';
import type { JsonObject, Skill, Tool, ToolDeclaration } from '../../types.ts';
import { isBuiltin } from '../builtin.ts';
import { type Connector, noTools } from '../source.ts';
import type { McpHost } from './host.ts';
import { describeProcess, newMark, type ServerProcess } from './process.ts';
import { loadSdk } from './sdk.ts';
import { openServer, type Server } from './server.ts';

export type McpOptions = {
  /** Directory that a server's relative `cwd` starts from, and its `cwd` where it has none: the skill's folder. */
  readonly base: string;
  /** Gets one line about noise, late answers, restarts, list changes. Nobody by default. */
  readonly log?: (line: string) => void;
} & McpHost;

/** For a tool that declares none; an effect that takes longer has an unknown outcome. */
const TIMEOUT_MS = 60_000;

/**
 * The MCP servers of `skill.actions.servers` as tools, over stdio and streamable HTTP, both protocol eras.
 *
 * - Names: a tool keeps its name; where two servers offer one name, or it is a built-in's, it is `server.tool`.
 * - Times: the declared `timeoutMs` (60 s) bounds a call and then cancels it; `progressMs` ends it earlier when the
 *   server reports no progress for so long. Start and list have `startMs` each.
 * - A server that died is started again before the next call, once; no call is ever sent twice.
 * - Facts: the processes, for `endLeftoverServers`.
 *
 * Rejects where a server cannot be used, a secret is missing or `@modelcontextprotocol/client` is not installed.
 */
export function mcpConnector(options: McpOptions): Connector {
  return async (skill, secrets) => {
    const names = Object.keys(skill.actions.servers).sort();
    if (names.length === 0) return noTools();
    const sdk = await loadSdk();
    const redactor = createRedactor(secrets);
    const mark = newMark();
    const processes: ServerProcess[] = [];
    const redact = (text: string): string => redactor.text(text);
    const place = (name: string) => ({
      name,
      spec: skill.actions.servers[name] as Skill['actions']['servers'][string],
      base: options.base,
      secrets,
      mark,
      sdk,
      host: options,
      log: (line: string) => options.log?.(redact(`MCP server ${name}: ${line}`)),
      redact,
      spawned: (pid: number) => {
        const found = describeProcess(name, pid, mark);
        if (found !== null) processes.push(found);
      },
    });
    const opened = await openAll(names, (name) => openServer(place(name)), redact);
    try {
      const tools = toTools(skill, opened);
      // The list is read at every commit: a process that is started later is journalled with the next one.
      return {
        tools,
        facts: { servers: processes as unknown as JsonObject[] },
        close: () => closeAll(opened),
      };
    } catch (error) {
      await closeAll(opened);
      throw error;
    }
  };
}

type Opened = ReadonlyMap<string, Server>;

/** All or none: where one fails, the others are ended and its error is thrown. */
async function openAll(
  names: readonly string[],
  open: (name: string) => Promise<Server>,
  redact: (text: string) => string,
): Promise<Opened> {
  const results = await Promise.allSettled(names.map(open));
  const opened = new Map<string, Server>();
  const errors: string[] = [];
  results.forEach((result, i) => {
    if (result.status === 'fulfilled') opened.set(names[i] as string, result.value);
    else errors.push(redact(result.reason instanceof Error ? result.reason.message : String(result.reason)));
  });
  if (errors.length === 0) return opened;
  await closeAll(opened);
  throw new Error(errors.join('\n'));
}

async function closeAll(opened: Opened): Promise<void> {
  await Promise.allSettled([...opened.values()].map((server) => server.close()));
}

function toTools(skill: Skill, opened: Opened): Tool[] {
  const all = [...opened].flatMap(([server, { offered }]) =>
    [...offered.keys()].map((tool) => ({ server, tool })),
  );
  const clashes = (tool: string): boolean =>
    isBuiltin(tool) || all.filter((other) => other.tool === tool).length > 1;
  return all.map(({ server, tool }) => {
    const name = clashes(tool) ? `${server}.${tool}` : tool;
    const declared = skill.actions.tools[name] ?? {};
    checkKey(skill, server, name, declared);
    return toTool(opened.get(server) as Server, tool, name, declared);
  });
}

function toTool(server: Server, tool: string, name: string, declared: ToolDeclaration): Tool {
  const { spec } = server.offered.get(tool) as { spec: Omit<Tool, 'declaration' | 'timeoutMs' | 'run'> };
  return {
    ...spec,
    name,
    timeoutMs: TIMEOUT_MS,
    declaration: {},
    run: (call) => server.call(tool, call, declared),
  };
}

/** A key that could not be sent would make a call look safe to repeat. */
function checkKey(skill: Skill, server: string, name: string, declared: ToolDeclaration): void {
  if (declared.key?.in !== 'header' || skill.actions.servers[server]?.transport === 'http') return;
  throw new Error(
    `/actions/tools/${name}/key: server ${server} is no HTTP server and takes no header; use meta or argument`,
  );
}
