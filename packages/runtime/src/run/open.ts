import { genesis } from '../event/chain.ts';
import { createRedactor, type Redactor } from '../event/redact.ts';
import { replayState } from '../event/replay.ts';
import { createToolset, specOf, type Toolset } from '../action/toolset.ts';
import { transitionSchema } from '../state/transition-schema.ts';
import { compileContract } from '../state/contract.ts';
import type {
  EventBody,
  Json,
  JsonObject,
  Lease,
  LoadedRun,
  Model,
  RunEvent,
  RunHead,
  Skill,
  Store,
  Strategy,
  Tool,
  Turn,
} from '../types.ts';
import { emptyUsage } from '../usage/usage.ts';
import type { ToolSource } from '../action/source.ts';
import type { DriveOptions, RuntimePorts } from './ports.ts';
import { openLedger } from './ledger.ts';
import { nothingDeferred, type Session } from './session.ts';
import { stateStrategy } from './strategy.ts';
import { systemClock } from './clock.ts';

/** Tools of this drive and what must be ended with it. */
export type OpenedTools = { readonly toolset: Toolset; readonly facts: JsonObject; close(): Promise<void> };

/** Function tools of the host that the skill names, and the skill's servers, shell and files through their connectors. */
export async function openTools(
  ports: Pick<RuntimePorts, 'tools' | 'connectors' | 'secrets'>,
  skill: Skill,
  known: JsonObject = {},
): Promise<OpenedTools> {
  const functions = (ports.tools ?? []).filter(
    (tool) => skill.actions.functions.includes(tool.name) || skill.actions.command === tool.name,
  );
  const connected = await connectAll(ports, skill, known);
  const redactor = createRedactor(ports.secrets ?? {});
  const tools = [...functions, ...connected.flatMap((source) => source.tools)].map((tool) =>
    described(tool, redactor),
  );
  const facts = Object.assign({}, ...connected.map((source) => source.facts)) as JsonObject;
  const close = async (): Promise<void> => {
    await Promise.allSettled(connected.map((source) => source.close()));
  };
  return { toolset: createToolset(skill, tools), facts, close };
}

/** What a tool says of itself goes into every prompt; a server that knows a secret may say it (R15). */
function described(tool: Tool, redactor: Redactor): Tool {
  const { description, inputSchema, outputSchema, fingerprint } = tool;
  return {
    ...specOf(tool),
    run: (asked) => tool.run(asked),
    ...(fingerprint && { fingerprint: fingerprint.bind(tool) }),
    description: redactor.text(description),
    inputSchema: redactor.json(inputSchema),
    outputSchema: outputSchema === null ? null : redactor.json(outputSchema),
  };
}

/** All or none: where one source cannot be opened, the others are closed again. */
async function connectAll(
  ports: Pick<RuntimePorts, 'connectors' | 'secrets'>,
  skill: Skill,
  known: JsonObject,
): Promise<ToolSource[]> {
  const opening = (ports.connectors ?? []).map((connect) => connect(skill, ports.secrets ?? {}, known));
  const settled = await Promise.allSettled(opening);
  const opened = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed === undefined) return opened;
  await Promise.allSettled(opened.map((source) => source.close()));
  throw failed.reason;
}

/** Everything one driver needs, around a lease that it holds. */
export async function openSession(
  ports: RuntimePorts,
  options: DriveOptions,
  skill: Skill,
  tools: OpenedTools,
  lease: Lease,
  head: RunHead,
  state: JsonObject,
): Promise<Session> {
  const clock = ports.clock ?? systemClock;
  const redactor = createRedactor(ports.secrets ?? {});
  const limited =
    options.limits === undefined ? skill : { ...skill, limits: { ...skill.limits, ...options.limits } };
  const now = clock.now();
  const strategy = ports.strategy ?? stateStrategy;
  return {
    store: ports.store,
    model: ports.model,
    strategy,
    skill: limited,
    contract: compileContract(skill.state),
    toolset: tools.toolset,
    schema: schemaFor(ports.model, strategy, skill, tools.toolset),
    clock,
    zone: ports.zone ?? 'UTC',
    redactor,
    price: ports.price ?? (() => 0),
    listen: ports.listen ?? (() => undefined),
    abort: new AbortController(),
    startedAt: now,
    stayUntil: now + (options.stayMs ?? 0),
    ledger: openLedger(skill, head),
    close: tools.close,
    lease,
    head,
    state,
    turns: strategy.history ? await readTurns(ports.store, head.run) : [],
    subjects: new Map(await ports.store.subjects(head.run)),
    deferred: nothingDeferred(),
  };
}

function schemaFor(model: Model, strategy: Strategy, skill: Skill, toolset: Toolset): JsonObject | null {
  if (model.mode === 'text' || strategy.history) return null;
  return transitionSchema(skill, toolset.specs, model.dialect, { strict: model.mode === 'structured' });
}

/** The head of a run that has not made a step. */
export function newHead(
  run: string,
  bound: Pick<RunHead, 'skill' | 'tools'>,
  facts: JsonObject,
  now: number,
): RunHead {
  return {
    v: 1,
    run,
    ...bound,
    status: 'running',
    reason: '',
    wakeAt: null,
    step: 0,
    ...genesis(run),
    intent: null,
    result: null,
    resultSeq: null,
    messages: [],
    unresolved: [],
    rejections: 0,
    rejected: null,
    notices: [],
    repeat: { hashes: [], warned: false },
    usage: emptyUsage(),
    costUsd: 0,
    startedAt: now,
    sinceSnapshot: { bytes: 0, events: 0 },
    snapshotBytes: 0,
    facts,
  };
}

/** Σ as of the head (or of `toSeq`): the snapshot and the deltas behind it; needs no skill and no merge code (R15). */
export async function readState(
  store: Store,
  run: string,
  loaded: LoadedRun,
  toSeq?: number,
): Promise<JsonObject> {
  const tail: RunEvent[] = [];
  const query =
    toSeq === undefined ? { from: loaded.snapshot.seq + 1 } : { from: loaded.snapshot.seq + 1, to: toSeq };
  for await (const event of store.events(run, query)) tail.push(event);
  return replayState(loaded.snapshot.state, tail);
}

async function readTurns(store: Store, run: string): Promise<Turn[]> {
  const turns: Turn[] = [];
  const decoder = new TextDecoder();
  for await (const event of store.events(run, { types: ['step.accepted'] })) {
    if (event.type !== 'step.accepted' || event.turn === null) continue;
    const payload = typeof event.turn === 'string' ? null : await store.payload(run, event.turn.handle);
    if (payload === 'pruned') continue;
    turns.push(
      JSON.parse(typeof event.turn === 'string' ? event.turn : decoder.decode(payload?.bytes)) as Turn,
    );
  }
  return turns;
}

/** The first event of a run. */
export function startBody(
  ports: RuntimePorts,
  skill: Skill,
  toolset: Toolset,
  state: JsonObject,
  parent: (EventBody & { type: 'run.started' })['parent'],
): EventBody {
  return {
    type: 'run.started',
    skill: skill.digest,
    tools: toolset.digest,
    state,
    parent,
    model: ports.model.name,
    mode: ports.model.mode,
    dialect: ports.model.dialect,
    strategy: ports.strategy?.name ?? 'state',
  };
}

/** The documents that a run is bound to, kept once per digest. */
export function documentsOf(
  skill: Skill,
  toolset: Toolset,
): { digest: string; name: string; document: Json }[] {
  return [
    { digest: skill.digest, name: skill.name, document: skill as unknown as Json },
    { digest: toolset.digest, name: `${skill.name} tools`, document: toolset.specs as unknown as Json },
  ];
}
