import {
  type Action,
  type ActionResult,
  applyDelta,
  capText,
  type EventText,
  type Json,
  type JsonObject,
  type Message,
  type Observation,
  parseSkillDocument,
  readText,
  type RunEvent,
  type Skill,
  type Store,
  type Usage,
} from '@skillstate/runtime';

/** One model call of a recorded run. `turn` is null where no transition was accepted. */
export type RecordedCall = {
  readonly step: number;
  readonly at: number;
  readonly usage: Usage;
  /** 0 where it was not recorded. */
  readonly promptBytes: number;
  readonly turn: RecordedTurn | null;
};

/** What was seen and answered in an accepted step; texts as a prompt would show them. */
export type RecordedTurn = {
  readonly skill: Skill;
  /** Σ before the step. */
  readonly state: JsonObject;
  readonly observation: Observation;
  readonly reasoning: string;
  readonly patch: Json;
  /** The top-level fields that the step changed, whole; null: deleted. What a shallow merge would have been told. */
  readonly update: JsonObject;
  readonly action: Action;
};

type EventOf<T extends RunEvent['type']> = RunEvent & { readonly type: T };
export type RunStart = EventOf<'run.started'>;

export async function startOf(store: Store, run: string): Promise<RunStart | null> {
  for await (const event of store.events(run, { limit: 1 })) if (event.type === 'run.started') return event;
  return null;
}

type Seen = {
  skill: Skill;
  state: JsonObject;
  result: ActionResult | null;
  resultSeq: number;
  /** Received and not yet shown in an accepted step, by seq. */
  messages: Map<number, Message>;
  action: Action;
};

/**
 * The model calls of a run, in order, in one pass over its log: memory for one step. Throws where the stored skill
 * cannot be read.
 */
export async function* recordedCalls(
  store: Store,
  run: string,
  start: RunStart,
): AsyncGenerator<RecordedCall> {
  const skill = await skillOf(store, start.skill);
  const nothing = { tool: '', args: {} };
  const seen: Seen = {
    skill,
    state: start.state,
    result: null,
    resultSeq: 0,
    messages: new Map(),
    action: nothing,
  };
  for await (const event of store.events(run)) {
    if (event.type === 'step.rejected' || event.type === 'model.failed')
      yield { ...asked(event), turn: null };
    if (event.type === 'step.accepted') {
      yield { ...asked(event), turn: await turnOf(store, run, event, seen) };
      seen.action = event.action;
    }
    await learn(store, run, event, seen);
  }
}

function asked(
  event: EventOf<'step.accepted' | 'step.rejected' | 'model.failed'>,
): Omit<RecordedCall, 'turn'> {
  const { step, at, usage } = event;
  return { step, at, usage, promptBytes: 'promptBytes' in event ? event.promptBytes : 0 };
}

async function learn(store: Store, run: string, event: RunEvent, seen: Seen): Promise<void> {
  if ('delta' in event) seen.state = applyDelta(seen.state, event.delta);
  if (event.type === 'skill.changed') seen.skill = await skillOf(store, event.to.skill);
  const { resultBytes, messageBytes } = seen.skill.observation;
  if (event.type === 'message.received') {
    const capped = await shown(store, run, event.text, messageBytes);
    const { seq, from, sentAt } = event;
    seen.messages.set(seq, { seq, from, trust: 'outside', handle: null, at: sentAt, ...capped });
  }
  if (event.type === 'action.finished') {
    const { tool, status, endedAt } = event;
    const capped = await shown(store, run, event.result, resultBytes);
    seen.resultSeq = event.seq;
    seen.result = {
      action: seen.action,
      source: tool,
      trust: 'tool',
      status,
      handle: null,
      at: endedAt,
      ...capped,
    };
  }
}

async function turnOf(
  store: Store,
  run: string,
  event: EventOf<'step.accepted'>,
  seen: Seen,
): Promise<RecordedTurn> {
  const { step, observation: ref, patch, action, delta } = event;
  const messages = ref.messages.flatMap((seq) => seen.messages.get(seq) ?? []);
  for (const seq of ref.messages) seen.messages.delete(seq);
  const result = ref.result === seen.resultSeq ? seen.result : null;
  const { now, zone, queued, budget } = ref;
  return {
    skill: seen.skill,
    state: seen.state,
    observation: { step, now, zone, result, messages, queued, budget },
    reasoning: await readText(store, run, event.reasoning),
    patch,
    update: changedFields(seen.state, applyDelta(seen.state, delta)),
    action,
  };
}

/** What a delta leaves alone is the same object in both. */
function changedFields(before: JsonObject, after: JsonObject): JsonObject {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return Object.fromEntries(
    keys.filter((key) => before[key] !== after[key]).map((key) => [key, after[key] ?? null]),
  );
}

async function shown(store: Store, run: string, text: EventText, most: number) {
  const { text: capped, shownBytes, totalBytes } = capText(await readText(store, run, text), most);
  return { text: capped, shownBytes, totalBytes };
}

async function skillOf(store: Store, digest: string): Promise<Skill> {
  const parsed = parseSkillDocument(await store.document(digest));
  if (parsed.ok) return parsed.value;
  throw new Error(
    `the skill ${digest.slice(0, 12)} of this run cannot be read: ${parsed.issues[0]?.hint ?? ''}`,
  );
}
