import type {
  ActionResult,
  Intent,
  Issue,
  Json,
  JsonObject,
  RunHead,
  RunStatus,
  Store,
  Subjects,
  Usage,
} from '../types.ts';
import { openSubjects } from './claims.ts';
import { RunError } from './error.ts';
import { readState } from './open.ts';

/** What came of a run (R13): what was executed, what the model claims, what the world confirmed. */
export type RunReport = {
  readonly run: string;
  readonly status: RunStatus;
  readonly reason: string;
  /** Why the driver that made this report let go although the run goes on: `run.driven`, `run.let_go`. */
  readonly letGo: Issue | null;
  readonly steps: number;
  readonly state: JsonObject;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly result: ActionResult | null;
  readonly unresolved: readonly Intent[];
  readonly confirmed: Readonly<Record<string, number>>;
  /** What was written and no confirmation backs: name and subject. */
  readonly unconfirmed: readonly string[];
  readonly wakeAt: number | null;
  readonly seq: number;
  readonly hash: string;
};

export async function reportRun(store: Store, run: string, letGo: Issue | null = null): Promise<RunReport> {
  const loaded = await store.load(run);
  if (loaded === null)
    throw new RunError({ code: 'run.missing', path: '', hint: `no run ${run}; skillstate runs lists them` });
  const [state, subjects] = [await readState(store, run, loaded), await store.subjects(run)];
  return reportHead(loaded.head, state, subjects, letGo);
}

function reportHead(head: RunHead, state: JsonObject, subjects: Subjects, letGo: Issue | null): RunReport {
  const { run, status, reason, step, usage, costUsd, result, unresolved, wakeAt, seq, hash } = head;
  return {
    run,
    status,
    reason,
    letGo,
    steps: step,
    state,
    usage,
    costUsd,
    result,
    unresolved,
    confirmed: Object.fromEntries(
      [...subjects].flatMap(([key, { confirmed }]) => (confirmed === null ? [] : [[key, confirmed]])),
    ),
    unconfirmed: openSubjects(subjects).map(([key]) => key),
    wakeAt,
    seq,
    hash,
  };
}

/** The report as plain JSON, for `--json`. */
export function reportJson(report: RunReport): Json {
  return report as unknown as Json;
}
