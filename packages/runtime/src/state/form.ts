import { nearest } from '../json/nearest.ts';
import type { Dialect, Issue, Json, JsonObject, Pointer, Result } from '../types.ts';
import { isObject } from './shape.ts';

/** The special forms of the merge dialect: an object whose keys begin with `$`. */
export type Form =
  | { readonly kind: 'set'; readonly value: Json }
  | { readonly kind: 'add'; readonly value: Json }
  | { readonly kind: 'list'; readonly append: Json | undefined; readonly remove: Json | undefined };

const FORMS: readonly string[] = ['$set', '$append', '$remove', '$add'];

/** Whether a patch value is meant as a form. State keys may not begin with `$`, so there is no doubt. */
export function isForm(value: Json): boolean {
  if (!isObject(value)) return false;
  for (const key in value) if (key.startsWith('$')) return true;
  return false;
}

/** Reads a form: `$set` or `$add` alone, `$remove` and `$append` alone or together. Else one `syntax.form` issue. */
export function readForm(value: JsonObject, path: Pointer): Result<Form> {
  const keys = Object.keys(value);
  const unknown = keys.find((key) => !FORMS.includes(key));
  if (unknown !== undefined) return fault(path, unknownForm(unknown));
  const lists = keys.every((key) => key === '$append' || key === '$remove');
  if (lists) {
    return { ok: true, value: { kind: 'list', append: value['$append'], remove: value['$remove'] } };
  }
  if (keys.length > 1) return fault(path, `${keys.join(' and ')} cannot stand together`);
  const kind = keys[0] === '$set' ? 'set' : 'add';
  return { ok: true, value: { kind, value: value[`$${kind}`] as Json } };
}

function unknownForm(key: string): string {
  if (!key.startsWith('$')) return `${key} cannot stand beside a $ form: send one or the other`;
  const close = nearest(key, FORMS);
  const advice = close === null ? `the forms are ${FORMS.join(', ')}` : `did you mean ${close}?`;
  return `unknown form ${key}, ${advice}`;
}

function fault(path: Pointer, hint: string): Result<never> {
  return { ok: false, issues: [formIssue(path, hint)] };
}

export function formIssue(path: Pointer, hint: string): Issue {
  return { code: 'syntax.form', path, hint };
}

/** How each dialect says what the guards ask for; used by hints and by the contract's text. */
export type Words = {
  readonly replaceList: (path: Pointer) => string;
  readonly removeItems: (path: Pointer) => string;
  readonly appendAgain: (path: Pointer) => string;
  readonly addNumber: (path: Pointer) => string;
};

export const WORDS: Readonly<Record<Dialect, Words>> = {
  merge: {
    replaceList: () => 'to replace the whole list send {"$set": […]}',
    removeItems: () => 'to remove items send {"$remove": […]}',
    appendAgain: () => 'to add them again send {"$append": […]}',
    addNumber: () => 'send {"$add": n}',
  },
  operations: {
    replaceList: (path) => `to replace the whole list: {"op":"set","path":"${path}","value":{"$set":[…]}}`,
    removeItems: (path) => `to remove an item: {"op":"remove","path":"${path}","value":item}`,
    appendAgain: (path) => `to add one again: {"op":"add","path":"${path}","value":item}`,
    addNumber: (path) => `use {"op":"add","path":"${path}","value":n}`,
  },
};
