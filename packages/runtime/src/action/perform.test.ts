import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { Intent, Tool, ToolCall } from '../types.ts';
import { perform } from './perform.ts';

function toolOf(run: Tool['run'], readOnly = false): Tool {
  const inputSchema = { type: 'object' };
  const hints = { readOnly, idempotent: false, destructive: false, timeoutMs: 1000 };
  return { name: 'work', description: '', inputSchema, outputSchema: null, ...hints, declaration: {}, run };
}

function intentOf(ms: number, readOnly = false): Intent {
  const action = { tool: 'work', args: {} };
  const times = { startedAt: 0, deadline: ms };
  return {
    call: 'c1',
    step: 1,
    action,
    key: 'k',
    hash: 'h',
    readOnly,
    repeatable: false,
    ...times,
    pending: null,
    unknown: false,
  };
}

const never = (seen: ToolCall[]) => (call: ToolCall) => {
  seen.push(call);
  return new Promise<never>(() => undefined);
};

test('a call that misses its deadline is aborted; an effect is unknown, a read an error', async () => {
  const seen: ToolCall[] = [];
  const outer = new AbortController();
  const effect = await perform(toolOf(never(seen)), intentOf(20), 'r', outer.signal, () => 0);
  const read = await perform(toolOf(never(seen), true), intentOf(20, true), 'r', outer.signal, () => 0);
  expect(effect).toEqual({ status: 'unknown', text: 'no answer after 20 ms' });
  expect(read).toEqual({ status: 'error', text: 'no answer after 20 ms' });
  expect(seen.map((call) => call.signal.aborted)).toEqual([true, true]);
});

test('a cancelled drive aborts the call, and starts none after that', async () => {
  const seen: ToolCall[] = [];
  const outer = new AbortController();
  const running = perform(toolOf(never(seen)), intentOf(60_000), 'r', outer.signal, () => 0);
  outer.abort(new Error('the lease is lost'));
  expect(await running).toEqual({ status: 'unknown', text: 'the lease is lost' });
  const late = await perform(toolOf(never(seen)), intentOf(60_000), 'r', outer.signal, () => 0);
  expect(late).toEqual({ status: 'error', text: 'not run: the runtime was stopped before it began' });
  expect(seen.map((call) => call.signal.aborted)).toEqual([true]);
});

test('a finished call leaves nothing behind on the signal of the drive, and a tool that throws gives its reason', async () => {
  const outer = new AbortController();
  const ok = toolOf(() => Promise.resolve({ status: 'ok', text: 'done' }));
  const broken = toolOf(() => {
    throw new Error('no such host');
  });
  expect(await perform(ok, intentOf(60_000), 'r', outer.signal, () => 0)).toEqual({
    status: 'ok',
    text: 'done',
  });
  expect(await perform(broken, intentOf(60_000), 'r', outer.signal, () => 0)).toEqual({
    status: 'unknown',
    text: 'no such host',
  });
  expect(getEventListeners(outer.signal, 'abort')).toEqual([]);
});

test('a deadline further away than a timer can count does not fire at once', async () => {
  const slow = toolOf(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { status: 'ok', text: 'done' };
  });
  const outer = new AbortController();
  expect(await perform(slow, intentOf(2 ** 40), 'r', outer.signal, () => 0)).toEqual({
    status: 'ok',
    text: 'done',
  });
});
