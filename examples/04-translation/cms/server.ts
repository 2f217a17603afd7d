/** The CMS as an MCP server: checks arguments, caches reads, logs every call, and has the faults it is known for. */
import type { DatabaseSync } from 'node:sqlite';
import {
  type CallToolResult,
  fromJsonSchema,
  type ListToolsResult,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { ReadCache } from './cache.ts';
import { logCall } from './database.ts';
import { OTHER_TOOLS } from './inventory.ts';
import { type Args, type CmsTool, type Faults, Refusal, TRANSLATION_TOOLS } from './tools.ts';

/** Where a caller may put an idempotency key in `_meta`. */
export const KEY_NAME = 'cms.example/idempotency-key';

export const ALL_TOOLS: readonly CmsTool[] = [...TRANSLATION_TOOLS, ...OTHER_TOOLS];

/** The SDK's word for what `properties` holds: JSON, not frozen. */
type Properties = NonNullable<ListToolsResult['tools'][number]['inputSchema']['properties']>;
type Validator = ReturnType<typeof fromJsonSchema>;
const VALIDATORS = new Map<string, Validator>();

function schemaOf({ properties, required }: CmsTool) {
  return {
    type: 'object' as const,
    properties: structuredClone(properties) as Properties,
    required: [...required],
    additionalProperties: false,
  };
}

function validatorOf(tool: CmsTool): Validator {
  const known =
    VALIDATORS.get(tool.name) ?? fromJsonSchema(schemaOf(tool) as Parameters<typeof fromJsonSchema>[0]);
  VALIDATORS.set(tool.name, known);
  return known;
}

export function cmsServer(db: DatabaseSync, cache: ReadCache, faults: Faults): Server {
  const server = new Server({ name: 'cms', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({
    tools: ALL_TOOLS.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: schemaOf(tool),
      annotations: {
        readOnlyHint: isRead(tool),
        destructiveHint: tool.kind === 'delete',
        idempotentHint: isRead(tool) || tool.kind === 'write',
      },
    })),
  }));
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = ALL_TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) return failed(`no tool ${params.name}`);
    return call(db, cache, faults, tool, params.arguments ?? {}, context);
  });
  return server;
}

function isRead({ kind }: CmsTool): boolean {
  return kind === 'read' || kind === 'list';
}

async function call(
  db: DatabaseSync,
  cache: ReadCache,
  faults: Faults,
  tool: CmsTool,
  args: Args,
  context: ServerContext,
): Promise<CallToolResult> {
  const { name, kind } = tool;
  const checked = await validatorOf(tool)['~standard'].validate(args);
  if (checked.issues !== undefined) {
    logCall(db, { tool: name, kind, outcome: 'refused', stale: false });
    return failed(`Invalid arguments for tool ${name}`);
  }
  const caller = context.http?.req?.headers.get('authorization') ?? 'anyone';
  try {
    if (isRead(tool)) return read(db, cache, faults, tool, args, caller);
    const key = context.mcpReq._meta?.[KEY_NAME];
    const result = write(db, tool, args, faults, typeof key === 'string' ? key : null);
    cache.wrote(caller);
    return result;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    logCall(db, { tool: name, kind, outcome: 'error', stale: false });
    return failed(error.message);
  }
}

function read(
  db: DatabaseSync,
  cache: ReadCache,
  faults: Faults,
  tool: CmsTool,
  args: Args,
  caller: string,
): CallToolResult {
  const load = (): object => tool.run(db, args, faults);
  const key = `${tool.name} ${JSON.stringify(args)}`;
  const { value, ageMs, stale } = faults.cache
    ? cache.read(caller, key, tool.kind === 'list', load)
    : { value: load(), ageMs: 0, stale: false };
  logCall(db, { tool: tool.name, kind: tool.kind, outcome: 'ok', stale });
  return answered({ ...value, cache_age_ms: ageMs });
}

/** One transaction: the effect, the key under which it is known, and the call's log. */
function write(
  db: DatabaseSync,
  tool: CmsTool,
  args: Args,
  faults: Faults,
  key: string | null,
): CallToolResult {
  const known = key === null ? undefined : db.prepare('SELECT result FROM keys WHERE key = ?').get(key);
  if (known !== undefined) {
    logCall(db, { tool: tool.name, kind: 'repeat', outcome: 'ok', stale: false });
    return answered(JSON.parse(String(known['result'])) as object);
  }
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = { ...tool.run(db, args, faults), ...policy(faults) };
    if (key !== null)
      db.prepare('INSERT INTO keys (key, result) VALUES (?, ?)').run(key, JSON.stringify(result));
    logCall(db, { tool: tool.name, kind: tool.kind, outcome: 'ok', stale: false });
    db.exec('COMMIT');
    return answered(result);
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

/** The envelope says that a write must be verified, and names the first read tools in alphabetical order. */
function policy(faults: Faults): object {
  if (!faults.wrongVerifiers) return { _mcp_policy: { verification_required: true } };
  const readers = ALL_TOOLS.filter(({ kind }) => kind === 'read').map(({ name }) => name);
  return {
    _mcp_policy: {
      verification_required: true,
      verification_tools: readers.sort().slice(0, 3),
      plan: { verify: 'cms_list_cms_sections' },
    },
  };
}

function answered(value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: { ...value } };
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
