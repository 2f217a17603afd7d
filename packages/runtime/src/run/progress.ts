import type { Intent, Notice, RunHead, ToolResult } from '../types.ts';
import { sha256 } from '../json/text.ts';
import type { Session } from './session.ts';

/** How many results without any change of Σ are remembered, at least; a high limit needs more. */
const MEMORY = 64;

/**
 * No-progress detection: the same canonical action with the same result while Σ did not change, in a row or in
 * alternation. At the limit one notice; at twice the limit the run stops (see `stuck`). Any change of Σ or an outside
 * message starts the count again; polling tools are exempt.
 */
export function noticeRepeat(
  session: Session,
  intent: Intent,
  result: ToolResult,
  notices: readonly Notice[],
): Partial<RunHead> {
  const spec = session.toolset.specs.find((tool) => tool.name === intent.action.tool);
  if (spec?.declaration.polling === true) return {};
  const hash = repeatHash(intent, result);
  const limit = session.skill.limits.noProgress;
  const hashes = [...session.head.repeat.hashes, hash].slice(-Math.max(MEMORY, 4 * limit));
  const times = count(hashes, hash);
  if (times < limit) return { repeat: { hashes, warned: session.head.repeat.warned } };
  if (times >= 2 * limit) return { repeat: { hashes, warned: true } };
  if (session.head.repeat.warned) return { repeat: { hashes, warned: true } };
  const text =
    `the same action (${intent.action.tool}) gave the same result ${times} times and the state did not change. ` +
    'Do something else: write what you learned into the state, try another action, or wait';
  return { repeat: { hashes, warned: true }, notices: [...notices, { kind: 'no_progress', text }] };
}

function repeatHash(intent: Intent, result: ToolResult): string {
  const outcome = result.status === 'ok' ? `ok ${result.text}` : result.status;
  return sha256(`${intent.hash} ${outcome}`).slice(0, 16);
}

function count(hashes: readonly string[], hash: string): number {
  return hashes.filter((other) => other === hash).length;
}

/** Whether the run has repeated itself past the warning. */
export function stuck(head: RunHead, limit: number): boolean {
  const last = head.repeat.hashes.at(-1);
  return last !== undefined && count(head.repeat.hashes, last) >= 2 * limit;
}
