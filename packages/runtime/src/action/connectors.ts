import type { JsonObject } from '../types.ts';
import type { FilesOptions } from './files/connector.ts';
import type { McpOptions } from './mcp/connector.ts';
import type { ShellToolOptions } from './shell/tool.ts';
import type {
  OpenResult,
  RunOptions,
  SandboxStatus,
  ShellCommand,
  ShellOptions,
  ShellResult,
} from './shell/types.ts';
import { type Connector, noTools } from './source.ts';

/** The sources of tools as a host passes them in. What a skill does not use is not loaded. */

/** The MCP servers of `skill.actions.servers`; see `mcp/connector.ts`. */
export function mcpConnector(options: McpOptions): Connector {
  return async (skill, ...rest) => {
    if (Object.keys(skill.actions.servers).length === 0) return noTools();
    const { mcpConnector: connector } = await import('./mcp/connector.ts');
    return connector(options)(skill, ...rest);
  };
}

/** File tools inside `skill.actions.files.roots`; see `files/connector.ts`. */
export function filesConnector(options: FilesOptions): Connector {
  return async (skill, ...rest) => {
    if (skill.actions.files === null) return noTools();
    const { filesConnector: connector } = await import('./files/connector.ts');
    return connector(options)(skill, ...rest);
  };
}

/** The tool `shell` for `skill.actions.shell`; see `shell/tool.ts`. */
export function shellConnector(options: ShellToolOptions): Connector {
  return async (skill, ...rest) => {
    if (skill.actions.shell === null) return noTools();
    const { shellConnector: connector } = await import('./shell/tool.ts');
    return connector(options)(skill, ...rest);
  };
}

/** Ends the servers that a dead driver left running, by the facts that it journalled; see `mcp/process.ts`. */
export async function endLeftoverServers(facts: JsonObject): Promise<void> {
  return (await import('./mcp/process.ts')).endLeftoverServers(facts);
}

/** Opens a confined shell; see `shell/shell.ts`. */
export async function openShell(options: ShellOptions): Promise<OpenResult> {
  return (await import('./shell/shell.ts')).openShell(options);
}

/** Opens a shell, runs one command, closes it; see `shell/shell.ts`. */
export async function runInSandbox(
  command: ShellCommand,
  options: ShellOptions & { run?: RunOptions },
): Promise<ShellResult> {
  return (await import('./shell/shell.ts')).runInSandbox(command, options);
}

/** Whether commands can be confined here; see `shell/find.ts`. */
export async function findSandbox(options: { bwrap?: string } = {}): Promise<SandboxStatus> {
  return (await import('./shell/find.ts')).findSandbox(options);
}
