import { isBuiltin } from '../action/builtin.ts';
import { perform } from '../action/perform.ts';
import type { Intent, Tool, ToolResult } from '../types.ts';
import { approved, startApproved } from './approval.ts';
import { builtinTool } from './builtin.ts';
import { confirmEffects } from './confirm.ts';
import { needLease } from './lease.ts';
import { governed } from './ledger.ts';
import type { Session } from './session.ts';
import { outcomeNote, REUSED, settle } from './settle.ts';

/**
 * Runs the journalled intent and settles its outcome: an effect's in a commit of its own (`outcome`), a read's in the
 * next one. Then declared confirmations read the world back.
 */
export async function act(session: Session, committed: Intent): Promise<void> {
  const intent = approved(session.head) ? await startApproved(session, committed) : committed;
  const { tool: name } = intent.action;
  if (!intent.readOnly) await needLease(session);
  const tool = isBuiltin(name) ? builtinTool(session, name) : session.toolset.find(name);
  const started = session.clock.now();
  session.listen({ kind: 'acting', step: intent.step, tool: name });
  const { result, note } = await outcome(session, intent, tool, started);
  if (session.abort.signal.aborted && result.status !== 'ok' && intent.readOnly) return;
  await settle(session, intent, result, { durationMs: session.clock.now() - started, note, late: false });
  if (intent.readOnly || note === REUSED) return;
  await settleTwins(session, intent, result);
  await confirmEffects(session, intent, result);
}

async function outcome(
  session: Session,
  intent: Intent,
  tool: Tool | undefined,
  started: number,
): Promise<{ result: ToolResult; note: string }> {
  if (tool === undefined)
    return {
      result: { status: 'error', text: `${intent.action.tool} is not available now; nothing was run` },
      note: '',
    };
  if (!intent.readOnly && session.head.facts['live'] === false)
    return {
      result: { status: 'error', text: 'not run: this fork runs no effects (start it with --live)' },
      note: 'fork',
    };
  const patient = { ...intent, deadline: Math.max(intent.deadline, started + tool.timeoutMs) };
  return governed(session, intent, tool, () =>
    perform(tool, patient, session.head.run, session.abort.signal, () => session.clock.now()),
  );
}

/** A repeat that was safe and succeeded says that its earlier twins of unknown outcome have their effect now. */
async function settleTwins(session: Session, intent: Intent, result: ToolResult): Promise<void> {
  if (result.status !== 'ok' || !intent.repeatable) return;
  const twins = session.head.unresolved.filter(({ key, hash }) => key === intent.key || hash === intent.hash);
  for (const twin of twins) {
    const text = `its effect is there: ${intent.call} repeated it safely`;
    await settle(session, twin, { status: 'ok', text }, outcomeNote(`repeated by ${intent.call}`, true));
  }
}
