import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EventBody, RunEvent } from '../types.ts';
import { chainEvents, eventHash, genesis, verifyChain } from './chain.ts';
import { bodyText } from './codec.ts';

const note = (why: string): EventBody => ({ type: 'state.set', who: 'me', delta: [], why });
const chain = (run: string, n = 6): RunEvent[] =>
  chainEvents(
    genesis(run),
    1000,
    Array.from({ length: n }, (_, i) => note(`note ${i}`)),
  );

test('a chain that was not touched verifies, and ends where it ends', () => {
  const events = chain('r');
  expect(verifyChain(events, { run: 'r' })).toEqual({
    ok: true,
    events: 6,
    head: { seq: 6, hash: events[5]?.hash },
  });
  expect(verifyChain([], { run: 'r' }).ok).toBe(true);
});

test('P78: an edited event is named, whatever member was edited', () => {
  const edits: ((event: RunEvent) => RunEvent)[] = [
    (event) => ({ ...event, why: 'forged' }) as RunEvent,
    (event) => ({ ...event, at: event.at + 1 }),
    (event) => Object.assign({ ...event }, { extra: 1 }),
    (event) => ({ ...event, hash: '0'.repeat(64) }),
    (event) => ({ ...event, prev: '0'.repeat(64) }),
    (event) => ({ ...event, v: 2 }) as unknown as RunEvent,
  ];
  for (const edit of edits) {
    const events = chain('r').map((event) => (event.seq === 4 ? edit(event) : event));
    expect(verifyChain(events, { run: 'r' })).toMatchObject({ ok: false, seq: 4, fault: 'edited' });
  }
});

test('P78: an event that was replaced and given a right hash is named', () => {
  const events = chain('r').map((event) => {
    if (event.seq !== 4) return event;
    const forged = { ...event, why: 'forged' } as RunEvent;
    return { ...forged, hash: eventHash(forged.prev, 4, forged.at, 1, bodyText(forged)) };
  });
  expect(verifyChain(events, { run: 'r' })).toMatchObject({ ok: false, seq: 4, fault: 'edited' });
});

test('P78: removed, repeated and reordered events are named', () => {
  const events = chain('r');
  const pick = (...seqs: number[]): RunEvent[] => seqs.map((seq) => events[seq - 1] as RunEvent);
  const of = (...seqs: number[]) => verifyChain(pick(...seqs), { run: 'r' });
  expect(of(1, 2, 4, 5, 6)).toMatchObject({ ok: false, seq: 3, fault: 'removed' });
  expect(of(2, 3, 4)).toMatchObject({ ok: false, seq: 1, fault: 'removed' });
  expect(of(1, 2, 4, 3, 5, 6)).toMatchObject({ ok: false, seq: 3, fault: 'reordered' });
  expect(of(1, 2, 2, 3)).toMatchObject({ ok: false, seq: 2, fault: 'reordered' });
});

test('a lost or rewritten tail is found by the end, or by a head hash kept elsewhere', () => {
  const events = chain('r');
  const end = events[5] as RunEvent;
  const cut = events.slice(0, 4);
  expect(verifyChain(cut, { run: 'r' }).ok).toBe(true);
  expect(verifyChain(cut, { run: 'r', end })).toMatchObject({ ok: false, seq: 5, fault: 'truncated' });
  expect(verifyChain(cut, { run: 'r', head: end.hash })).toMatchObject({
    ok: false,
    seq: 5,
    fault: 'truncated',
  });
  const rewritten = [...cut, ...chainEvents(cut[3] as RunEvent, 1000, [note('other'), note('tail')])];
  expect(verifyChain(rewritten, { run: 'r', head: end.hash })).toMatchObject({
    ok: false,
    fault: 'truncated',
  });
});

test('an older head hash still holds for a log that went on', () => {
  const events = chain('r');
  expect(verifyChain(events, { run: 'r', head: events[2]?.hash }).ok).toBe(true);
});

test("one run's log cannot be passed off as another's", () => {
  expect(verifyChain(chain('r'), { run: 'other' })).toMatchObject({ ok: false, seq: 1, fault: 'foreign' });
});

test('a hash survives a round trip through JSON text, for any content', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (patch, why) => {
      const body = { type: 'state.set', who: why, delta: [{ set: '/x', value: patch }], why } as EventBody;
      const events = chainEvents(genesis('r'), 5, [body]);
      const read = events.map((event) => JSON.parse(JSON.stringify(event)) as RunEvent);
      expect(verifyChain(read, { run: 'r' }).ok).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('events need a time in whole milliseconds', () => {
  expect(() => chainEvents(genesis('r'), 1.5, [note('x')])).toThrow(/whole milliseconds/);
});
