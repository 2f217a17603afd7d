import { jsonEqual } from '../json/equal.ts';
import { getAt } from '../json/pointer.ts';
import type { Commit, Confirmed, JsonObject, RunEvent, Store, Subjects } from '../types.ts';
import { claimKey } from './claims.ts';

/**
 * What a fork of `parent` inherits: what was confirmed by `seq`, by the parent or by an ancestor that the parent had it
 * from, and holds in the state of then. A field that was cleared has another value again.
 */
export async function inheritedAt(
  store: Store,
  parent: string,
  seq: number,
  state: JsonObject,
): Promise<Confirmed[]> {
  const found = new Map<string, Confirmed>();
  const subjects = await store.subjects(parent);
  for await (const event of store.events(parent, { types: ['run.started', 'confirmed'], to: seq }))
    for (const one of confirmedBy(event, subjects)) {
      const key = claimKey(one.name, one.subject);
      const holds = one.delta.every(
        (change) => 'set' in change && jsonEqual(getAt(state, change.set) ?? null, change.value),
      );
      if (subjects.get(key)?.confirmed === event.seq || (one.delta.length > 0 && holds)) found.set(key, one);
      else found.delete(key);
    }
  return [...found.values()];
}

function confirmedBy(event: RunEvent, subjects: Subjects): readonly Confirmed[] {
  if (event.type === 'run.started') return event.confirmed ?? [];
  if (event.type !== 'confirmed') return [];
  const { name, subject, call, step, seq, delta } = event;
  const [only] = delta;
  const filled = delta.length === 1 && only !== undefined && 'set' in only ? only.set : null;
  const path = subjects.get(claimKey(name, subject))?.path ?? filled;
  return [{ name, subject, call, step, seq, path, delta }];
}

/** The subjects of a fork that inherits: its first event, which lists them, is what backs each. */
export function inherit(inherited: readonly Confirmed[], first: number): NonNullable<Commit['subjects']> {
  return inherited.map(({ name, subject, call, step, path }) => [
    claimKey(name, subject),
    { name, subject, call, step, path, seq: first, checked: true, confirmed: first },
  ]);
}
