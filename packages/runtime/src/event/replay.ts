import { applyDelta } from '../state/delta.ts';
import type { JsonObject, RunEvent } from '../types.ts';

/**
 * Σ after `events`, in order, over the Σ before them. Needs no skill and no merge code (R15): `run.started` brings its
 * own state, every other event its resolved delta. Throws where a delta does not fit: the events belong elsewhere.
 */
export function replayState(before: JsonObject, events: Iterable<RunEvent>): JsonObject {
  let state = before;
  for (const event of events) state = replayEvent(state, event);
  return state;
}

export function replayEvent(state: JsonObject, event: RunEvent): JsonObject {
  if (event.type === 'run.started') return event.state;
  return 'delta' in event && event.delta.length > 0 ? applyDelta(state, event.delta) : state;
}
