import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../types.ts';
import { STATE_KEYWORDS } from './schema.ts';
import { KEYWORDS, valueFault } from './vocabulary.ts';

const ours: readonly string[] = STATE_KEYWORDS;
const words = KEYWORDS.filter((keyword) => !ours.includes(keyword));
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    'object',
    'strin',
    '',
    'a',
    0,
    1,
    -1,
    1.5,
    true,
    null,
    {},
    [],
    [{}],
    ['a'],
    ['a', 'a'],
    ['null', 'object'],
  ),
  fc.constantFrom<Json>(
    { a: {} },
    { a: true },
    { a: 1 },
    { a: ['b'] },
    { a: ['b', 'b'] },
    [1],
    [true, {}],
    [[]],
  ),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

test('the table of keywords accepts and refuses what the meta-schema of draft 2020-12 does', () => {
  const meta = new Ajv2020({ strict: false, validateFormats: false });
  // The draft leaves to `format` what these may hold; and a schema inside is looked at when it is visited itself.
  const texts = ['$schema', '$id', '$ref', 'pattern'];
  const checked = words.filter((keyword) => !texts.includes(keyword));
  fc.assert(
    fc.property(fc.constantFrom(...checked), value, (keyword, given) => {
      const valid = meta.validateSchema({ [keyword]: given });
      const deeper = (meta.errors ?? []).every(({ instancePath }) => instancePath.split('/').length > 2);
      if (valid) expect([keyword, given, valueFault(keyword, given)]).toEqual([keyword, given, null]);
      else if (!deeper)
        expect([keyword, given, valueFault(keyword, given)]).not.toEqual([keyword, given, null]);
    }),
    { numRuns: 3000 },
  );
});

test('a pattern that is no regular expression is refused', () => {
  expect(valueFault('pattern', '^[a-z]+$')).toBeNull();
  expect(valueFault('pattern', '(')).toBe('pattern must be a regular expression');
  expect(valueFault('$ref', 1)).toBe('$ref must be text');
});
