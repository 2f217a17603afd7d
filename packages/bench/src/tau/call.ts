import { airlineTools } from './airline/tools.ts';
import type { Database } from './database.ts';
import { bindArguments } from './python/arguments.ts';
import { isPyError, pyError } from './python/raise.ts';
import { copyDict, type PyDict } from './python/value.ts';
import { retailTools } from './retail/tools.ts';
import type { DomainName, ToolDefinition } from './tool.ts';

/** What the agent does: a tool call, or `respond` with `content` to speak to the user. */
export interface TauAction {
  readonly name: string;
  readonly kwargs: PyDict;
}

export const respondAction = 'respond';

/** The tools of a domain, in the order of their names. */
export function toolsOf(domain: DomainName): readonly ToolDefinition[] {
  return domain === 'retail' ? retailTools : airlineTools;
}

export function findTool(domain: DomainName, name: string): ToolDefinition | undefined {
  return toolsOf(domain).find((tool) => tool.name === name);
}

/** The observation of a call. `raises` names the exception where the original's whole step would raise. */
export type CallResult = { observation: string; raises?: undefined } | { observation: null; raises: string };

/**
 * Makes one tool call as the original's `Env.step` does: an unknown name gives `Unknown action NAME`; an exception
 * gives `Error: ` and its text, and what was written before it stays. The arguments are copied first, so that stored
 * lists never belong to the caller.
 */
export function callTool(domain: DomainName, db: Database, action: TauAction): CallResult {
  const tool = findTool(domain, action.name);
  const text = tool ? invoke(domain, tool, db, action.kwargs) : `Unknown action ${action.name}`;
  if (text === null) return { observation: null, raises: 'ValidationError' };
  return { observation: text };
}

function invoke(domain: DomainName, tool: ToolDefinition, db: Database, kwargs: PyDict): string | null {
  const module = `tau_bench.envs.${domain}.tools.${tool.name}`;
  try {
    const values = bindArguments(
      { className: tool.className, module, parameters: tool.parameters },
      copyDict(kwargs),
    );
    return tool.invoke(db, ...values);
  } catch (error) {
    if (isPyError(error)) return `Error: ${error.message}`;
    throw error;
  }
}

/** Whether the observation is a failure text of a tool, of Python or of the environment. */
export function isFailure(observation: string): boolean {
  return observation.startsWith('Error: ') || observation.startsWith('Unknown action ');
}

/** The text a `respond` action says to the user. Throws Python's KeyError where there is none. */
export function contentOf(action: TauAction): string {
  const content = action.kwargs.get('content');
  if (content === undefined) throw pyError('KeyError', "'content'");
  if (typeof content !== 'string') throw pyError('TypeError', 'the content of respond is no text');
  return content;
}
