import type { TauAction } from './call.ts';
import { type PyDict, type PyValue, typeName } from './python/value.ts';

/** One task: what the simulated user wants, the ground-truth actions, and the texts the user must be told. */
export interface TauTask {
  readonly index: number;
  readonly userId: string;
  readonly instruction: string;
  readonly actions: readonly TauAction[];
  readonly outputs: readonly string[];
}

export type Split = 'test' | 'dev' | 'train';

/** Checks and converts a parsed task record; throws a TypeError that names what is wrong. */
export function toTask(value: PyValue, index: number): TauTask {
  const record = asDict(value, `task ${index}`);
  return {
    index,
    userId: asText(record.get('user_id'), `task ${index}.user_id`),
    instruction: asText(record.get('instruction'), `task ${index}.instruction`),
    actions: asList(record.get('actions'), `task ${index}.actions`).map((action) => toAction(action)),
    outputs: asList(record.get('outputs'), `task ${index}.outputs`).map((o) =>
      asText(o, `task ${index}.outputs`),
    ),
  };
}

/** Converts `{name, kwargs}`; where a vector line has `kwargs_json`, its parsed text wins (it keeps float and int). */
export function toAction(value: PyValue, exactKwargs?: PyValue): TauAction {
  const record = asDict(value, 'action');
  const kwargs = exactKwargs ?? record.get('kwargs') ?? null;
  return { name: asText(record.get('name'), 'action.name'), kwargs: asDict(kwargs, 'action.kwargs') };
}

export function asDict(value: PyValue | undefined, what: string): PyDict {
  if (value instanceof Map) return value;
  throw wrong(value, what, 'an object');
}

export function asList(value: PyValue | undefined, what: string): PyValue[] {
  if (Array.isArray(value)) return value;
  throw wrong(value, what, 'a list');
}

export function asText(value: PyValue | undefined, what: string): string {
  if (typeof value === 'string') return value;
  throw wrong(value, what, 'a text');
}

function wrong(value: PyValue | undefined, what: string, wanted: string): TypeError {
  const got = value === undefined ? 'nothing' : typeName(value);
  return new TypeError(`${what} should be ${wanted}, but is ${got}`);
}
