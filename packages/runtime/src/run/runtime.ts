import { randomUUID } from 'node:crypto';
import { storedToolset, type Toolset } from '../action/toolset.ts';
import { checkConfirmations } from '../confirm/spec.ts';
import { chainEvents } from '../event/chain.ts';
import { createRedactor } from '../event/redact.ts';
import { byteLength, wellFormed, wellFormedJson } from '../json/wellformed.ts';
import { promptJson } from '../json/text.ts';
import { compileContract } from '../state/contract.ts';
import { currentDriver } from '../store/driver.ts';
import { isStoreError } from '../store/error.ts';
import type { InboxItem, Issue, JsonObject, Lease, LoadedRun, RunHead, Skill, Store } from '../types.ts';
import { acceptChange } from './change.ts';
import { createFork, type ForkOptions } from './fork.ts';
import { drive } from './loop.ts';
import { LEASE_MS } from './lease.ts';
import { whyLetGo } from './let-go.ts';
import { documentsOf, newHead, openSession, openTools, readState, startBody } from './open.ts';
import type { DriveOptions, ResumeOptions, RuntimePorts, StartOptions } from './ports.ts';
import { recover } from './recover.ts';
import { RunError } from './error.ts';
import { type RunReport, reportRun } from './report.ts';
import type { Session } from './session.ts';
import { takeOrders } from './orders.ts';
import { ended } from './stop.ts';
import { storedSkill } from './stored.ts';
import { waitsStill } from './wait.ts';

/** Runs skills. All methods but `start` and `resume` may be called while another process drives the run. */
export type Runtime = {
  /** Creates a run and drives it until it finishes, waits or needs attention, or another driver takes it over (`letGo`). */
  start(skill: Skill, options?: StartOptions): Promise<RunReport>;
  /** Drives a run from where it is: after a kill, a wait, a limit or a stop. Throws RunError where someone else drives it. */
  resume(run: string, options?: ResumeOptions): Promise<RunReport>;
  /** Queues an outside message durably: a user's new constraint, an alert. It becomes part of a next O. */
  send(run: string, text: string, from?: string): Promise<number>;
  /** Queues an order of a person; carried out between two steps. */
  order(
    run: string,
    kind: Exclude<InboxItem['kind'], 'message'>,
    from: string,
    body: JsonObject,
  ): Promise<number>;
  /** A new run from the state that `run` had after `step` (R20); not driven yet: `resume` it. Gives its id. */
  fork(run: string, step: number, options?: ForkOptions): Promise<string>;
  /** Carries out queued orders now where nobody drives the run; false where a driver will. */
  obey(run: string): Promise<boolean>;
  report(run: string): Promise<RunReport>;
};

export function createRuntime(ports: RuntimePorts): Runtime {
  const { store } = ports;
  return {
    start: (skill, options = {}) => start(ports, skill, options),
    resume: (run, options = {}) => resume(ports, run, options),
    send: (run, text, from = 'user') => enqueue(ports, run, 'message', from, { text }),
    order: (run, kind, from, body) => enqueue(ports, run, kind, from, body),
    fork: (run, step, options = {}) => createFork(ports, run, step, options),
    obey: (run) => obey(ports, run),
    report: (run) => reportRun(store, run),
  };
}

async function enqueue(
  ports: RuntimePorts,
  run: string,
  kind: InboxItem['kind'],
  from: string,
  body: JsonObject,
): Promise<number> {
  const { status } = (await mustLoad(ports.store, run)).head;
  if (ended(status))
    throw new RunError({
      code: 'run.ended',
      path: '',
      hint: `run ${run} is ${status}; nothing reaches it any more (fork it to go on from a step)`,
    });
  const now = ports.clock?.now() ?? Date.now();
  return ports.store.send(run, incoming(ports, { at: now, kind, from, body }));
}

/** What comes from outside, at the boundary: well-formed and without secrets before it is stored (R15, R18). */
function incoming({ secrets = {} }: RuntimePorts, item: Omit<InboxItem, 'id'>): Omit<InboxItem, 'id'> {
  const redactor = createRedactor(secrets);
  const body = wellFormedJson(redactor.json(item.body)) as JsonObject;
  return { ...item, from: wellFormed(redactor.text(item.from)), body };
}

async function mustLoad(store: Store, run: string): Promise<LoadedRun> {
  const loaded = await store.load(run);
  if (loaded !== null) return loaded;
  throw new RunError({ code: 'run.missing', path: '', hint: `no run ${run}; skillstate runs lists them` });
}

async function start(ports: RuntimePorts, skill: Skill, options: StartOptions): Promise<RunReport> {
  const run = options.run ?? `${skill.name}-${randomUUID().slice(0, 8)}`;
  const now = ports.clock?.now() ?? Date.now();
  const tools = await openTools(ports, skill);
  try {
    const { toolset } = tools;
    requireTools(skill, toolset.disabled);
    requireConfirmations(skill, toolset);
    const facts = { ...options.facts, ...tools.facts };
    const bare = newHead(run, { skill: skill.digest, tools: toolset.digest }, facts, now);
    const events = chainEvents(bare, now, [startBody(ports, skill, toolset, skill.initial, null)]);
    const [first] = events;
    const head: RunHead = {
      ...bare,
      seq: first?.seq ?? 0,
      hash: first?.hash ?? '',
      snapshotBytes: byteLength(promptJson(skill.initial)),
    };
    const commit = {
      point: 'accept',
      head,
      events,
      payloads: [],
      consumed: [],
      snapshot: skill.initial,
    } as const;
    const inbox = options.input === undefined ? [] : [incoming(ports, message(now, options.input))];
    await ports.store.create(commit, documentsOf(skill, toolset), inbox);
    const lease = await claim(ports.store, run);
    try {
      const session = await openSession(ports, options, skill, tools, lease, head, skill.initial);
      return await driveToRest(session, options);
    } finally {
      await release(ports.store, lease);
    }
  } finally {
    await tools.close();
  }
}

function message(at: number, text: string): Omit<InboxItem, 'id'> {
  return { at, kind: 'message', from: 'user', body: { text } };
}

/** A tool that the skill counts on (its allow-list, its command tool) must be there before the run begins; others may be missing. */
function requireTools(skill: Skill, disabled: readonly Issue[]): void {
  const { allow, command } = skill.actions;
  const wanted = [...(allow ?? []), ...(command === null ? [] : [command])].map((name) => `/tools/${name}`);
  const missing = disabled.filter((issue) => wanted.includes(issue.path));
  const [first] = missing;
  if (first === undefined) return;
  throw new RunError({ ...first, hint: missing.map((issue) => issue.hint).join('; ') });
}

/** A read-back that cannot work is an error of the skill, found before the run begins. */
function requireConfirmations(skill: Skill, toolset: Toolset): void {
  const issues = checkConfirmations(skill, compileContract(skill.state), toolset.specs);
  const [first] = issues;
  if (first === undefined) return;
  throw new RunError({ ...first, hint: issues.map(({ path, hint }) => `${path}: ${hint}`).join('; ') });
}

async function claim(store: Store, run: string): Promise<Lease> {
  const claimed = await store.claim(run, currentDriver(), LEASE_MS);
  if (claimed.ok) return claimed.lease;
  const { host, pid } = claimed.holder.driver;
  const hint = `run ${run} is driven by process ${pid} on ${host}; stop it, or wait until its lease ends`;
  throw new RunError({ code: 'run.driven', path: '', hint });
}

async function resume(ports: RuntimePorts, run: string, options: ResumeOptions): Promise<RunReport> {
  const before = await mustLoad(ports.store, run);
  const { status } = before.head;
  if (ended(status)) return reportRun(ports.store, run);
  const lease = await claim(ports.store, run);
  const tools: { close(): Promise<void> }[] = [];
  try {
    const loaded = await mustLoad(ports.store, run);
    const old = await storedSkill(ports.store, loaded.head);
    const skill = options.skill ?? old.skill;
    await Promise.all((ports.leftovers ?? []).map((end) => end(loaded.head.facts)));
    const opened = await openTools(ports, skill, loaded.head.facts);
    tools.push(opened);
    const state = await readState(ports.store, run, loaded);
    const session = await openSession(ports, options, skill, opened, lease, revived(loaded.head), state);
    await acceptChange(session, old, options.acceptSkillChange === true);
    const prepare = (): Promise<void> => recover(session, { ...session.head.facts, ...opened.facts });
    return await driveToRest(session, options, prepare);
  } finally {
    await Promise.all(tools.map((opened) => opened.close()));
    await release(ports.store, lease);
  }
}

/** Takes the run for as long as its queued orders need; no tool runs and no model is asked. */
async function obey(ports: RuntimePorts, run: string): Promise<boolean> {
  const { store } = ports;
  const before = await mustLoad(store, run);
  const claimed = await store.claim(run, currentDriver(), LEASE_MS);
  if (!claimed.ok) return false;
  try {
    const { skill, tools } = await storedSkill(store, before.head);
    const loaded = await mustLoad(store, run);
    const state = await readState(store, run, loaded);
    const offered = {
      toolset: storedToolset(tools, loaded.head.tools),
      facts: {},
      close: () => Promise.resolve(),
    };
    await takeOrders(await openSession(ports, {}, skill, offered, claimed.lease, loaded.head, state));
    return true;
  } finally {
    await release(store, claimed.lease);
  }
}

/** A person who resumes a stopped run gives it fresh tries; a killed run keeps its counts (R9). A wait that was paused goes on. */
function revived(head: RunHead): RunHead {
  const idle = head.status === 'waiting' && head.intent === null;
  if (head.status !== 'needs_attention' && !idle) return head;
  const fresh = { rejections: 0, rejected: null, repeat: { hashes: [], warned: false } };
  return { ...head, ...fresh, ...(waitsStill(head) ?? { status: 'running', reason: '', wakeAt: null }) };
}

async function driveToRest(
  session: Session,
  options: DriveOptions,
  prepare?: () => Promise<void>,
): Promise<RunReport> {
  for (const issue of session.toolset.disabled) session.listen({ kind: 'disabled', issue });
  const stopRenewing = keepLease(session);
  const cancel = (): void => session.abort.abort(new Error('stopped from outside'));
  options.signal?.addEventListener('abort', cancel, { once: true });
  if (options.signal?.aborted === true) cancel();
  let refused: unknown = null;
  try {
    await prepare?.();
    await drive(session);
  } catch (error) {
    refused = error;
  } finally {
    options.signal?.removeEventListener('abort', cancel);
    stopRenewing();
    await release(session.store, session.lease);
  }
  return reportRun(session.store, session.head.run, await whyLetGo(session, refused));
}

/**
 * Renews the lease in the background; a lost lease aborts the drive, and every later write is refused anyway. A busy store
 * is asked again at the next turn: the lease outlives two of them.
 */
function keepLease(session: Session): () => void {
  const timer = setInterval(() => {
    session.store.renew(session.lease, LEASE_MS).then(
      (lease) => {
        session.lease = lease;
      },
      (error: unknown) => {
        if (!isStoreError(error, 'store.busy')) session.abort.abort(error);
      },
    );
  }, LEASE_MS / 3);
  timer.unref();
  return () => clearInterval(timer);
}

async function release(store: Store, lease: Lease): Promise<void> {
  await store.release(lease).catch((error: unknown) => {
    if (!isStoreError(error, 'store.fenced')) throw error;
  });
}
