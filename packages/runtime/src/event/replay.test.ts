import { expect, test } from 'vitest';
import type { Delta, EventBody } from '../types.ts';
import { chainEvents, genesis } from './chain.ts';
import { replayState } from './replay.ts';

const stepBody = (step: number, delta: Delta): EventBody => ({
  type: 'state.set',
  who: `step ${step}`,
  delta,
  why: '',
});
const issue = { code: 'confirm.failed', path: '', hint: 'no' } as const;
const confirm = { step: 1, call: 'c', name: 'n', subject: 'o1', reads: [], issues: [issue] };
const bodies: EventBody[] = [
  {
    type: 'run.started',
    skill: 'a',
    tools: 'b',
    state: { n: 0, log: [] },
    parent: null,
    model: 'm',
    strategy: 'state',
    mode: 'text',
    dialect: 'merge',
  },
  stepBody(1, [
    { set: '/n', value: 1 },
    { set: '/log/0', value: 'one' },
  ]),
  { type: 'message.received', id: 1, from: 'ann', sentAt: 1, text: 'hello' },
  { type: 'state.set', who: 'ann', delta: [{ set: '/wish', value: 'UTC' }], why: '' },
  { type: 'confirmed', ...confirm, delta: [{ set: '/ok', value: true }] },
  { type: 'unconfirmed', ...confirm, delta: [{ delete: '/ok' }] },
  {
    type: 'skill.changed',
    from: { skill: 'a', tools: 't' },
    to: { skill: 'b', tools: 't' },
    changes: [],
    delta: [{ set: '/v', value: 2 }],
  },
];

test('every delta is applied, whatever event brings it, and the state before is not needed at the start', () => {
  const events = chainEvents(genesis('r'), 1, bodies);
  expect(replayState({ any: 'thing' }, events)).toEqual({ n: 1, log: ['one'], wish: 'UTC', v: 2 });
  expect(replayState({ n: 5, log: [] }, events.slice(1, 2))).toEqual({ n: 1, log: ['one'] });
});

test('P35: replay takes time and ids from the log, so it gives the same on any day, in any process', () => {
  const at = stepBody(1, [{ set: '/n', value: '2026-03-01T23:30:00-05:00' }]);
  const events = chainEvents(genesis('r'), 1, [bodies[0] as EventBody, at]);
  expect(replayState({}, JSON.parse(JSON.stringify(events)))).toEqual(replayState({}, events));
});

test('P35: a delta that does not fit stops the replay', () => {
  const events = chainEvents(genesis('r'), 1, [stepBody(1, [{ delete: '/missing/deep' }])]);
  expect(() => replayState({}, events)).toThrow();
});
