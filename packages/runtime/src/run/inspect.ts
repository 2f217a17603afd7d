import type {
  Action,
  ActionResult,
  EventBody,
  EventText,
  JsonObject,
  Message,
  Notice,
  Observation,
  ObservationRef,
  RunEvent,
  Skill,
  Store,
  ToolSpec,
} from '../types.ts';
import { RunError } from './error.ts';
import { showMessage, showResult } from './observe.ts';
import { readState } from './open.ts';
import { storedSkill } from './stored.ts';

type EventOf<T extends EventBody['type']> = RunEvent & { readonly type: T };

/** Everything about one step, rebuilt from the log alone: what the model saw, said, and what became of it. */
export type StepView = {
  readonly skill: Skill;
  readonly tools: readonly ToolSpec[];
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly observation: Observation;
  readonly notices: readonly Notice[];
  readonly accepted: EventOf<'step.accepted'> | null;
  readonly rejected: readonly EventOf<'step.rejected'>[];
  readonly outcome: EventOf<'action.finished'> | null;
  /** Confirmations, approvals and ledger decisions of the step, in order. */
  readonly others: readonly RunEvent[];
};

/** The whole text of an event: inline, or its payload; a pruned one says so. */
export async function readText(store: Store, run: string, text: EventText): Promise<string> {
  if (typeof text === 'string') return text;
  const payload = await store.payload(run, text.handle);
  if (payload === null || payload === 'pruned') return `[${text.bytes} bytes, pruned]`;
  return new TextDecoder().decode(payload.bytes);
}

/** The view of step `step` (1 is the first). Throws RunError where the run has no such step. */
export async function inspectStep(store: Store, run: string, step: number): Promise<StepView> {
  const found = await eventsOfStep(store, run, step);
  const anchor = found.accepted ?? found.rejected.at(-1);
  if (anchor === undefined) throw new RunError(noStep(run, step));
  const loaded = await store.load(run, anchor.seq - 1);
  if (loaded === null) throw new RunError({ code: 'run.missing', path: '', hint: `no run ${run}` });
  const bound = await boundSkill(store, run, anchor.seq, loaded.head);
  const { skill, tools } = await storedSkill(store, { ...loaded.head, ...bound });
  const before = await readState(store, run, loaded, anchor.seq - 1);
  const last = found.outcome?.seq ?? anchor.seq;
  const end = await store.load(run, last);
  const after = end === null ? before : await readState(store, run, end, last);
  const observation = await rebuild(store, run, step, anchor.observation, skill);
  return { ...found, skill, tools, before, after, observation, notices: anchor.notices };
}

function noStep(run: string, step: number): ConstructorParameters<typeof RunError>[0] {
  return {
    code: 'run.no_step',
    path: '',
    hint: `run ${run} has no step ${step}; skillstate show ${run} says how far it is`,
  };
}

type Found = Pick<StepView, 'accepted' | 'rejected' | 'outcome' | 'others'>;

async function eventsOfStep(store: Store, run: string, step: number): Promise<Found> {
  let accepted: Found['accepted'] = null;
  let outcome: Found['outcome'] = null;
  const rejected: EventOf<'step.rejected'>[] = [];
  const others: RunEvent[] = [];
  for await (const event of store.events(run)) {
    if (!('step' in event) || event.step !== step) continue;
    if (event.type === 'step.accepted') accepted = event;
    else if (event.type === 'step.rejected') rejected.push(event);
    else if (event.type === 'action.finished') outcome = event;
    else others.push(event);
  }
  return { accepted, rejected, outcome, others };
}

/** The digests a run was bound to at `seq`: by its start, or the last accepted change before. */
async function boundSkill(
  store: Store,
  run: string,
  seq: number,
  head: { skill: string; tools: string },
): Promise<{ skill: string; tools: string }> {
  let bound = { skill: head.skill, tools: head.tools };
  for await (const event of store.events(run, { to: seq, types: ['run.started', 'skill.changed'] })) {
    if (event.type === 'run.started') bound = { skill: event.skill, tools: event.tools };
    if (event.type === 'skill.changed') bound = event.to;
  }
  return bound;
}

/** The observation that an event refers to, from the events it was made of. */
async function rebuild(
  store: Store,
  run: string,
  step: number,
  ref: ObservationRef,
  skill: Skill,
): Promise<Observation> {
  const messages: Message[] = [];
  for (const seq of ref.messages) messages.push(await messageAt(store, run, seq, skill));
  const result = ref.result === null ? null : await resultAt(store, run, ref.result, skill);
  return { step, now: ref.now, zone: ref.zone, result, messages, queued: ref.queued, budget: ref.budget };
}

async function eventAt(store: Store, run: string, seq: number): Promise<RunEvent> {
  for await (const event of store.events(run, { from: seq, to: seq })) return event;
  throw new RunError({
    code: 'run.no_event',
    path: '',
    hint: `run ${run} has no event ${seq}; skillstate verify ${run} says what is lost`,
  });
}

/** The arguments stand in the step that asked for the call. */
async function actionOf(store: Store, run: string, event: EventOf<'action.finished'>): Promise<Action> {
  for await (const step of store.events(run, { to: event.seq, types: ['step.accepted'] }))
    if (step.type === 'step.accepted' && step.call === event.call) return step.action;
  return { tool: event.tool, args: {} };
}

async function messageAt(store: Store, run: string, seq: number, skill: Skill): Promise<Message> {
  const event = await eventAt(store, run, seq);
  if (event.type !== 'message.received')
    throw new RunError({ code: 'run.no_event', path: '', hint: `event ${seq} is no message` });
  const handle = typeof event.text === 'string' ? null : event.text.handle;
  const whole = {
    seq,
    from: event.from,
    at: event.sentAt,
    text: await readText(store, run, event.text),
    handle,
  };
  return showMessage(whole, skill.observation.messageBytes);
}

async function resultAt(store: Store, run: string, seq: number, skill: Skill): Promise<ActionResult> {
  const event = await eventAt(store, run, seq);
  if (event.type !== 'action.finished')
    throw new RunError({ code: 'run.no_event', path: '', hint: `event ${seq} is no result` });
  const handle = typeof event.result === 'string' ? null : event.result.handle;
  const whole = { text: await readText(store, run, event.result), handle };
  const trust = event.tool === 'wait' ? 'runtime' : 'tool';
  const action = await actionOf(store, run, event);
  const about = { action, source: event.tool, trust, status: event.status, at: event.endedAt } as const;
  return showResult(whole, about, skill.observation.resultBytes);
}
