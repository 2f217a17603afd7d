import { checkJson } from '../json/check.ts';
import type { Delta, Issue, Json, JsonObject, Owner, Patch, Result } from '../types.ts';
import { boundIssues, type FullField, fullFields } from './bounds.ts';
import type { Contract } from './contract.ts';
import { applyDelta, stateDiff } from './delta.ts';
import { schemaIssues } from './explain.ts';
import { mergeObject, newMerging } from './merge.ts';
import { type OperationsRead, operationsToMerge } from './operations.ts';
import { isForm } from './form.ts';
import { asOwnerIssue, ownerIssues } from './owner.ts';
import { splitPending } from './pending.ts';
import { reservedKeys } from './reserved.ts';
import { isObject } from './shape.ts';
import { got } from './show.ts';

export type ResolveOptions = {
  /** Who writes: decides which fields may change (R8). */
  readonly actor: Owner;
  /** Whether texts are read losslessly where the schema wants something else (`Skill.coerce`). */
  readonly coerce: boolean;
};

export type Resolved = {
  readonly delta: Delta;
  /** The new Σ; `applyDelta(old, delta)`, sharing what did not change. */
  readonly state: JsonObject;
  /** The `x-commit: success` part as a merge patch, already checked against the new Σ; null: none. */
  readonly pending: JsonObject | null;
  /** What was read differently, dropped by overflow, deleted with content, kept by `max`: for the log. */
  readonly remarks: readonly string[];
  /** Fields of the new Σ at 80% of their bound or more. */
  readonly full: readonly FullField[];
};

/**
 * Resolves a patch against Σ (R6 to R8): merges, validates the whole candidate, checks owners, guards and bounds, and gives
 * the delta. Pure. Every problem comes back at once, and then nothing has changed. Issue codes: `overwrite.*`, `schema.*`,
 * `syntax.*`, `owner.*`, `bound.*` (docs/patch-contract.md lists them).
 */
export function resolvePatch(
  contract: Contract,
  state: JsonObject,
  patch: Patch,
  options: ResolveOptions,
): Result<Resolved> {
  const checked = checkJson(patch.value);
  if (!checked.ok) return checked;
  const merge = toMergePatch(contract, patch.dialect, checked.value);
  const { now, pending } = splitPending(contract.root, merge.patch);
  const first = step(contract, state, now, patch.dialect, options);
  const later = pending === null ? null : step(contract, first.state, pending, patch.dialect, options);
  const issues = distinct([...merge.issues, ...first.issues, ...(later?.issues ?? [])]);
  if (issues.length > 0) return { ok: false, issues };
  return {
    ok: true,
    value: {
      delta: first.delta,
      state: first.state,
      pending: later === null || later.delta.length === 0 ? null : pending,
      remarks: [...merge.remarks, ...first.remarks, ...(later?.remarks ?? [])],
      full: fullFields(contract.root, first.state),
    },
  };
}

/**
 * Applies the `pending` part of an accepted step to the Σ of now, when its action has succeeded: checked again, as Σ may have
 * changed. `pending` in the result is always null.
 */
export function resolvePending(contract: Contract, state: JsonObject, pending: JsonObject): Result<Resolved> {
  const done = step(contract, state, pending, 'merge', { actor: 'model', coerce: true });
  if (done.issues.length > 0) return { ok: false, issues: done.issues };
  const { delta, state: next, remarks } = done;
  return {
    ok: true,
    value: { delta, state: next, pending: null, remarks, full: fullFields(contract.root, next) },
  };
}

function toMergePatch(contract: Contract, dialect: Patch['dialect'], value: Json): OperationsRead {
  if (dialect === 'operations') return operationsToMerge(contract, value);
  if (isObject(value) && !isForm(value)) return { patch: value, issues: [], remarks: [] };
  const hint = `the patch is one object with the fields that change, got ${got(value)}`;
  return { patch: {}, issues: [{ code: 'syntax.patch', path: '', hint }], remarks: [] };
}

type Step = {
  readonly state: JsonObject;
  readonly delta: Delta;
  readonly issues: readonly Issue[];
  readonly remarks: readonly string[];
};

function step(
  contract: Contract,
  state: JsonObject,
  patch: JsonObject,
  dialect: Patch['dialect'],
  options: ResolveOptions,
): Step {
  const merging = newMerging(options.actor, options.coerce, dialect);
  const candidate = mergeObject(merging, contract.root, state, patch, '');
  const delta = stateDiff(state, candidate);
  const { remarks } = merging;
  const refused = merging.issues.map((issue) => asOwnerIssue(contract, state, options.actor, issue));
  if (delta.length === 0) return { state, delta, issues: distinct(refused), remarks };
  const next = applyDelta(state, delta);
  const found = [
    ...refused,
    ...delta.flatMap((change) => ('set' in change ? reservedKeys(change.value, change.set) : [])),
    ...ownerIssues(contract.root, state, next, options.actor),
    ...boundIssues(contract.root, state, next),
    ...schemaIssues(contract, next),
  ];
  return { state: next, delta, issues: distinct(found), remarks };
}

/** One issue per place and code; a place that the merge already refused needs no second opinion of the schema. */
function distinct(issues: readonly Issue[]): readonly Issue[] {
  const kept = new Map<string, Issue>();
  const refused = new Set(issues.filter(({ code }) => !code.startsWith('schema.')).map(({ path }) => path));
  for (const issue of issues) {
    if (issue.code.startsWith('schema.') && refused.has(issue.path)) continue;
    const name = `${issue.code} ${issue.path}`;
    if (!kept.has(name)) kept.set(name, issue);
  }
  return [...kept.values()];
}
