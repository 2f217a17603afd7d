import type { Intent, Json, Tool, ToolResult } from '../../types.ts';

/** Govern: what to do with an action that is about to run. `source` is the event of the earlier outcome. Anything unsure is `allow`. */
export type LedgerDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'nudge' | 'reuse'; readonly source: number; readonly note: string };

/** How a call ended: its event, and whether the files it read were the same before and after. */
export type LedgerOutcome = { readonly seq: number; readonly steady: boolean };

/**
 * A deterministic record of work already done (arXiv 2608.00808); makes no model calls, does no I/O. It holds what was seen
 * and when, never the results: those are in the log. `print` is a fingerprint of the files that `files` names, taken by the
 * tool itself before the call; null where it cannot be told.
 */
export type Ledger = {
  /** Inform: a bounded line for the end of the prompt; '' where there is nothing to say. */
  view(): string;
  /** The files whose content decides whether an earlier result still holds. */
  files(intent: Intent, tool: Tool): readonly string[];
  decide(intent: Intent, tool: Tool, print: string | null): LedgerDecision;
  /** Called around an execution. */
  before(intent: Intent, tool: Tool, print: string | null): void;
  after(intent: Intent, tool: Tool, result: ToolResult, outcome: LedgerOutcome): void;
  /** Something may have changed anything. */
  changed(): void;
  /** Time has passed or others were at work: only what can be checked again is kept. */
  lapse(): void;
  /** What must survive a kill; kept in the run's head. Bounded. */
  facts(): Json;
};
