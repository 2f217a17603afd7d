import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';

test('a sleep that no timer can hold does not end at once', async () => {
  const stop = new AbortController();
  let over = false;
  const slept = systemClock.sleep(2 ** 33, stop.signal).then(() => (over = true));
  await systemClock.sleep(30, new AbortController().signal);
  expect(over).toBe(false);
  stop.abort();
  await slept;
});
