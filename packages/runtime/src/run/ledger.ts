import { createLedger } from '../action/ledger/create.ts';
import type { Ledger, LedgerDecision } from '../action/ledger/ledger.ts';
import type { Intent, RunHead, Skill, Tool, ToolResult } from '../types.ts';
import { recordedResult } from './recorded.ts';
import { nextSeq, record, type Session } from './session.ts';
import { REUSED } from './settle.ts';

/**
 * The ledger of a run, from its head; null where the skill has none. What a dead driver may have changed counts as
 * changed, and what cannot be checked again is forgotten.
 */
export function openLedger(skill: Skill, head: RunHead): Ledger | null {
  const ledger = storedLedger(skill, head);
  if (ledger === null) return null;
  ledger.lapse();
  if (head.intent !== null && !head.intent.readOnly) ledger.changed();
  return ledger;
}

/** What the ledger says in the next prompt of a run as it is stored. */
export function storedView(skill: Skill, head: RunHead): string {
  return storedLedger(skill, head)?.view() ?? '';
}

function storedLedger(skill: Skill, head: RunHead): Ledger | null {
  const { command } = skill.actions;
  const commands = command === null ? ['shell'] : ['shell', command];
  return skill.ledger ? createLedger(head.facts['ledger'] ?? null, { commands }) : null;
}

/**
 * Runs a call under the ledger: an earlier result in its place where that is certainly the same (`note` says so), a note
 * on a test that was repeated without a change, or just the call.
 */
export async function governed(
  session: Session,
  intent: Intent,
  tool: Tool,
  run: () => Promise<ToolResult>,
): Promise<{ result: ToolResult; note: string }> {
  const { ledger } = session;
  if (ledger === null) return { result: await run(), note: '' };
  const files = ledger.files(intent, tool);
  const print = await fingerprint(tool, files);
  // A call of unknown outcome may still be changing something.
  const decision: LedgerDecision =
    session.head.unresolved.length > 0 ? { kind: 'allow' } : ledger.decide(intent, tool, print);
  if (decision.kind === 'reuse') {
    const recorded = await recordedResult(session, decision.source);
    if (recorded !== null) {
      note(session, intent, decision);
      const { endedAt: _, ...result } = recorded;
      return { result, note: REUSED };
    }
  }
  if (decision.kind === 'nudge') note(session, intent, decision);
  ledger.before(intent, tool, print);
  const result = await run();
  const steady = files.length === 0 || (print !== null && print === (await fingerprint(tool, files)));
  ledger.after(intent, tool, result, { seq: nextSeq(session), steady });
  if (decision.kind !== 'nudge') return { result, note: '' };
  return { result: { ...result, text: `${result.text}\n[note: ${decision.note}]` }, note: '' };
}

/** The tool says what its files hold now; a tool that cannot is not asked twice. */
async function fingerprint(tool: Tool, files: readonly string[]): Promise<string | null> {
  if (files.length === 0 || tool.fingerprint === undefined) return null;
  return tool.fingerprint(files).catch(() => null);
}

function note(session: Session, intent: Intent, decision: Exclude<LedgerDecision, { kind: 'allow' }>): void {
  const { kind, source, note: why } = decision;
  record(session, {
    type: 'ledger',
    step: intent.step,
    decision: kind,
    action: intent.action,
    source,
    note: why,
  });
}
