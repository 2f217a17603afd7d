import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { dictFromPlain, loadTau, openTau, scriptedUser, stopMark, type TauAction, writeJson } from './tau.ts';

const domain = loadTau(fileURLToPath(new URL('./fixtures/tau', import.meta.url)), 'retail');
const airline = loadTau(fileURLToPath(new URL('./fixtures/tau', import.meta.url)), 'airline');

function call(name: string, kwargs: object): TauAction {
  return { name, kwargs: dictFromPlain(kwargs) };
}

function open(index: number, messages: string[], of = domain) {
  const task = of.tasks.get('test')?.[index];
  if (!task) throw new Error(`no task ${index}`);
  return openTau(of, task, scriptedUser(messages));
}

test('a conversation runs until the user stops it, and is scored then', async () => {
  const env = open(0, ['hi', 'yes, cancel it', `thanks ${stopMark} bye`]);
  expect(await env.reset()).toBe('hi');
  expect(await env.step(call('respond', { content: 'shall I?' }))).toEqual({
    observation: 'yes, cancel it',
    source: 'user',
    done: false,
  });
  const cancelled = await env.step(
    call('cancel_pending_order', { order_id: '#W1', reason: 'no longer needed' }),
  );
  expect(cancelled).toMatchObject({ source: 'cancel_pending_order', done: false });
  const last = await env.step(call('respond', { content: 'done' }));
  expect(last.done).toBe(true);
  expect(last.score?.reward).toBe(1);
  expect(writeJson(last.score?.info ?? null)).toMatch(
    /^\{"r_actions": 1\.0, "gt_data_hash": "[0-9a-f]{64}"\}$/,
  );
  await expect(env.step(call('think', { thought: '' }))).rejects.toThrow(/reset/);
});

test('a hand-off ends the episode, also when the call itself fails', async () => {
  const env = open(1, ['hi']);
  await env.reset();
  const step = await env.step(call('transfer_to_human_agents', {}));
  expect(step).toMatchObject({ done: true, score: { reward: 1 } });
  expect(step.observation).toContain('missing 1 required positional argument');
  await env.reset();
  expect((await env.step(call('transfer_to_human_agents', { summary: 's' }))).observation).toBe(
    'Transfer successful',
  );
});

test('reset brings back an untouched database, and episodes do not see each other', async () => {
  const [a, b] = [open(0, ['hi']), open(0, ['hi'])];
  await a.reset();
  await b.reset();
  await a.step(call('cancel_pending_order', { order_id: '#W1', reason: 'no longer needed' }));
  expect(a.database().hash()).not.toBe(domain.snapshot.hash);
  expect(b.database().hash()).toBe(domain.snapshot.hash);
  await a.reset();
  expect(a.database().hash()).toBe(domain.snapshot.hash);
  expect(a.trace()).toEqual([]);
});

test('an unknown tool, a failing tool and a step that raises are observations of three kinds', async () => {
  const env = open(0, ['hi'], airline);
  await env.reset();
  expect((await env.step(call('no_tool', {}))).observation).toBe('Unknown action no_tool');
  const send = call('send_certificate', { user_id: 'bo_1', amount: 5 });
  for (let i = 0; i < 3; i++) expect((await env.step(send)).observation).toContain('with amount 5.');
  expect(await env.step(send)).toMatchObject({ observation: null, raises: 'ValidationError', done: false });
  expect((await env.step(call('get_user_details', { user_id: ['x'] }))).observation).toBe(
    "Error: unhashable type: 'list'",
  );
});

test('stored arguments are copies: changing the caller’s list afterwards changes nothing', async () => {
  const env = open(0, ['hi'], airline);
  await env.reset();
  const action = call('update_reservation_passengers', {
    reservation_id: 'AAA111',
    passengers: [{ first_name: 'Cy' }],
  });
  await env.step(action);
  const hash = env.database().hash();
  const passengers = action.kwargs.get('passengers');
  if (Array.isArray(passengers)) passengers.push('intruder');
  expect(env.database().hash()).toBe(hash);
});
