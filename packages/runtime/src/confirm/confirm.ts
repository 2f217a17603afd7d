import type { Clock, ConfirmationSpec, Issue, Json, JsonObject, Pointer, ToolResult } from '../types.ts';
import { failedChecks, sourcesOf } from './check.ts';
import { type CallFacts, evaluate, fillPath, readArguments, resultValue, type Scope } from './scope.ts';

/** One read of the last attempt: the evidence. */
export type ReadBack = {
  readonly tool: string;
  readonly args: JsonObject;
  readonly at: number;
  readonly result: ToolResult;
};

/** `unchecked`: the world could not be read well enough; neither success nor failure may be concluded from it. */
export type Confirmation = { readonly reads: readonly ReadBack[] } & (
  | { readonly kind: 'confirmed'; readonly path: Pointer; readonly value: Json }
  | { readonly kind: 'failed'; readonly issues: readonly Issue[]; readonly absent: boolean }
  | { readonly kind: 'unchecked'; readonly issues: readonly Issue[] }
);

export type ConfirmPorts = {
  /** Runs a reading tool. Never rejects: a failure is a result. */
  readonly read: (tool: string, args: JsonObject) => Promise<ToolResult>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** `wroteAt`: when the write was over, at the latest. `notBefore`: a call of unknown outcome may go on until its deadline. */
export type Written = { readonly wroteAt: number; readonly notBefore: number };

/**
 * Reads the world back after a write and decides whether the write is there (R12). No read happens before the write is old
 * enough; what is not confirmed is read again after a pause that doubles, until `deadlineMs` after the write. That something
 * is absent is concluded only by the last attempt, and only where the spec says how. The action's own result is no evidence.
 * Where the spec says that a write is settled by its answer, only what was stale or could not be read is read again.
 */
export async function confirm(
  spec: ConfirmationSpec,
  facts: CallFacts,
  written: Written,
  ports: ConfirmPorts,
): Promise<Confirmation> {
  const { clock, signal } = ports;
  const { minAgeMs, recheckMs, deadlineMs } = spec.fresh;
  const first = Math.max(written.notBefore, written.wroteAt + minAgeMs);
  const last = Math.max(written.notBefore, written.wroteAt) + deadlineMs;
  await sleepUntil(first, ports);
  for (let pause = recheckMs; ; pause *= 2) {
    if (signal.aborted)
      return { kind: 'unchecked', reads: [], issues: [issue('stopped', '', 'stopped before it was read')] };
    const outcome = await attempt(spec, facts, written, ports);
    if (outcome.kind === 'confirmed' || isFinal(spec, outcome, written)) return outcome;
    const left = last - clock.now();
    if (left <= 0) return outcome;
    await clock.sleep(Math.min(pause, left), signal);
  }
}

/** A write of unknown outcome may still be on its way; that something is absent is never concluded early. */
function isFinal({ fresh }: ConfirmationSpec, outcome: Confirmation, { notBefore }: Written): boolean {
  return fresh.settled === true && notBefore === 0 && outcome.kind === 'failed' && !outcome.absent;
}

async function sleepUntil(time: number, { clock, signal }: ConfirmPorts): Promise<void> {
  for (let left = time - clock.now(); left > 0 && !signal.aborted; left = time - clock.now())
    await clock.sleep(left, signal);
}

async function attempt(
  spec: ConfirmationSpec,
  facts: CallFacts,
  written: Written,
  ports: ConfirmPorts,
): Promise<Confirmation> {
  const { reads, values, issues } = await readAll(spec, facts, ports);
  const age = Math.max(0, (reads[0]?.at ?? written.wroteAt) - written.wroteAt);
  const scope: Scope = { read: values, ...values, ...facts, age };
  const unchecked = (more: readonly Issue[]): Confirmation => ({
    kind: 'unchecked',
    reads,
    issues: [...issues, ...more],
  });
  const { when } = spec.fresh;
  if (when !== undefined && !isTrue(when, scope)) {
    return unchecked([
      issue('stale', '/fresh/when', `the read may be older than the write: ${when} does not hold`),
    ]);
  }
  if (issues.length === 0) {
    const failed = failedChecks(spec.checks, scope);
    if (failed.length === 0) return confirmed(spec, scope, reads);
    if (!reads.some(({ result }) => result.status !== 'ok')) {
      return { kind: 'failed', reads, issues: failed, absent: isAbsent(spec, scope) };
    }
  }
  if (!isAbsent(spec, scope)) return unchecked(issues.length > 0 ? [] : readIssues(spec, reads));
  return {
    kind: 'failed',
    reads,
    issues: [issue('absent', '/absent', `it is not there: ${spec.absent}`)],
    absent: true,
  };
}

type AllReads = {
  readonly reads: readonly ReadBack[];
  readonly values: JsonObject;
  readonly issues: readonly Issue[];
};

/** In the declared order, so that one read may use another's value. `issues` are those after which nothing can be checked. */
async function readAll(
  spec: ConfirmationSpec,
  facts: CallFacts,
  { read, clock }: ConfirmPorts,
): Promise<AllReads> {
  const reads: ReadBack[] = [];
  const values: Record<string, Json> = {};
  const issues: Issue[] = [];
  for (const [index, one] of spec.reads.entries()) {
    const path = `/reads/${index}`;
    const args = readArguments(one, { read: values, ...values, ...facts }, path);
    if (!args.ok) {
      issues.push(...args.issues);
      continue;
    }
    const at = clock.now();
    const result = await read(one.tool, args.value);
    reads.push({ tool: one.tool, args: args.value, at, result });
    values[one.as] = resultValue(result);
    if (result.status !== 'ok' && !speaksOfError(spec, one.as)) issues.push(unread(path, one.tool, result));
  }
  return { reads, values, issues };
}

/** A read that failed can confirm something (a deletion) only where a check looks at its `error`. */
function speaksOfError(spec: ConfirmationSpec, as: string): boolean {
  return spec.checks.some((check) => sourcesOf(check).some((cel) => cel.includes(`${as}.error`)));
}

function readIssues(spec: ConfirmationSpec, reads: readonly ReadBack[]): Issue[] {
  return reads.flatMap(({ tool, result }) => {
    const index = spec.reads.findIndex((read) => read.tool === tool);
    return result.status === 'ok' ? [] : [unread(`/reads/${index}`, tool, result)];
  });
}

function unread(path: Pointer, tool: string, result: ToolResult): Issue {
  return issue('unread', path, `${tool} could not be read: ${result.text.slice(0, 300).toWellFormed()}`);
}

function confirmed(spec: ConfirmationSpec, scope: Scope, reads: readonly ReadBack[]): Confirmation {
  const path = fillPath(spec.set.path, scope);
  const value = evaluate(spec.set.value, scope, '/set/value');
  if (path.ok && value.ok) return { kind: 'confirmed', reads, path: path.value, value: value.value };
  return {
    kind: 'unchecked',
    reads,
    issues: [...(path.ok ? [] : path.issues), ...(value.ok ? [] : value.issues)],
  };
}

function isTrue(cel: string, scope: Scope): boolean {
  const said = evaluate(cel, scope, '');
  return said.ok && said.value === true;
}

function isAbsent({ absent }: ConfirmationSpec, scope: Scope): boolean {
  return absent !== null && isTrue(absent, scope);
}

function issue(name: string, path: Pointer, hint: string): Issue {
  return { code: `confirm.${name}`, path, hint };
}
