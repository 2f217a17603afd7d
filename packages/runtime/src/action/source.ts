import type { JsonObject, Skill, Tool } from '../types.ts';

/** Tools from one source (a set of MCP servers, a shell): what they are, what must survive a kill, how to end them. */
export type ToolSource = {
  readonly tools: readonly Tool[];
  readonly facts: JsonObject;
  close(): Promise<void>;
};

/**
 * Opens the tools that a skill declares of one kind; gives no tools where the skill declares none. `known` are the facts
 * that earlier drives of the run journalled; empty at its start.
 */
export type Connector = (
  skill: Skill,
  secrets: Readonly<Record<string, string>>,
  known?: JsonObject,
) => Promise<ToolSource>;

/** The source of a skill that declares nothing of a kind. */
export function noTools(): ToolSource {
  return { tools: [], facts: {}, close: () => Promise.resolve() };
}
