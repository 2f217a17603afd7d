import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineSafe } from '../prompt/quote.ts';
import { promptJson } from '../json/text.ts';
import type { Json } from '../types.ts';
import { jsonBytes } from './size.ts';

const texts = fc.string({
  unit: fc.constantFrom(
    'a',
    '"',
    '\\',
    '\n',
    '\u0001',
    '\u007f',
    '\u0085',
    'é',
    '\u2027',
    '\u2028',
    '\u2029',
    '€',
    '😀',
  ),
});
const values = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    texts,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(texts, tie('json'), { maxKeys: 4 }),
  ),
})).json;

test('a value counts as many bytes as a prompt prints for it, line ends of every kind included', () => {
  expect(jsonBytes('\u0085\u2028\u2029')).toBe(20);
  fc.assert(
    fc.property(values, (value) => {
      expect(jsonBytes(value)).toBe(Buffer.byteLength(lineSafe(promptJson(value))));
    }),
  );
});
