import type { InboxItem, RunHead } from '../types.ts';
import { accept } from './accept.ts';
import { act } from './act.ts';
import { ask, keepCost } from './ask.ts';
import { recheckClaims } from './confirm.ts';
import { judge, waitsForReading } from './judge.ts';
import { exhausted } from './limits.ts';
import { observe } from './observe.ts';
import { takeOrders } from './orders.ts';
import { reject } from './reject.ts';
import type { Session } from './session.ts';
import { stop } from './stop.ts';
import { awaitWaking } from './wait.ts';

/**
 * The loop (paper, Algorithm 1). One turn: receive O_t, ask the model with (P, Σ_t, O_t) for (R_t, ΔΣ_t, a_t),
 * validate ΔΣ_t, commit Σ_{t+1} = Σ_t ⊕ ΔΣ_t together with the intent to act, run a_t; its result is O_{t+1}.
 * R_t is in the log and in no later prompt. A rejected reply changes nothing but its own count.
 *
 * Returns when the run is no longer `running`, or this driver was told to let go of it. A kill between any two lines leaves the last commit, and a new driver
 * goes on from there: an intent without an outcome is the only thing it has to settle first (`recover`).
 */
export async function drive(session: Session): Promise<RunHead> {
  while (true) {
    const waiting = await takeOrders(session);
    if (session.head.status === 'waiting' && (await awaitWaking(session, waiting))) continue;
    if (session.head.status !== 'running' || session.abort.signal.aborted) return session.head;
    if (session.head.intent !== null) await act(session, session.head.intent);
    else await turn(session, waiting);
  }
}

async function turn(session: Session, waiting: readonly InboxItem[]): Promise<void> {
  const limit = exhausted(session);
  if (limit !== null) return stop(session, 'needs_attention', limit);

  const observation = observe(session, waiting);
  const { input, reply, prompt } = await ask(session, observation);
  if (session.abort.signal.aborted) return keepCost(session, observation.step, reply, prompt.usage);
  if (!reply.ok) return stop(session, reply.temporary ? 'waiting' : 'needs_attention', reply.issue);

  let verdict = judge(session, reply, input);
  if (waitsForReading(session, verdict) && (await recheckClaims(session, 'all')))
    verdict = judge(session, reply, input);
  if (!verdict.ok) return reject(session, input, { reply, prompt }, verdict.issues);

  await accept(session, input, { reply, prompt }, verdict.value);
  if (session.head.status === 'running' && session.head.intent !== null)
    await act(session, session.head.intent);
}
