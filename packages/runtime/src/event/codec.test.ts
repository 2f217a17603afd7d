import { expect, test } from 'vitest';
import type { EventBody } from '../types.ts';
import { chainEvents, genesis } from './chain.ts';
import { decodeEvent, encodeEvent, eventLine, parseEventLine } from './codec.ts';

const body: EventBody = {
  type: 'state.set',
  who: 'me',
  delta: [{ set: '/a', value: null }],
  why: 'x\u2028y',
};
const [event] = chainEvents(genesis('r'), Date.UTC(2026, 2, 1, 22, 30), [body]);
if (event === undefined) throw new Error('unreachable');
const stored = encodeEvent(event);

test('an event comes back from its stored form and from its line', () => {
  expect(decodeEvent(stored)).toEqual({ ok: true, value: event });
  expect(parseEventLine(eventLine('r', event), 1)).toEqual({ ok: true, value: { run: 'r', event } });
});

test('the hashed text can be cut out of a line', () => {
  const line = eventLine('r', event);
  const at = line.indexOf(`"hash":"${event.hash}",`);
  expect(`{${line.slice(at + event.hash.length + 10)}`).toBe(stored.body);
});

test('P53: a line carries its time in UTC with the offset said', () => {
  expect(JSON.parse(eventLine('r', event))).toMatchObject({ time: '2026-03-01T22:30:00.000Z', seq: 1 });
});

test('P19: an event of a newer version is refused, and says what to do', () => {
  const result = decodeEvent({ ...stored, v: 2 });
  expect(result).toMatchObject({ ok: false, issues: [{ code: 'store.newer', path: '/events/1' }] });
  expect(JSON.stringify(result)).toMatch(/update/);
});

test('P19: an event of an older version is migrated where there is a way, else refused', () => {
  const old = { ...stored, v: 0, body: '{"type":"set","who":"me"}' };
  const migrate = { 0: (before: object) => ({ ...before, type: 'state.set', delta: [], why: '' }) };
  expect(decodeEvent(old, migrate)).toMatchObject({
    ok: true,
    value: { type: 'state.set', who: 'me', why: '' },
  });
  expect(decodeEvent(old)).toMatchObject({ ok: false, issues: [{ code: 'store.corrupt' }] });
});

test('P21: what cannot be decoded is an issue that names the event, never null', () => {
  const bodies = ['', 'null', '[]', '"x"', '{"type":"UnknownV2"}', '{}', '{"type":"toString"}', '{"type":'];
  for (const text of bodies) {
    const result = decodeEvent({ ...stored, body: text });
    expect(result).toMatchObject({ ok: false, issues: [{ path: '/events/1' }] });
  }
  for (const line of ['', 'null', '{"run":"r"}', '{"run":"r","v":1,"seq":1,"at":1,"prev":1,"hash":""}'])
    expect(parseEventLine(line, 7)).toMatchObject({ ok: false, issues: [{ path: '/lines/7' }] });
});
