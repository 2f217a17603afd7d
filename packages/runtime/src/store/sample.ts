import { chainEvents, genesis } from '../event/chain.ts';
import { replayState } from '../event/replay.ts';
import type {
  Commit,
  Delta,
  Driver,
  EventBody,
  Json,
  JsonObject,
  Lease,
  RunEvent,
  RunHead,
  Store,
} from '../types.ts';
import { currentDriver } from './driver.ts';

/** A run that the conformance suite and tests write by hand, without a loop, a skill or a model. */
export type SampleRun = {
  readonly lease: Lease;
  readonly head: RunHead;
  readonly state: JsonObject;
  /** One commit at the chain's end. `extra.head` changes the head; payloads, consumed and snapshot are passed on. */
  append(
    bodies: readonly EventBody[],
    extra?: Partial<Omit<Commit, 'head'>> & HeadChange,
  ): Promise<RunEvent[]>;
  /** The same commit, built but not made. */
  build(bodies: readonly EventBody[], extra?: Partial<Omit<Commit, 'head'>> & HeadChange): Commit;
};

type HeadChange = { readonly head?: Partial<RunHead> };

const NO_USAGE = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  source: 'none',
} as const;

export const SAMPLE_SKILL = 'a'.repeat(64);
export const SAMPLE_TOOLS = 'b'.repeat(64);

export type SampleOptions = {
  readonly state?: JsonObject;
  readonly driver?: Driver;
  readonly ttlMs?: number;
  readonly skill?: Json;
  /** Time of each commit. */
  readonly now?: () => number;
};

export async function startSample(
  store: Store,
  run: string,
  options: SampleOptions = {},
): Promise<SampleRun> {
  const state = options.state ?? {};
  const now = options.now ?? Date.now;
  const bare: RunHead = { ...blankHead(run, now()), ...genesis(run) };
  const started: EventBody = {
    type: 'run.started',
    skill: SAMPLE_SKILL,
    tools: SAMPLE_TOOLS,
    state,
    parent: null,
    model: 'sample',
    strategy: 'state',
    mode: 'text',
    dialect: 'merge',
  };
  const first = toCommit(bare, now(), [started], { point: 'accept', snapshot: state });
  const documents = [
    { digest: SAMPLE_SKILL, name: 'sample', document: options.skill ?? { name: 'sample' } },
    { digest: SAMPLE_TOOLS, name: 'tools', document: [] },
  ];
  await store.create(first, documents, []);
  const claim = await store.claim(run, options.driver ?? currentDriver(), options.ttlMs ?? 60_000);
  if (!claim.ok) throw new Error(`sample: ${run} is held by ${claim.holder.driver.id}`);
  return sampleRun(store, claim.lease, first.head, state, now);
}

/** Goes on with a run that is already there, under a lease. */
export function sampleRun(
  store: Store,
  lease: Lease,
  head: RunHead,
  state: JsonObject,
  now: () => number = Date.now,
): SampleRun {
  let current = head;
  let here = state;
  const build: SampleRun['build'] = (bodies, extra = {}) => toCommit(current, now(), bodies, extra);
  return {
    lease,
    get head() {
      return current;
    },
    get state() {
      return here;
    },
    build,
    async append(bodies, extra) {
      const commit = build(bodies, extra);
      await store.commit(lease, commit);
      current = commit.head;
      here = replayState(here, commit.events);
      return [...commit.events];
    },
  };
}

function toCommit(
  head: RunHead,
  now: number,
  bodies: readonly EventBody[],
  extra: Partial<Omit<Commit, 'head'>> & HeadChange,
): Commit {
  const events = chainEvents(head, now, bodies);
  const { seq, hash } = events.at(-1) ?? head;
  return {
    point: 'accept',
    payloads: [],
    consumed: [],
    snapshot: null,
    events,
    ...extra,
    head: { ...head, ...extra.head, seq, hash },
  };
}

function blankHead(run: string, startedAt: number): Omit<RunHead, 'seq' | 'hash'> {
  return {
    v: 1,
    run,
    skill: SAMPLE_SKILL,
    tools: SAMPLE_TOOLS,
    status: 'running',
    reason: '',
    wakeAt: null,
    step: 0,
    intent: null,
    result: null,
    resultSeq: null,
    messages: [],
    unresolved: [],
    rejections: 0,
    rejected: null,
    notices: [],
    repeat: { hashes: [], warned: false },
    usage: NO_USAGE,
    costUsd: 0,
    startedAt,
    sinceSnapshot: { bytes: 0, events: 0 },
    snapshotBytes: 0,
    facts: {},
  };
}

/** An accepted step that calls `tool` and applies `delta`. */
export function stepBody(step: number, delta: Delta, tool = 'look', reasoning = ''): EventBody {
  return {
    type: 'step.accepted',
    step,
    observation: {
      now: 0,
      zone: 'UTC',
      result: null,
      messages: [],
      queued: 0,
      budget: { steps: null, tokens: null, costUsd: null },
    },
    notices: [],
    reasoning,
    patch: {},
    delta,
    action: { tool, args: {} },
    call: `c${step}`,
    remarks: [],
    usage: NO_USAGE,
    promptBytes: 0,
    stateBytes: 0,
    atCap: false,
    turn: null,
  };
}

/** A short event that holds a text and changes nothing. */
export function noteBody(why: string): EventBody {
  return { type: 'state.set', who: 'sample', delta: [], why };
}
