import { FORBIDDEN_KEYS } from '../json/parse.ts';
import { formatPointer } from '../json/pointer.ts';
import type { Issue, Json, JsonObject, Pointer } from '../types.ts';
import { unknownKey } from './explain.ts';
import { skillIssue } from './issue.ts';
import { isObject, textOf } from './short.ts';
import type { Source } from './source.ts';
import { KEYWORDS, valueFault } from './vocabulary.ts';

/** What is wrong with one schema node: unknown keywords, references out, reserved keys, annotations that do not fit. */
export function nodeIssues(node: JsonObject, path: Pointer, source: Source): Issue[] {
  const issues: Issue[] = [];
  for (const [keyword, value] of Object.entries(node)) {
    const wrong = KEYWORDS.includes(keyword)
      ? valueFault(keyword, value)
      : (NOT_FOLLOWED[keyword] ?? unknownKey(keyword, KEYWORDS));
    if (wrong !== null) issues.push(fault(source, path + formatPointer([keyword]), wrong));
  }
  const reference = node['$ref'];
  if (typeof reference === 'string' && reference !== '#' && !reference.startsWith('#/')) {
    issues.push(fault(source, `${path}/$ref`, 'only references inside the schema (#/$defs/…) are followed'));
  }
  for (const key of isObject(node['properties']) ? Object.keys(node['properties']) : []) {
    if (!key.startsWith('$') && !FORBIDDEN_KEYS.has(key)) continue;
    issues.push(
      fault(source, `${path}/properties${formatPointer([key])}`, `a state key may not be called ${key}`),
    );
  }
  return [...issues, ...annotationIssues(node, path, source)];
}

const BY_POINTER = 'put the schema into $defs and refer to it as {$ref: "#/$defs/NAME"}';

/** Keywords of the draft that name a place for references. */
const NOT_FOLLOWED: Readonly<Record<string, string>> = {
  $anchor: `anchors are not followed: ${BY_POINTER}`,
  $dynamicAnchor: `anchors are not followed: ${BY_POINTER}`,
  $dynamicRef: `only $ref is followed: ${BY_POINTER}`,
};

const WORDS: Readonly<Record<string, readonly string[]>> = {
  'x-merge': ['replace', 'append', 'union', 'keyed', 'sum', 'max'],
  'x-owner': ['model', 'runtime', 'user'],
  'x-commit': ['accept', 'success'],
  'x-overflow': ['reject', 'drop-oldest'],
};

function annotationIssues(node: JsonObject, path: Pointer, source: Source): Issue[] {
  const issues: Issue[] = [];
  const report = (keyword: string, hint: string): void => {
    issues.push(fault(source, `${path}/${keyword}`, `${keyword} ${hint}`));
  };
  for (const [keyword, words] of Object.entries(WORDS)) {
    const value = node[keyword];
    if (value !== undefined && !words.includes(value as string))
      report(keyword, `must be one of ${words.join(', ')}`);
  }
  const merge = node['x-merge'];
  const [key, bytes, order] = [node['x-key'], node['x-max-bytes'], node['x-order']];
  if (['append', 'union', 'keyed'].includes(merge as string) && !mayBe(node, 'array'))
    report('x-merge', `${textOf(merge)} is for lists`);
  if (['sum', 'max'].includes(merge as string) && !mayBe(node, 'number', 'integer'))
    report('x-merge', `${textOf(merge)} is for numbers`);
  if (node['x-overflow'] === 'drop-oldest' && !mayBe(node, 'array'))
    report('x-overflow', 'drop-oldest is for lists');
  if (key !== undefined && merge !== 'keyed') report('x-key', 'belongs to x-merge: keyed');
  if (key !== undefined && (typeof key !== 'string' || key === ''))
    report('x-key', 'must be the name of a member');
  if (merge === 'keyed' && !namesKey(node, typeof key === 'string' ? key : 'id')) {
    report('x-key', `names ${JSON.stringify(key ?? 'id')}, which the items do not declare`);
  }
  if (bytes !== undefined && !(Number.isInteger(bytes) && Number(bytes) > 0))
    report('x-max-bytes', 'must be a whole number of bytes');
  if (order !== undefined) {
    const known = isObject(node['properties']) ? Object.keys(node['properties']) : [];
    if (!isNames(order)) report('x-order', 'must be a list of property names');
    else for (const name of order) if (!known.includes(name)) report('x-order', unknownKey(name, known));
  }
  return issues;
}

function mayBe(node: JsonObject, ...types: string[]): boolean {
  const type = node['type'];
  return type === undefined || [type].flat().some((one) => types.includes(one as string));
}

/** Whether the items of a keyed list declare the key; items given by reference are left to the state's own checks. */
function namesKey(node: JsonObject, key: string): boolean {
  const items = node['items'];
  return !isObject(items) || !isObject(items['properties']) || Object.hasOwn(items['properties'], key);
}

export function fault(source: Source, path: Pointer, hint: string): Issue {
  return skillIssue('schema', path, source.where(path) + hint);
}

export function isNames(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
