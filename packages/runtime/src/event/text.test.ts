import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventText } from './text.ts';

test('P49: an event with a giant result stays small, and the whole result is kept once', () => {
  for (const giant of ['x'.repeat(2_950_000), `${'word '.repeat(590_000)}\n`]) {
    const { text, payload } = eventText(giant);
    expect(JSON.stringify(text).length).toBeLessThan(250);
    expect(payload?.ref.bytes).toBe(giant.length);
    expect(eventText(giant).text).toEqual(text);
  }
});

test('text up to the limit stays in the event, longer text becomes a payload', () => {
  expect(eventText('short')).toEqual({ text: 'short', payload: null });
  expect(eventText('x'.repeat(1024)).payload).toBeNull();
  const long = 'é'.repeat(513);
  const { text, payload } = eventText(long);
  const sha256 = createHash('sha256').update(long).digest('hex');
  expect(text).toEqual({ handle: `p-${sha256.slice(0, 16)}`, sha256, bytes: 1026, mimeType: 'text/plain' });
  expect(payload?.ref).toBe(text);
  expect(new TextDecoder().decode(payload?.bytes)).toBe(long);
  expect(eventText('abc', 2).payload?.bytes.length).toBe(3);
});
