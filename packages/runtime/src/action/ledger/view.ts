import { byteLength } from '../../json/wellformed.ts';
import type { Changes } from './changes.ts';
import type { Read, TestRun } from './create.ts';

/** Bytes of each part; together at most 1 kB. */
const ROOM = { reads: 480, changed: 280, tests: 240 };
const LABEL = 60;

/** What was read and still stands, what was changed, which tests ran: one line, newest first, at most 1 kB. */
export function ledgerView(changes: Changes, reads: readonly Read[], tests: readonly TestRun[]): string {
  const fresh = reads.filter(({ resources, at }) => changes.unchanged(resources, at));
  const changed = changes
    .list()
    .map(([name, step]) => `${short(name.replace(/^(?:file|tree):/, ''))} (step ${step})`);
  const runs = tests.map((test) => testLine(test, changes.count()));
  return [
    part('read, and not changed by this run since', fresh.map(readLine), ROOM.reads),
    part('changed', changed, ROOM.changed),
    part('tests run', runs, ROOM.tests),
  ]
    .filter((text) => text !== '')
    .join('. ');
}

/** As many of the last items as fit. */
function part(what: string, items: readonly string[], room: number): string {
  const kept: string[] = [];
  let left = room - byteLength(what) - 24;
  for (const item of items.toReversed()) {
    left -= byteLength(item) + 2;
    if (left < 0) break;
    kept.push(item);
  }
  const more = items.length > kept.length ? ` and ${items.length - kept.length} more` : '';
  return items.length === 0 ? '' : `${what}: ${kept.join(', ')}${more}`;
}

function readLine({ label, range, step }: Read): string {
  return `${short(label)}${range === '' ? '' : ` ${range}`} (step ${step})`;
}

function testLine({ form, step, ok, at }: TestRun, now: number): string {
  return `${short(form)} (step ${step}, ${ok ? 'passed' : 'failed'}${at === now ? ', nothing changed since' : ''})`;
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= LABEL ? line : `${line.slice(0, LABEL - 1).toWellFormed()}…`;
}
