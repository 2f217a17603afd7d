import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createScriptedModel } from '../model/script.ts';
import { openSqliteStore } from '../store/sqlite/store.ts';
import type {
  Action,
  Json,
  JsonObject,
  Model,
  RunEvent,
  Store,
  Tool,
  ToolCall,
  ToolResult,
  ToolSpec,
} from '../types.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import type { RuntimePorts } from './ports.ts';

/** A folder that is gone when the test ends. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A reply in the text form. */
export function reply(patch: Json, action: Json, before = ''): string {
  return `${before}\n\`\`\`json\n${JSON.stringify({ state_patch: patch, action })}\n\`\`\``;
}

export function call(tool: string, args: JsonObject = {}): Action {
  return { tool, args };
}

export const FINISH = call('finish');

/** A model that plays its replies in order, then finishes; `prompts` are what it was shown. */
export function playing(replies: readonly (string | ((prompt: string) => string))[]): {
  model: Model;
  prompts: string[];
} {
  const prompts: string[] = [];
  const model = createScriptedModel(
    (prompt) => {
      const next = replies[prompts.length];
      prompts.push(prompt);
      if (next === undefined) return reply({}, FINISH);
      return typeof next === 'function' ? next(prompt) : next;
    },
    { name: 'script:test' },
  );
  return { model, prompts };
}

/** A function tool. Unsafe to repeat unless told otherwise. */
export function tool(
  name: string,
  run: (call: ToolCall) => Promise<ToolResult> | ToolResult,
  more: Partial<ToolSpec> = {},
): Tool {
  return {
    name,
    description: `${name} of the test`,
    inputSchema: { type: 'object' },
    outputSchema: null,
    readOnly: false,
    idempotent: false,
    destructive: false,
    timeoutMs: 2000,
    declaration: {},
    ...more,
    run: async (asked) => run(asked),
  };
}

export const ok = (text: string): ToolResult => ({ status: 'ok', text });

/** A runtime over a database file of its own. */
export async function world(
  ports: Omit<RuntimePorts, 'store'>,
  file = join(scratch(), 'runs.db'),
): Promise<{ runtime: Runtime; store: Store; file: string }> {
  const store = await openSqliteStore(file);
  onTestFinished(() => store.close());
  return { runtime: createRuntime({ ...ports, store }), store, file };
}

export async function eventsOf(store: Store, run: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of store.events(run)) events.push(event);
  return events;
}

/** The store of a process that dies at its nth commit of this point, before it lands. */
export function dying(store: Store, point: string, nth = 1): Store {
  let seen = 0;
  let dead = false;
  return {
    ...store,
    commit: async (lease, commit) => {
      if (commit.point === point) seen += 1;
      dead ||= commit.point === point && seen === nth;
      if (dead) throw new Error('killed');
      return store.commit(lease, commit);
    },
  };
}
