import { emptyUsage, type ModelReply } from '@skillstate/runtime';
import { expect, test } from 'vitest';
import type { BenchModel } from '../../harness/model.ts';
import { summarise } from '../../outcome/summary.ts';
import { scriptedUser } from '../environment.ts';
import { tauOutcome } from './bench.ts';
import type { TauOptions } from './episode.ts';
import { ownRetail, play, playAll, tasksOf } from './fixture.test.support.ts';
import { scriptedAgent } from './scripted.ts';
import { userProblem, type UserSource } from './user.ts';

const [cancel, , , broken] = tasksOf(ownRetail);
if (cancel === undefined || broken === undefined) throw new Error('no tasks');

/** An agent that answers every prompt the same way. */
function always(reply: Partial<ModelReply & { ok: true }> | (ModelReply & { ok: false })): BenchModel {
  const whole = {
    ok: true,
    text: '',
    json: null,
    calls: 0,
    finish: 'stop',
    usage: emptyUsage(),
    retries: [],
    ...reply,
  };
  return {
    facts: { name: 'fixed', mode: 'text', reasoning: null, faults: null },
    mode: 'text',
    dialect: 'merge',
    open: () =>
      Promise.resolve({ ask: () => Promise.resolve(whole as ModelReply), close: () => Promise.resolve() }),
  };
}

function act(tool: string, args: object): BenchModel {
  return always({
    text: `\`\`\`json\n${JSON.stringify({ state_patch: {}, action: { tool, args } })}\n\`\`\``,
  });
}

function usersThat(reply: () => string, opening = 'hello'): UserSource {
  return {
    facts: () => ({ model: 'test', strategy: 'llm', seed: 7 }),
    open: () => ({ reset: () => opening, reply, spent: emptyUsage }),
  };
}

function throwing(who: 'provider' | 'simulator'): UserSource {
  return usersThat(() => {
    throw userProblem(who, `no words: ${who}`);
  });
}

async function blamed(other: Partial<TauOptions>, task = cancel) {
  if (task === undefined) throw new Error('no task');
  const { failure, ended, official } = await play({ domain: ownRetail, task }, other);
  return { who: failure?.who ?? null, why: failure?.why ?? '', ended, reward: official.reward };
}

const unreachable = { code: 'model.unreachable', path: '', hint: 'no answer' } as const;

test('P82: a provider that cannot be asked or answers with nothing is not the agent', async () => {
  const none = { ok: false, issue: unreachable, temporary: false, usage: emptyUsage(), retries: [] } as const;
  expect(await blamed({ model: always(none) })).toMatchObject({ who: 'provider', ended: 'refused' });
  expect(await blamed({ model: always({ text: '' }) })).toMatchObject({ who: 'provider', ended: 'refused' });
  expect(await blamed({ user: throwing('provider') })).toMatchObject({ who: 'provider', ended: 'broken' });
});

test('P82: a user that breaks its form, leaves at the first question or never leaves is the simulator', async () => {
  expect(await blamed({ user: throwing('simulator') })).toMatchObject({ who: 'simulator', ended: 'broken' });
  const opening: UserSource = {
    ...throwing('simulator'),
    open: () => ({
      reset: () => Promise.reject(userProblem('simulator', 'no first words')),
      reply: () => '',
      spent: emptyUsage,
    }),
  };
  expect(await blamed({ user: opening })).toMatchObject({
    who: 'simulator',
    ended: 'broken',
    why: 'no first words',
  });
  const leaving = { ...usersThat(() => ''), open: () => ({ ...scriptedUser(['hello']), spent: emptyUsage }) };
  const asking = act('respond', { content: 'Who are you?' });
  expect(await blamed({ user: leaving, model: asking })).toMatchObject({ who: 'simulator', ended: 'user' });
  const staying = usersThat(() => 'and what else?');
  expect(await blamed({ user: staying, steps: 8 })).toMatchObject({
    who: 'simulator',
    ended: 'steps',
    reward: 0,
  });
});

test('P82: an agent that is refused, runs out of steps, waits or does the wrong thing is to blame itself', async () => {
  expect(await blamed({ model: always({ text: 'I think so.' }) })).toMatchObject({
    who: 'agent',
    ended: 'refused',
  });
  expect(await blamed({ model: act('think', { thought: 'hm' }), steps: 5 })).toMatchObject({
    who: 'agent',
    ended: 'steps',
  });
  expect(await blamed({ model: act('wait', {}), steps: 5 })).toMatchObject({ who: 'agent', ended: 'steps' });
  expect(await blamed({ model: act('finish', { summary: 'done' }) })).toMatchObject({
    who: 'agent',
    ended: 'refused',
  });
  expect(await blamed({ model: act('respond', { content: 'Done.' }) })).toMatchObject({
    who: 'agent',
    ended: 'user',
  });
});

test('P82: an environment that throws is the harness', async () => {
  const bug = usersThat(() => {
    throw new RangeError('a fault of ours');
  });
  expect(await blamed({ user: bug })).toMatchObject({
    who: 'harness',
    ended: 'broken',
    why: 'a fault of ours',
  });
});

test('P82: the user’s model, strategy and seed are recorded, and every message', async () => {
  const result = await play(
    { domain: ownRetail, task: cancel },
    { user: usersThat(() => '###STOP###', 'cancel it') },
  );
  expect(result.user).toEqual({ model: 'test', strategy: 'llm', seed: 7 });
  expect(result.opening).toBe('cancel it');
  expect(result.actions.map(({ tool, said }) => [tool, said])).toEqual([
    ['get_order_details', null],
    ['cancel_pending_order', null],
    ['respond', '###STOP###'],
  ]);
});

test('P79: rates are given with and without known-bad tasks, spread and pass^k over trials', async () => {
  const trials = [
    ...(await playAll(ownRetail, tasksOf(ownRetail).slice(0, 3))),
    ...(await playAll(ownRetail, tasksOf(ownRetail).slice(0, 3), { agent: 'nothing' })).map((result) => ({
      ...result,
      trial: 1,
    })),
  ];
  const [arm] = summarise(trials.map((result) => ({ ...tauOutcome(result), knownBad: result.task === 2 })));
  // Trial 0 passes all three tasks; trial 1 only the hand-off that the official reward does not look for.
  expect(arm).toMatchObject({
    tasks: 3,
    trials: 2,
    episodes: 6,
    passed: 4,
    passRate: 4 / 6,
    passRateOfGood: 3 / 4,
  });
  expect(arm?.passHat).toEqual([4 / 6, 1 / 3]);
  expect(arm?.spread).toBeCloseTo(Math.SQRT1_2 * (2 / 3));
  expect(arm).toMatchObject({ confirmed: 3, failures: { agent: 2, simulator: 0, harness: 0, provider: 0 } });
});

test('P81: a claim that lists the same items in another order is the same call', async () => {
  const [, , , , , giveBack] = tasksOf(ownRetail);
  if (giveBack === undefined) throw new Error('no task');
  const inner = scriptedAgent('gold', ownRetail, giveBack, 'state');
  const turned: BenchModel = {
    ...inner,
    async open(key) {
      const episode = await inner.open(key);
      return {
        ...episode,
        async ask(request, about) {
          const reply = await episode.ask(request, about);
          if (!reply.ok || !reply.text.includes('"claims"')) return reply;
          return { ...reply, text: reply.text.replace('["12","7"]', '["7","12"]') };
        },
      };
    },
  };
  const result = await play({ domain: ownRetail, task: giveBack }, { model: turned });
  expect(result.verified).toEqual({ verdict: 'confirmed', reward: 1, failed: [] });
});
