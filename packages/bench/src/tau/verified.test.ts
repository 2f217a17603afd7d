import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  dictFromPlain,
  loadTau,
  openTau,
  scriptedUser,
  type TauAction,
  type TauDomain,
  verifyOutcome,
} from './tau.ts';
import { standsIn } from './verified.ts';

const domain = loadTau(fileURLToPath(new URL('./fixtures/tau', import.meta.url)), 'retail');

function call(name: string, kwargs: object): TauAction {
  return { name, kwargs: dictFromPlain(kwargs) };
}
const say = (content: string) => call('respond', { content });
const cancel = call('cancel_pending_order', { order_id: '#W1', reason: 'no longer needed' });
const readOrder = call('get_order_details', { order_id: '#W1' });
const handOff = call('transfer_to_human_agents', { summary: 'needs a person' });

/** Plays the actions on a task; gives the official reward, the verified verdict and the checks that failed. */
async function play(index: number, actions: TauAction[], claims?: TauAction[], of: TauDomain = domain) {
  const task = of.tasks.get('test')?.[index];
  if (!task) throw new Error(`no task ${index}`);
  const env = openTau(of, task, scriptedUser(['hello', ...actions.map(() => 'go on')]));
  await env.reset();
  for (const action of actions) await env.step(action);
  const episode = { database: env.database(), trace: env.trace(), ...(claims ? { claims } : {}) };
  const outcome = verifyOutcome(of, task, episode);
  const failed = outcome.checks
    .filter((check) => !check.confirmed)
    .map((check) => `${check.kind} ${check.subject}`);
  return { official: env.score().reward, verdict: outcome.verdict, reward: outcome.reward, failed };
}

test('P80: a required hand-off that did not happen is not confirmed, though the official reward is 1', async () => {
  const talk = await play(1, [readOrder, say('I cannot help with that.')]);
  expect(talk).toEqual({
    official: 1,
    verdict: 'refuted',
    reward: 0,
    failed: ['hand-off transfer_to_human_agents'],
  });
  expect(await play(1, [readOrder, handOff])).toMatchObject({ official: 1, verdict: 'confirmed', reward: 1 });
  const failing = call('transfer_to_human_agents', {});
  expect(await play(1, [failing])).toMatchObject({ verdict: 'refuted', reward: 0 });
});

test('P80: doing nothing is the floor: 0 where something is required, unverifiable where nothing is', async () => {
  expect(await play(0, [])).toMatchObject({ official: 0, verdict: 'refuted', reward: 0 });
  expect(await play(1, [])).toMatchObject({ official: 1, verdict: 'refuted', reward: 0 });
  expect(await play(2, [])).toMatchObject({ official: 0, verdict: 'refuted', reward: 0 });
  expect(await play(4, [])).toMatchObject({ official: 1, verdict: 'unverifiable', reward: 0 });
});

test('an agent that does the work is confirmed by reading the records back', async () => {
  expect(await play(0, [readOrder, cancel, say('Cancelled.')], [cancel])).toEqual({
    official: 1,
    verdict: 'confirmed',
    reward: 1,
    failed: [],
  });
});

test('an agent that claims success without acting is refuted by both rewards', async () => {
  const claim = await play(0, [readOrder, say('I have cancelled #W1.')], [cancel]);
  expect(claim).toMatchObject({ official: 0, verdict: 'refuted', reward: 0 });
  expect(claim.failed).toEqual(['change orders/#W1', 'change users/ana_1', 'claim cancel_pending_order']);
  // Where nothing is required, only the claim itself shows the lie.
  expect(await play(4, [say('Done.')], [cancel])).toMatchObject({ official: 1, verdict: 'refuted' });
});

test('a wrong agent is refuted: another change, a failed write, an extra write', async () => {
  const mistaken = call('cancel_pending_order', { order_id: '#W1', reason: 'ordered by mistake' });
  expect(await play(0, [mistaken])).toMatchObject({ official: 0, reward: 0, failed: ['change orders/#W1'] });
  const failing = call('cancel_pending_order', { order_id: '#W1', reason: 'because' });
  expect(await play(0, [failing], [failing])).toMatchObject({ official: 0, reward: 0 });
  const back = call('return_delivered_order_items', {
    order_id: '#W2',
    item_ids: ['7'],
    payment_method_id: 'paypal_1',
  });
  expect((await play(0, [cancel, back])).failed).toEqual(['extra-change orders/#W2']);
  expect(await play(0, [cancel, cancel])).toMatchObject({ official: 1, reward: 1 });
});

test('an output counts only as its own number and after a read', async () => {
  const read = call('get_product_details', { product_id: '900' });
  expect(await play(2, [read, say('It costs $10.10.')])).toMatchObject({ official: 1, verdict: 'confirmed' });
  expect(await play(2, [say('It costs $10.10.')])).toMatchObject({ official: 1, verdict: 'refuted' });
  expect(await play(2, [read, say('Order 210.199 is fine.')])).toMatchObject({
    official: 1,
    verdict: 'refuted',
  });
  expect(await play(2, [call('think', { thought: '10.1' }), say('10.1')])).toMatchObject({ reward: 0 });
});

test('standsIn knows the edges of words and numbers', () => {
  for (const text of ['10', '$10.00', 'it is 10.', '(10)', '10, please', '1,000 or 10'])
    expect([text, standsIn('10', text)]).toEqual([text, true]);
  for (const text of ['2100', '3.10', '10.5', '1010', '0.10'])
    expect([text, standsIn('10', text)]).toEqual([text, false]);
  expect(standsIn('1000', 'that is $1,000.00')).toBe(true);
  expect(standsIn('camera', 'two Cameras')).toBe(false);
  expect(standsIn('c++ (new)', 'C++ (new)!')).toBe(true);
});
