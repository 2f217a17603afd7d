import { textMember } from '../json/member.ts';
import type { JsonObject, Observation, ReplyMode, Dialect, Store, StrategyInput } from '../types.ts';
import { promptText } from '../prompt/text.ts';
import { inspectStep } from './inspect.ts';
import { RunError } from './error.ts';
import { noticesFor } from './ask.ts';
import { budgetLeft, showMessage } from './observe.ts';
import { storedView } from './ledger.ts';
import { readState } from './open.ts';
import { storedSkill } from './stored.ts';
import { stateStrategy } from './strategy.ts';

/** How a model of a run was asked; part of what its prompt says. */
type Asked = { readonly mode: ReplyMode; readonly dialect: Dialect };

/** Exactly the bytes that the model got in `step`, rebuilt from the log (for a strategy without history). */
export async function promptAt(store: Store, run: string, step: number): Promise<string> {
  const view = await inspectStep(store, run, step);
  const input: StrategyInput = {
    skill: view.skill,
    tools: view.tools,
    state: view.before,
    observation: view.observation,
    notices: view.notices,
    ...(await askedOf(store, run)),
  };
  return text(input);
}

/** The bytes that the model gets next, from the run as it is stored: the clock aside, nothing in it is made up. */
export async function promptNext(store: Store, run: string, now = Date.now()): Promise<string> {
  const loaded = await store.load(run);
  if (loaded === null) throw missing(run);
  const { head } = loaded;
  const { skill, tools } = await storedSkill(store, head);
  const waiting = (await store.inbox(run, skill.observation.messages + 1)).filter(
    (item) => item.kind === 'message',
  );
  const fresh = head.messages.length === 0 ? waiting.slice(0, skill.observation.messages) : [];
  const shown = fresh.map((item) =>
    showMessage(
      { seq: 0, from: item.from, at: item.at, text: textMember(item.body, 'text'), handle: null },
      skill.observation.messageBytes,
    ),
  );
  const observation: Observation = {
    step: head.step + 1,
    now,
    zone: 'UTC',
    result: head.result,
    messages: [...head.messages, ...shown],
    queued: waiting.length - shown.length,
    budget: budgetLeft(head, skill.limits),
  };
  const state = await readState(store, run, loaded);
  return text({
    skill,
    tools,
    state,
    observation,
    notices: noticesFor(head, skill, storedView(skill, head)),
    ...(await askedOf(store, run)),
  });
}

function missing(run: string): RunError {
  return new RunError({ code: 'run.missing', path: '', hint: `no run ${run}; skillstate runs lists them` });
}

function text(input: StrategyInput): string {
  return stateStrategy.history ? '' : promptText(stateStrategy.render(input));
}

async function askedOf(store: Store, run: string): Promise<Asked> {
  for await (const event of store.events(run, { limit: 1 }))
    if (event.type === 'run.started') return { mode: event.mode, dialect: event.dialect };
  throw missing(run);
}

/** Σ after `step` accepted steps (0: as the run began). */
export async function stateAt(store: Store, run: string, step: number): Promise<JsonObject> {
  if (step > 0) return (await inspectStep(store, run, step)).after;
  const loaded = await store.load(run, 1);
  if (loaded === null) throw missing(run);
  return readState(store, run, loaded, 1);
}
