import { compileExpression } from '../json/expression.ts';
import { formatPointer, parsePointer } from '../json/pointer.ts';
import type { Issue, Json, JsonObject, Pointer } from '../types.ts';
import { isObject, listOf, textOf } from './short.ts';
import type { Source } from './source.ts';

/** Compiles every CEL expression, so that a typing error shows before a run and not in its middle. */
export function expressionIssues(
  document: JsonObject,
  sound: (path: Pointer) => boolean,
  source: Source,
): Issue[] {
  return expressions(document).flatMap(([path, cel]) => {
    if (!sound(path)) return [];
    const compiled = compileExpression(cel, path);
    return compiled.ok
      ? []
      : compiled.issues.map((issue) => ({ ...issue, hint: source.where(path) + issue.hint }));
  });
}

function expressions(document: JsonObject): (readonly [Pointer, string])[] {
  const found: (readonly [Pointer, string])[] = [];
  const add = (path: Pointer, cel: Json | undefined): void => {
    if (typeof cel === 'string') found.push([path, cel]);
  };
  add('/done', document['done']);
  const actions = document['actions'];
  const tools = isObject(actions) && isObject(actions['tools']) ? actions['tools'] : {};
  for (const [name, tool] of Object.entries(tools)) {
    if (isObject(tool)) addTool(formatPointer(['actions', 'tools', name]), tool, add);
  }
  listOf(document['confirmations']).forEach((entry, i) => {
    if (isObject(entry)) addConfirmation(`/confirmations/${i}`, entry, add);
  });
  return found;
}

type Add = (path: Pointer, cel: Json | undefined) => void;

function addTool(path: Pointer, tool: JsonObject, add: Add): void {
  add(`${path}/failure`, tool['failure']);
  add(`${path}/resources`, tool['resources']);
  if (isObject(tool['key'])) add(`${path}/key/from`, tool['key']['from']);
  listOf(tool['preconditions']).forEach((one, i) => {
    if (isObject(one)) add(`${path}/preconditions/${i}/cel`, one['cel']);
  });
}

function addConfirmation(path: Pointer, entry: JsonObject, add: Add): void {
  add(`${path}/subject`, entry['subject']);
  add(`${path}/absent`, entry['absent']);
  add(`${path}/required`, entry['required']);
  if (isObject(entry['fresh'])) add(`${path}/fresh/when`, entry['fresh']['when']);
  listOf(entry['checks']).forEach((check, i) => {
    if (!isObject(check)) return;
    for (const key of ['cel', 'of', 'on']) add(`${path}/checks/${i}/${key}`, check[key]);
    const want = textOf(check['want']);
    if ('is' in check && want.startsWith('=')) add(`${path}/checks/${i}/want`, want.slice(1));
  });
  listOf(entry['reads']).forEach((read, i) => {
    if (!isObject(read) || !isObject(read['args'])) return;
    for (const [key, value] of Object.entries(read['args'])) {
      if (typeof value === 'string' && value.startsWith('='))
        add(`${path}/reads/${i}/args${formatPointer([key])}`, value.slice(1));
    }
  });
  if (!isObject(entry['set'])) return;
  add(`${path}/set/value`, entry['set']['value']);
  for (const segment of parsePointer(textOf(entry['set']['path'])) ?? []) {
    if (segment.startsWith('=')) add(`${path}/set/path`, segment.slice(1));
  }
}
