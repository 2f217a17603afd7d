import { checkJson } from '../json/check.ts';
import type { Issue, Json } from '../types.ts';
import { boundIssues } from './bounds.ts';
import type { Contract } from './contract.ts';
import { schemaIssues } from './explain.ts';
import { reservedKeys } from './reserved.ts';
import { isObject } from './shape.ts';
import { got } from './show.ts';

/**
 * Everything that is wrong with a value as Σ of this contract: form, reserved keys (such as the `$type` of another program,
 * P21), schema, bounds. Empty: a valid state. For any value, a state file of unknown origin included.
 */
export function checkState(contract: Contract, state: unknown): readonly Issue[] {
  const checked = checkJson(state);
  if (!checked.ok) return checked.issues;
  const value: Json = checked.value;
  if (!isObject(value)) {
    return [{ code: 'schema.type', path: '', hint: `a state is one object, got ${got(value)}` }];
  }
  const reserved = reservedKeys(value, '');
  const places = new Set(reserved.map(({ path }) => path));
  const schema = schemaIssues(contract, value).filter(({ path }) => !places.has(path));
  return [...reserved, ...schema, ...boundIssues(contract.root, undefined, value)];
}
