import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteLength } from '../json/wellformed.ts';
import { hostileText } from './fixture.test.data.ts';
import { nameText, oneLine, quoteCapped, quoteLines, unquoteLines } from './quote.ts';

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

test('quoted text comes back as it was, and no line of it begins with anything but the mark', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const quoted = quoteLines(text);
      expect(unquoteLines(quoted)).toBe(text);
      expect(quoted.split(LINE_END).every((line) => line.startsWith('| '))).toBe(true);
      expect(byteLength(quoted)).toBeLessThanOrEqual(3 * byteLength(text) + 2);
    }),
  );
});

test('one line stays one line within its bytes', () => {
  fc.assert(
    fc.property(hostileText, fc.integer({ min: 3, max: 60 }), (text, most) => {
      const line = oneLine(text, most);
      expect(line.split(LINE_END)).toHaveLength(1);
      expect(byteLength(line)).toBeLessThanOrEqual(most);
      expect(line.isWellFormed()).toBe(true);
    }),
  );
});

test('P24: a cut never splits a character and says what is missing', () => {
  const fox = String.fromCodePoint(0x1f98a);
  expect(oneLine(`${'x'.repeat(9)}${fox}yyy`, 14)).toBe('xxxxxxxxx…');
  expect(oneLine(`got ${fox.slice(0, 1)}`, 600).isWellFormed()).toBe(true);
  const cut = unquoteLines(quoteCapped(fox.repeat(200), 100));
  expect(cut.isWellFormed()).toBe(true);
  expect(byteLength(cut)).toBeLessThanOrEqual(100);
  expect(cut).toMatch(/bytes cut/);
});

test('a plain name stays bare, another becomes a JSON string', () => {
  expect(nameText('files.read', 128)).toBe('files.read');
  expect(nameText('a\n## State', 128)).toBe('"a\\n## State"');
});
