import type { Intent, Json, Tool, ToolResult } from '../../types.ts';

/** Govern: what to do with an action that is about to run. Anything unsure is `allow`. */
export type LedgerDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'nudge'; readonly source: number; readonly note: string }
  | { readonly kind: 'reuse'; readonly source: number; readonly note: string; readonly result: ToolResult };

/** A deterministic record of work already done (arXiv 2608.00808); makes no model calls. */
export type Ledger = {
  /** Inform: a bounded view for the end of the prompt; '' where there is nothing to say. */
  view(step: number): string;
  decide(intent: Intent, tool: Tool): LedgerDecision;
  /** Called around an execution: what is about to be touched, and what came of it (`seq`: its event). */
  before(intent: Intent, tool: Tool): void;
  after(intent: Intent, tool: Tool, result: ToolResult): void;
  /** What must survive a kill; kept in the run's head. Bounded. */
  facts(): Json;
};
