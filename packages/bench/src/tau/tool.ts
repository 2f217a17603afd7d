import type { Database } from './database.ts';
import { calculate } from './python/calculate.ts';
import type { PyValue } from './python/value.ts';

export type DomainName = 'retail' | 'airline';

/**
 * A tool of the benchmark. `invoke` gets the arguments in the order of `parameters`; they are the call's own copies.
 * It returns what the original returns (null for Python's None) and throws an error of `pyError` where the original
 * raises. What it wrote before an error stays written.
 */
export interface ToolDefinition {
  readonly name: string;
  /** The Python class, which Python's argument errors name. */
  readonly className: string;
  readonly parameters: readonly string[];
  /** `write` may change the database; `read` shows it; `none` does neither. */
  readonly effect: 'read' | 'write' | 'none';
  readonly invoke: (db: Database, ...args: PyValue[]) => string | null;
}

export const transferTool = 'transfer_to_human_agents';

/** The three tools that both domains have. */
export const sharedTools: readonly ToolDefinition[] = [
  {
    name: 'calculate',
    className: 'Calculate',
    parameters: ['expression'],
    effect: 'none',
    invoke: (_db, expression: PyValue) => calculate(expression),
  },
  { name: 'think', className: 'Think', parameters: ['thought'], effect: 'none', invoke: () => '' },
  {
    name: transferTool,
    className: 'TransferToHumanAgents',
    parameters: ['summary'],
    effect: 'none',
    invoke: () => 'Transfer successful',
  },
];
