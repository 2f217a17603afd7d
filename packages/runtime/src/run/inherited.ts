import { jsonEqual } from '../json/equal.ts';
import { getAt } from '../json/pointer.ts';
import type { Confirmed, JsonObject, RunEvent, RunHead, Store } from '../types.ts';
import { type Claims, claimKey, claimsOf } from './claims.ts';

/**
 * What a fork of `parent` inherits: what was confirmed by `seq`, by the parent or by an ancestor that the parent had it
 * from, and holds in the state of then. A field that was cleared has another value again.
 */
export async function inheritedAt(
  store: Store,
  parent: RunHead,
  seq: number,
  state: JsonObject,
): Promise<Confirmed[]> {
  const found = new Map<string, Confirmed>();
  for await (const event of store.events(parent.run, { types: ['run.started', 'confirmed'], to: seq }))
    for (const one of confirmedBy(event, claimsOf(parent))) {
      const key = claimKey(one.name, one.subject);
      const holds = one.delta.every(
        (change) => 'set' in change && jsonEqual(getAt(state, change.set) ?? null, change.value),
      );
      if (parent.confirmed[key] === event.seq || (one.delta.length > 0 && holds)) found.set(key, one);
      else found.delete(key);
    }
  return [...found.values()];
}

function confirmedBy(event: RunEvent, claims: Claims): readonly Confirmed[] {
  if (event.type === 'run.started') return event.confirmed ?? [];
  if (event.type !== 'confirmed') return [];
  const { name, subject, call, step, seq, delta } = event;
  const [only] = delta;
  const filled = delta.length === 1 && only !== undefined && 'set' in only ? only.set : null;
  const path = claims[claimKey(name, subject)]?.path ?? filled;
  return [{ name, subject, call, step, seq, path, delta }];
}

/** The head of a fork that inherits: its first event, which lists them, is what backs each. */
export function inherit(
  inherited: readonly Confirmed[],
  first: number,
): { readonly confirmed: RunHead['confirmed']; readonly claims: Claims } {
  const keyed = inherited.map((one) => [claimKey(one.name, one.subject), one] as const);
  return {
    confirmed: Object.fromEntries(keyed.map(([key]) => [key, first])),
    claims: Object.fromEntries(
      keyed.map(([key, { name, subject, call, step, path }]) => [
        key,
        { name, subject, call, step, path, seq: first, checked: true },
      ]),
    ),
  };
}
