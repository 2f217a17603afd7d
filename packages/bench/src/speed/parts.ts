import { join } from 'node:path';
import type { Kind } from './job.ts';
import { measured, median, tableText } from './measure.ts';
import type { McpTimes } from './mcp.ts';
import type { Steps } from './table.ts';

const STEPS = 500;
const ROUNDS = 5;

/** What a confirmation, the ledger and an MCP call cost: differences of medians, measured in turn. */
export function partsText(folder: string): string {
  const kinds: readonly Kind[] = ['read', 'ledger', 'effect', 'confirmed'];
  const found = new Map<Kind, Steps[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of kinds)
      found
        .get(kind)
        ?.push(measured<Steps>('./steps.js', STEPS, 1000, 'full', join(folder, `${kind}-${round}.db`), kind));
  const of = (kind: Kind, what: 'cpuMs' | 'wallMs' | 'decideUs'): number =>
    median((found.get(kind) ?? []).map((one) => one[what]));
  const row = (name: string, more: Kind, less: Kind): string[] => [
    name,
    (of(more, 'cpuMs') - of(less, 'cpuMs')).toFixed(3),
    (of(more, 'wallMs') - of(less, 'wallMs')).toFixed(3),
  ];
  const mcp = measured<{ bare: McpTimes; ours: McpTimes }>('./mcp.js');
  const rows = [
    ['part', 'CPU ms', 'wall ms'],
    row('an effect over a read (one commit more)', 'effect', 'read'),
    row('a confirmation (a read and one commit more)', 'confirmed', 'effect'),
    row('the ledger (all of it: decision, stored facts, lines in the prompt)', 'ledger', 'read'),
    [
      'the decision of the ledger alone',
      '',
      ((of('ledger', 'decideUs') - of('read', 'decideUs')) / 1000).toFixed(3),
    ],
    ['an MCP call, bare client', mcp.bare.cpuMs.toFixed(3), mcp.bare.wallMs.toFixed(3)],
    ['an MCP call through the runtime', mcp.ours.cpuMs.toFixed(3), mcp.ours.wallMs.toFixed(3)],
  ];
  return `${tableText(rows)}\n`;
}
