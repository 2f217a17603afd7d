import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calculate } from './calculate.ts';
import { readJson, writeJson } from './json.ts';
import { readLiteral } from './literal.ts';
import { equals, lessThan, round2 } from './number.ts';
import { canonicalText, compareText, floatText, repr } from './text.ts';
import { fromPlain, type PyValue } from './value.ts';

const values: fc.Arbitrary<PyValue> = fc.letrec<{ value: PyValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constant<PyValue>(null),
    fc.boolean(),
    fc.bigInt(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
  ),
})).value;

test('what writeJson writes, readJson reads back: kinds of numbers, key order, every character', () => {
  fc.assert(
    fc.property(values, (value) => {
      const back = readJson(writeJson(value));
      expect(back).toEqual(value);
      expect(repr(back)).toBe(repr(value));
      expect(writeJson(back)).toMatch(/^[ -~]*$/);
    }),
    { numRuns: 300 },
  );
});

test('the hashed text does not depend on the order of keys', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), values), { maxLength: 6 }), (entries) => {
      const dict = new Map(entries);
      expect(canonicalText(new Map([...dict].reverse()))).toBe(canonicalText(dict));
    }),
    { numRuns: 200 },
  );
});

test('Python’s number texts, with JSON numbers told apart', () => {
  const shown = (json: string) => repr(readJson(json));
  expect(
    ['5', '5.0', '-0', '-0.0', '1e3', '1e16', '1.5e-7', '0.0001', '9007199254740993'].map(shown),
  ).toEqual(['5', '5.0', '0', '-0.0', '1000.0', '1e+16', '1.5e-07', '0.0001', '9007199254740993']);
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) =>
      Object.is(Number(floatText(x)), x),
    ),
  );
});

test('texts are quoted and escaped as by Python', () => {
  expect(["it's", 'a"b\'c', 'é\u00a0\u200b\u{e0041}', '\u{1faef}\ud800'].map((text) => repr(text))).toEqual([
    `"it's"`,
    `'a"b\\'c'`,
    `'é\\xa0\\u200b\\U000e0041'`,
    `'\\U0001faef\\ud800'`,
  ]);
});

test('readJson refuses what is no JSON, and too deep nesting, with the place', () => {
  for (const text of ['', '{', '[1,]', '{"a" 1}', '01', '"\n"', '"\\x"', '1 2', 'nul', '"\\u12g4"', '.5'])
    expect(() => readJson(text)).toThrow(/^JSON: .* offset \d+/);
  expect(() => readJson('['.repeat(100_000))).toThrow(/levels/);
  let deep: unknown = 1;
  for (let i = 0; i < 1000; i++) deep = [deep];
  expect(() => fromPlain(deep)).toThrow(/levels/);
});

test('round2 rounds the exact binary value, ties to even, and keeps the sign of zero', () => {
  const cases: [number, string][] = [
    [0.125, '0.12'],
    [0.375, '0.38'],
    [2.675, '2.67'],
    [1.005, '1.0'],
    [-0.004, '-0.0'],
    [1e300, '1e+300'],
    [5e-324, '0.0'],
    [0.045, '0.04'],
  ];
  expect(cases.map(([x]) => floatText(Number(round2(x))))).toEqual(cases.map(([, text]) => text));
  expect(round2(7n)).toBe(7n);
});

test('numbers compare by exact value across kinds', () => {
  expect(equals(1n, 1)).toBe(true);
  expect(equals(true, 1n)).toBe(true);
  expect(equals(9007199254740993n, 9007199254740992)).toBe(false);
  expect(equals('1', 1n)).toBe(false);
  expect(equals(null, false)).toBe(false);
  expect(equals(Number.NaN, Number.NaN)).toBe(false);
  expect(lessThan([1n, 'a'], [1n, 'b'])).toBe(true);
  expect(() => lessThan('1', 1n)).toThrow("'<' not supported between instances of 'str' and 'int'");
});

test('texts are ordered by code point, not by UTF-16 unit', () => {
  expect(['\u{1f600}', '\uffee', 'b', 'B', '10', '9', ''].sort(compareText)).toEqual([
    '',
    '10',
    '9',
    'B',
    'b',
    '\uffee',
    '\u{1f600}',
  ]);
});

test('calculate follows Python where JavaScript would not', () => {
  const cases: [string, string][] = [
    ['-2**2', '-4.0'],
    ['2**-1**2', '0.5'],
    ['7//-2', '-4.0'],
    ['0/-5', '-0.0'],
    ['10**25+1-10**25', '1.0'],
    ['2**1000/2**999', '2.0'],
    ['1.1**500', '4.9698419673124674e+20'],
    ['(1+2)(3)', "Error: 'int' object is not callable"],
    ['(-8)**(1/3)', "Error: float() argument must be a string or a real number, not 'complex'"],
    ['(1 2)', 'Error: invalid syntax. Perhaps you forgot a comma? (<string>, line 1)'],
    ['', 'Error: invalid syntax (<string>, line 0)'],
    [
      '08',
      'Error: leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers (<string>, line 1)',
    ],
    ['1//0.0', 'Error: float floor division by zero'],
    ['process.exit()', 'Error: invalid characters in expression'],
  ];
  expect(cases.map(([expression]) => calculate(expression))).toEqual(cases.map(([, text]) => text));
  expect(() => calculate(null)).toThrow("'NoneType' object is not iterable");
  expect(calculate(['12'])).toBe('Error: eval() arg 1 must be a string, bytes or code object');
});

test('no expression makes calculate hang or overflow the stack', () => {
  const hostile = [
    '9**9**9**9',
    '9**99999999*9**99999999',
    '('.repeat(100_000),
    '-'.repeat(100_000) + '1',
    '1' + '**1'.repeat(50_000),
    `${'9'.repeat(4000)}${`*${'9'.repeat(4000)}`.repeat(500)}`,
    '99999**19999*'.repeat(2000) + '1',
  ];
  for (const expression of hostile) expect(calculate(expression)).toMatch(/^Error: /);
});

test('calculate agrees with plain arithmetic on small sums', () => {
  const term = fc.integer({ min: 0, max: 9999 }).map((cents) => (cents / 100).toFixed(2));
  fc.assert(
    fc.property(term, term, fc.constantFrom('+', '-', '*'), (a, b, operator) => {
      const [x, y] = [Number(a), Number(b)];
      const exact = operator === '+' ? x + y : operator === '-' ? x - y : x * y;
      expect(calculate(`(${a}) ${operator} ${b}`)).toBe(floatText(Number(round2(exact))));
    }),
    { numRuns: 200 },
  );
});

test('the literal reader reads what a task file has and nothing that runs', () => {
  expect(
    writeJson(
      readLiteral(`{'a': ("x" 'y'), "b": [1, 2.5, None,], 'c': (1, True), "d": Task(n="é\\n")} # end`),
    ),
  ).toBe('{"a": "xy", "b": [1, 2.5, null], "c": [1, true], "d": {"()": "Task", "n": "\\u00e9\\n"}}');
  for (const source of ['open', 'f("x")', '[1 2]', '{1: 2}', '1 +', 'a.b', '', 'f"x"'])
    expect(() => readLiteral(`[${source}, x]`)).toThrow(SyntaxError);
  expect(() => readLiteral('['.repeat(10_000))).toThrow(/levels/);
});
