import { jsonEqual } from '../json/equal.ts';
import type { Issue, Json, JsonObject, Owner, Pointer } from '../types.ts';
import type { Contract } from './contract.ts';
import { fieldAt } from './explain.ts';
import { type Field, itemField, memberField } from './field.ts';
import { itemKey } from './lists.ts';
import { isObject } from './shape.ts';
import { join } from './show.ts';

/** Model, runtime and people each write their own fields; runtime and people may also write the model's (R8). */
function mayWrite(actor: Owner, owner: Owner): boolean {
  return owner === 'model' || owner === actor;
}

/** What the merge refused in a field that the actor may not write at all is a matter of ownership, whatever its form. */
export function asOwnerIssue(contract: Contract, state: JsonObject, actor: Owner, issue: Issue): Issue {
  if (!contract.root.foreign) return issue;
  const { owner } = fieldAt(contract, issue.path, state);
  return mayWrite(actor, owner) ? issue : refusal(owner, issue.path);
}

/** Every field that differs between the two states although `actor` may not write it: `owner.runtime`, `owner.user`. */
export function ownerIssues(
  root: Field,
  before: JsonObject,
  after: JsonObject,
  actor: Owner,
): readonly Issue[] {
  const issues: Issue[] = [];
  compare(root, before, after, '', actor, issues);
  return issues;
}

function compare(
  field: Field,
  before: Json | undefined,
  after: Json | undefined,
  path: Pointer,
  actor: Owner,
  issues: Issue[],
): void {
  if (before === after || !field.foreign) return;
  const forbidden = !mayWrite(actor, field.owner);
  if (isObjectOrNone(before) && isObjectOrNone(after)) {
    if (forbidden && (before === undefined || after === undefined)) issues.push(refusal(field.owner, path));
    else compareMembers(field, before, after, path, actor, issues);
  } else if (isListOrNone(before) && isListOrNone(after) && !forbidden) {
    compareItems(field, before ?? [], after ?? [], path, actor, issues);
  } else if (forbidden && !(before !== undefined && after !== undefined && jsonEqual(before, after))) {
    issues.push(refusal(field.owner, path));
  } else if (!forbidden) {
    compareContent(field, before, after, path, actor, issues);
  }
}

/** One kind of container became another, or a scalar: everything foreign inside either side changed. */
function compareContent(
  field: Field,
  before: Json | undefined,
  after: Json | undefined,
  path: Pointer,
  actor: Owner,
  issues: Issue[],
): void {
  const content = (value: Json | undefined): Json | undefined =>
    value !== null && typeof value === 'object' ? value : undefined;
  const [was, is] = [content(before), content(after)];
  if (was !== undefined) compare(field, was, undefined, path, actor, issues);
  if (is !== undefined) compare(field, undefined, is, path, actor, issues);
}

function compareMembers(
  field: Field,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  path: Pointer,
  actor: Owner,
  issues: Issue[],
): void {
  for (const key of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const below = memberField(field, key);
    if (below !== null)
      compare(below, member(before, key), member(after, key), join(path, key), actor, issues);
  }
}

function member(object: JsonObject | undefined, key: string): Json | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Records of a keyed list are compared by key, items of other lists by place. */
function compareItems(
  field: Field,
  before: readonly Json[],
  after: readonly Json[],
  path: Pointer,
  actor: Owner,
  issues: Issue[],
): void {
  const below = itemField(field);
  const name = (item: Json, index: number): string =>
    field.key === null || !isObject(item) ? String(index) : itemKey(item[field.key] ?? null);
  const old = new Map(before.map((item, index) => [name(item, index), { item, index }]));
  for (const [index, item] of after.entries()) {
    const was = old.get(name(item, index));
    old.delete(name(item, index));
    compare(below, was?.item, item, join(path, index), actor, issues);
  }
  for (const { item, index } of old.values()) {
    compare(below, item, undefined, join(path, index), actor, issues);
  }
}

function isObjectOrNone(value: Json | undefined): value is JsonObject | undefined {
  return value === undefined || isObject(value);
}

function refusal(owner: Owner, path: Pointer): Issue {
  const who =
    owner === 'runtime' ? 'only the runtime writes it, after a confirmed read' : 'only a person writes it';
  return { code: `owner.${owner}`, path, hint: `${who}: leave it out of the patch` };
}

function isListOrNone(value: Json | undefined): value is readonly Json[] | undefined {
  return value === undefined || Array.isArray(value);
}
