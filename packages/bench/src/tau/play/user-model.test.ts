import { createScriptedModel, type Model, type ModelRequest } from '@skillstate/runtime';
import { expect, test } from 'vitest';
import { stopMark } from '../environment.ts';
import { ownRetail, play, tasksOf } from './fixture.test.support.ts';
import { modelUsers } from './user-model.ts';
import type { UserStrategy } from './user.ts';

const [task] = tasksOf(ownRetail);
if (task === undefined) throw new Error('no task');

/** A model that says these texts one after the other, and what it was asked. */
function saying(...texts: readonly string[]) {
  const asked: ModelRequest[] = [];
  const inner = createScriptedModel((_, call) => texts[call - 1] ?? stopMark, { name: 'test:user' });
  const model: Model = {
    ...inner,
    ask(request) {
      asked.push(request);
      return inner.ask(request);
    },
  };
  return { model, asked };
}

function open(model: Model, strategy: Exclude<UserStrategy, 'scripted'>) {
  if (task === undefined) throw new Error('no task');
  return modelUsers(model, strategy).open(task, 0);
}

test('llm: the model sees its instruction, and the conversation from the user’s side', async () => {
  const { model, asked } = saying('I want to cancel.', 'Yes.', `Thanks! ${stopMark}`);
  const user = open(model, 'llm');
  expect(await user.reset('Cancel order #W1.')).toBe('I want to cancel.');
  expect(await user.reply('Shall I?')).toBe('Yes.');
  expect(await user.reply('Done.')).toBe(stopMark);
  const last = asked.at(-1)?.prompt ?? [];
  expect(last[0]?.text).toContain('Cancel order #W1.');
  expect(last.slice(1).map(({ role, text }) => [role, text])).toEqual([
    ['user', 'Hi! How can I help you today?'],
    ['assistant', 'I want to cancel.'],
    ['user', 'Shall I?'],
    ['assistant', 'Yes.'],
    ['user', 'Done.'],
  ]);
  expect(asked.every(({ schema }) => schema === null)).toBe(true);
});

test('react: what the user thinks is not said; a text without a response is the simulator’s failure', async () => {
  const { model } = saying('Thought:\nsecret\nUser Response:\nHello there.', 'I say nothing in form');
  const user = open(model, 'react');
  expect(await user.reset('x')).toBe('Hello there.');
  await expect(Promise.resolve(user.reply('?'))).rejects.toMatchObject({ who: 'simulator' });
});

test('verify: a message judged bad is written again, at most twice; the last one stands', async () => {
  const good = saying('first', 'Verdict: bad', 'second', 'It fits.\nVerdict: good');
  expect(await open(good.model, 'verify').reset('x')).toBe('second');
  expect(good.asked.length).toBe(4);
  const bad = saying('one', 'Verdict: bad', 'two', 'Verdict: bad', 'three', 'Verdict: bad');
  expect(await open(bad.model, 'verify').reset('x')).toBe('three');
  expect(bad.asked.length).toBe(5);
});

test('reflection: a bad message is replaced by the one written after saying what was wrong', async () => {
  const { model, asked } = saying(
    'I am the agent',
    'Verdict: bad',
    'Reflection:\nwrong role\nUser Response:\nI want help',
    'Verdict: good',
  );
  expect(await open(model, 'reflection').reset('x')).toBe('I want help');
  expect(asked[2]?.prompt[0]?.text).toContain('I am the agent');
});

test('a model that answers three times with nothing is the provider’s failure; one empty answer is asked again', async () => {
  expect(await open(saying('', 'here').model, 'llm').reset('x')).toBe('here');
  const silent = open(saying('', '', '').model, 'llm');
  await expect(Promise.resolve(silent.reset('x'))).rejects.toMatchObject({ who: 'provider' });
});

test('an instruction with replacement patterns stays as it is written', async () => {
  const { model, asked } = saying('ok');
  await open(model, 'llm').reset('pay $& and $1 with $$');
  expect(asked[0]?.prompt[0]?.text).toContain('pay $& and $1 with $$');
});

test('a model plays the user of a whole episode, and its tokens are counted apart', async () => {
  const { model } = saying('Please cancel order #W1.', stopMark);
  const result = await play({ domain: ownRetail, task }, { user: modelUsers(model, 'llm') });
  expect(result).toMatchObject({ opening: 'Please cancel order #W1.', official: { reward: 1 } });
  expect(result.user).toEqual({ model: 'test:user', strategy: 'llm', seed: null });
  expect(result.totals.calls).toBe(3);
});
