import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createScrub, hideKeys } from './scrub.ts';

const key = fc.stringMatching(/^[A-Za-z0-9_-]{12,60}$/);

test('no piece of 8 characters of a key survives, wherever the message puts it', () => {
  fc.assert(
    fc.property(
      key,
      fc.string(),
      fc.string(),
      fc.nat(50),
      fc.nat(60),
      (secret, before, after, from, length) => {
        const piece = secret.slice(from % secret.length, (from % secret.length) + length);
        const shown = createScrub([secret])(`${before}${secret}${after} ${piece} ?key=${secret}`);
        for (let at = 0; at + 8 <= secret.length; at += 1) {
          expect(shown).not.toContain(secret.slice(at, at + 8));
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('masked echoes, bearer tokens, URL credentials and key queries go, other words stay', () => {
  const scrub = createScrub(['sk-abcdefghijklmnop']);
  expect(scrub('Incorrect key: sk-ab***********mnop.')).toBe('Incorrect key: [key].');
  expect(scrub('key sk-a...mnop is bad')).toBe('key [key] is bad');
  expect(scrub('Authorization: Bearer abc.def')).toBe('Authorization: Bearer [key]');
  expect(scrub('at https://me:pw@host/x?key=zzz&b=1')).toBe('at https://[key]@host/x?key=[key]&b=1');
  expect(scrub('The model `gpt-x` does not exist...')).toBe('The model `gpt-x` does not exist...');
  expect(scrub('x'.repeat(5_000)).length).toBeLessThan(410);
});

test('a reply keeps its text except for whole keys', () => {
  expect(hideKeys('a sk-abcdefgh b', ['sk-abcdefgh', 'b'])).toBe('a [key] b');
});
