import { textMember } from '../json/member.ts';
import type {
  Dialect,
  InboxItem,
  JsonObject,
  Observation,
  ReplyMode,
  RunHead,
  Skill,
  Store,
  StrategyInput,
} from '../types.ts';
import { promptText } from '../prompt/text.ts';
import { inspectStep } from './inspect.ts';
import { RunError } from './error.ts';
import { noticesFor } from './ask.ts';
import { budgetLeft, showMessage, showResult } from './observe.ts';
import { INBOX_PAGE } from './orders.ts';
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
    ...(await askedOf(store, run, (view.accepted ?? view.rejected.at(-1))?.seq)),
  };
  return text(input);
}

/**
 * The bytes that the model gets when the run, as it is stored, is resumed at `now`. Only a call that is still in flight is
 * not foreseen: its result is not known.
 */
export async function promptNext(store: Store, run: string, now = Date.now()): Promise<string> {
  const loaded = await store.load(run);
  if (loaded === null) throw missing(run);
  const { head } = loaded;
  const { skill, tools } = await storedSkill(store, head);
  const inbox = await store.inbox(run, INBOX_PAGE);
  const state = await readState(store, run, loaded);
  const notices = noticesFor(head, skill, storedView(skill, head));
  const observation = nextObservation(head, skill, inbox, now);
  return text({ skill, tools, state, observation, notices, ...(await askedOf(store, run)) });
}

function nextObservation(head: RunHead, skill: Skill, inbox: readonly InboxItem[], now: number): Observation {
  const { messages: most, messageBytes, resultBytes } = skill.observation;
  const waiting = inbox.filter((item) => item.kind === 'message');
  const taken = head.messages.length === 0 ? waiting.slice(0, most) : [];
  const due =
    taken.length > 0
      ? 'a message came'
      : head.wakeAt !== null && head.wakeAt <= now
        ? 'the time has come'
        : null;
  const action = head.intent?.action.tool === 'wait' && due !== null ? head.intent.action : null;
  const about = { source: 'wait', trust: 'runtime', status: 'ok', at: now } as const;
  const result =
    action === null
      ? head.result
      : showResult({ text: due ?? '', handle: null }, { ...about, action }, resultBytes);
  const first = head.seq + (action === null ? 2 : 3);
  const shown = taken.map(({ from, at, body }, index) =>
    showMessage({ seq: first + index, from, at, text: textMember(body, 'text'), handle: null }, messageBytes),
  );
  return {
    step: head.step + 1,
    now,
    zone: 'UTC',
    result,
    messages: [...head.messages, ...shown],
    queued: waiting.length - taken.length,
    budget: budgetLeft(head, skill.limits),
  };
}

function missing(run: string): RunError {
  return new RunError({ code: 'run.missing', path: '', hint: `no run ${run}; skillstate runs lists them` });
}

function text(input: StrategyInput): string {
  return stateStrategy.history ? '' : promptText(stateStrategy.render(input));
}

/** By the start of the run, or the last resume before `seq`. */
async function askedOf(store: Store, run: string, seq?: number): Promise<Asked> {
  const query = { types: ['run.started', 'run.resumed'], ...(seq === undefined ? {} : { to: seq }) } as const;
  let asked: Partial<Asked> = {};
  for await (const event of store.events(run, query))
    if (event.type === 'run.started' || event.type === 'run.resumed')
      asked = {
        ...asked,
        ...(event.mode && { mode: event.mode }),
        ...(event.dialect && { dialect: event.dialect }),
      };
  const { mode, dialect } = asked;
  if (mode === undefined || dialect === undefined) throw missing(run);
  return { mode, dialect };
}

/** Σ after `step` accepted steps (0: as the run began). */
export async function stateAt(store: Store, run: string, step: number): Promise<JsonObject> {
  if (step > 0) return (await inspectStep(store, run, step)).after;
  const loaded = await store.load(run, 1);
  if (loaded === null) throw missing(run);
  return readState(store, run, loaded, 1);
}
