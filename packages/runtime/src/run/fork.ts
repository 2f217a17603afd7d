import { randomUUID } from 'node:crypto';
import { chainEvents } from '../event/chain.ts';
import { byteLength } from '../json/wellformed.ts';
import { promptJson } from '../json/text.ts';
import type { JsonObject, Notice, RunEvent, RunHead, Store } from '../types.ts';
import { effectInFlight } from './approval.ts';
import { RunError } from './error.ts';
import { inherit, inheritedAt } from './inherited.ts';
import { newHead, readState } from './open.ts';
import type { RuntimePorts } from './ports.ts';

export type ForkOptions = {
  readonly run?: string;
  /** Whether the fork may run effects; without it every effect answers "not run". */
  readonly live?: boolean;
};

/**
 * A new run with the state that `parent` had after `step` (R20). Its chain starts with an event that names parent run,
 * step and hash; it inherits no pending intent, and its first observation lists the effects the parent had later.
 */
export async function createFork(
  ports: RuntimePorts,
  parent: string,
  step: number,
  options: ForkOptions,
): Promise<string> {
  const { store } = ports;
  const base = await store.load(parent);
  if (base === null) throw new RunError({ code: 'run.missing', path: '', hint: `no run ${parent}` });
  const accepted = await eventOfStep(store, parent, step, base.head);
  const from = await store.load(parent, accepted.seq);
  if (from === null)
    throw new RunError({ code: 'run.missing', path: '', hint: `no state of ${parent} at step ${step}` });
  const state = await readState(store, parent, from, accepted.seq);
  const run = options.run ?? `${parent}-fork-${randomUUID().slice(0, 6)}`;
  const now = ports.clock?.now() ?? Date.now();
  const inherited = await inheritedAt(store, parent, accepted.seq, state);
  const bare: RunHead = {
    ...newHead(run, await boundAt(store, parent, accepted.seq), forkFacts(base.head, options), now),
    step,
    notices: [forkNotice(parent, step, await laterEffects(store, base.head, accepted.seq))],
  };
  const { name: model, mode, dialect } = ports.model;
  const [event] = chainEvents(bare, now, [
    {
      type: 'run.started',
      skill: bare.skill,
      tools: bare.tools,
      state,
      parent: { run: parent, step, hash: accepted.hash },
      ...(inherited.length > 0 && { confirmed: inherited }),
      model,
      mode,
      dialect,
      strategy: ports.strategy?.name ?? 'state',
    },
  ]) as [RunEvent];
  const head = { ...bare, seq: event.seq, hash: event.hash, snapshotBytes: byteLength(promptJson(state)) };
  await store.create(
    {
      point: 'accept',
      head,
      events: [event],
      payloads: [],
      consumed: [],
      snapshot: state,
      subjects: inherit(inherited, event.seq),
    },
    [],
    [],
  );
  return run;
}

/** A run begins with the state after step 0, a fork with that after the step it was forked from. */
async function eventOfStep(store: Store, run: string, step: number, head: RunHead): Promise<RunEvent> {
  let first = 0;
  for await (const event of store.events(run, { types: ['run.started', 'step.accepted'] })) {
    if (event.type === 'run.started') first = event.parent?.step ?? 0;
    const after = event.type === 'step.accepted' ? event.step : first;
    if (after === step) return event;
  }
  const hint = `run ${run} has steps ${Math.max(1, first)} to ${head.step}, not ${step}`;
  throw new RunError({ code: 'run.no_step', path: '', hint });
}

function forkNotice(parent: string, step: number, effects: readonly string[]): Notice {
  const done =
    effects.length === 0
      ? 'no effects'
      : `these effects, which this fork must not assume undone: ${effects.join('; ')}`;
  const text = `this run was forked from ${parent} after step ${step}. Later the parent had ${done}`;
  return { kind: 'fork', text };
}

function forkFacts({ facts }: RunHead, { live = false }: ForkOptions): JsonObject {
  const { invocation } = facts;
  return { live, ...(invocation === undefined ? {} : { invocation }) };
}

/** The skill and tool list that the run was bound to at `seq`; it may have changed since (R15). */
async function boundAt(store: Store, run: string, seq: number): Promise<Pick<RunHead, 'skill' | 'tools'>> {
  let bound = { skill: '', tools: '' };
  for await (const event of store.events(run, { types: ['run.started', 'skill.changed'], to: seq })) {
    if (event.type === 'run.started') bound = { skill: event.skill, tools: event.tools };
    if (event.type === 'skill.changed') bound = event.to;
  }
  return bound;
}

/** The parent's effects from this step's own action on, one line each, at most twenty. */
async function laterEffects(store: Store, parent: RunHead, seq: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const event of store.events(parent.run, { from: seq, types: ['action.finished'] })) {
    if (event.type !== 'action.finished' || event.effect !== true) continue;
    lines.push(`step ${event.step} ${event.tool}: ${event.status}`);
  }
  const started = effectInFlight(parent);
  if (started !== null) lines.push(`step ${started.step} ${started.action.tool}: unknown`);
  return lines.length > 20 ? [...lines.slice(0, 19), `and ${lines.length - 19} more`] : lines;
}
