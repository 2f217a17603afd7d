import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../types.ts';
import { checkJson, parseJson, scanJson, scanValue } from './parse.ts';

const found = (text: string): string[] => {
  const parsed = parseJson(text);
  return parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code} ${path}`);
};

describe('parseJson', () => {
  test('agrees with JSON.parse on every JSON text', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const parsed = parseJson(text);
        if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text));
        else expect(parsed.issues[0]?.code).toMatch(/number|duplicate_key|forbidden_key/);
      }),
      { numRuns: 300 },
    );
  });

  test('accepts no text that JSON.parse refuses, and refuses none that it accepts', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      '-',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\u0001',
      '"\\u00e9"',
      '01',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const text = parts.join('');
        let accepted = true;
        try {
          JSON.parse(text);
        } catch {
          accepted = false;
        }
        expect(found(text).some((issue) => issue.startsWith('syntax.json'))).toBe(!accepted);
      }),
      { numRuns: 3000 },
    );
  });

  test('P06: a repeated key is refused with its path, in the reply and inside the patch', () => {
    expect(found('{"state_patch":{"n":1},"action":"read_order 7","action":"refund_order 7"}')).toEqual([
      'syntax.duplicate_key /action',
    ]);
    expect(found('{"state_patch":{"a":[{"n":1,"\\u006e":1}]}}')).toEqual([
      'syntax.duplicate_key /state_patch/a/0/n',
    ]);
  });

  test('P07: non-finite and overflowing numbers are refused, never null', () => {
    expect(found('{"mean":NaN,"max":Infinity}')[0]).toBe('syntax.json ');
    expect(found('{"limit":1e400}')).toEqual(['syntax.number /limit']);
    expect(found('[-1e400, 1e-400, 0e-400, 1e-300]')).toEqual(['syntax.number /0', 'syntax.number /1']);
    expect(found(`[${'9'.repeat(5000)}]`)).toEqual(['syntax.number /0']);
  });

  test('numbers that would change as a double are refused, plain ones are not', () => {
    expect(found('{"id":9007199254740993}')).toEqual(['syntax.number /id']);
    expect(found('[12345678901234567890, 123456789012345678901234567890, 9007199254740993.5]')).toHaveLength(
      3,
    );
    expect(
      found('[0.1, 9007199254740991, -9007199254740991, 1e300, 1e21, 100000000000000000000, 1.5e10]'),
    ).toEqual([]);
  });

  test('P09: 20,000 levels are refused by name of the limit, and the process lives', () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const parsed = parseJson(deep);
    expect(parsed).toMatchObject({
      ok: false,
      issues: [{ code: 'syntax.depth', hint: expect.stringContaining('64') }],
    });
    expect(found('['.repeat(1_000_000))).toEqual([expect.stringMatching(/^syntax.depth/)]);
    expect(parseJson('[[1]]', { depth: 2 }).ok).toBe(true);
    expect(parseJson('[[1]]', { depth: 1 }).ok).toBe(false);
  });

  test('P10: keys that reach prototypes are refused at any depth, escaped or not', () => {
    const issues = found(
      '{"state_patch":{"__proto__":{"admin":true},"a":{"constructor":{"prototype":{"x":1}}},"\\u005f_proto__":1},"action":"wait"}',
    );
    expect(issues).toEqual([
      'syntax.forbidden_key /state_patch/__proto__',
      'syntax.forbidden_key /state_patch/a/constructor',
      'syntax.forbidden_key /state_patch/a/constructor/prototype',
      'syntax.forbidden_key /state_patch/__proto__',
      'syntax.duplicate_key /state_patch/__proto__',
    ]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('a text over the size limit is refused before it is read', () => {
    expect(parseJson('"éé"', { bytes: 6 }).ok).toBe(true);
    expect(parseJson('"éé"', { bytes: 5 })).toMatchObject({ issues: [{ code: 'syntax.size' }] });
  });

  test('a grammar fault names line and column', () => {
    expect(parseJson('{\n  "a": 1,\n}')).toMatchObject({
      issues: [{ hint: expect.stringContaining('line 3, column 1') }],
    });
    expect(parseJson('{"a": [1')).toMatchObject({
      issues: [{ hint: expect.stringContaining('ends inside') }],
    });
    expect(parseJson('{} {}')).toMatchObject({
      issues: [{ hint: expect.stringContaining('after the value') }],
    });
  });

  test('P23: escaped lone surrogates come out as U+FFFD, literal backslash text as it is', () => {
    expect(parseJson('{"t":"\\ud83d end","u":"\\\\ud83d","v":"\\ud83d\\ude00"}')).toEqual({
      ok: true,
      value: { t: '\ufffd end', u: '\\ud83d', v: '😀' },
    });
  });
});

describe('scanJson', () => {
  test('finds the end of the value that begins at an offset, whatever follows', () => {
    const text = 'I answer {"a": "}", "b": [1, {"c": null}]} and stop.';
    const end = scanJson(text, 9)?.end as number;
    expect(JSON.parse(text.slice(9, end))).toEqual({ a: '}', b: [1, { c: null }] });
    expect(scanJson(text, 0)).toBeNull();
  });

  test('tells a truncated value from a broken one', () => {
    for (const text of ['{"a": {"b": 1}', '{"a"', '{"a":tr', '["x\\', '["\\u00', '[1.', '[', '{']) {
      expect(scanValue(text, 0), text).toEqual({ state: 'truncated', end: text.length });
    }
    expect(scanValue('{"a":1,}', 0)).toEqual({ state: 'broken', end: 7 });
    expect(scanValue('{name}', 0)).toEqual({ state: 'broken', end: 1 });
  });

  test('does not recurse', () => {
    const deep = '['.repeat(500_000) + ']'.repeat(500_000);
    expect(scanJson(deep, 0)).toEqual({ end: 1_000_000 });
  });
});

describe('checkJson', () => {
  const codes = (value: unknown): string[] => {
    const checked = checkJson(value);
    return checked.ok ? [] : checked.issues.map(({ code, path }) => `${code} ${path}`);
  };

  test('accepts what parseJson accepts, and gives the same value back', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const parsed = parseJson(text);
        if (!parsed.ok) return;
        const checked = checkJson(parsed.value);
        expect(checked.ok && checked.value === parsed.value).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('refuses what JSON does not have, each with its path', () => {
    const holed: unknown[] = [1];
    holed[2] = 3;
    expect(
      codes({
        a: undefined,
        b: () => 1,
        c: new Date(0),
        d: 1n,
        e: new Map(),
        f: [NaN, Infinity],
        g: holed,
        h: Symbol('s'),
      }),
    ).toEqual([
      'syntax.json /a',
      'syntax.json /b',
      'syntax.json /c',
      'syntax.json /d',
      'syntax.json /e',
      'syntax.number /f/0',
      'syntax.number /f/1',
      'syntax.json /g/1',
      'syntax.json /h',
    ]);
    expect(codes({ id: 2 ** 53 + 2 })).toEqual(['syntax.number /id']);
  });

  test('P09: cycles, deep values and values that grow by sharing end with an issue', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(codes(cycle)).toEqual(['syntax.json /self']);
    let deep: unknown = 1;
    for (let i = 0; i < 20_000; i++) deep = { a: deep };
    expect(codes(deep)[0]).toMatch(/^syntax.depth/);
    let shared: unknown = 'x';
    for (let i = 0; i < 40; i++) shared = [shared, shared];
    const small = checkJson(shared, { bytes: 10_000 });
    expect(small).toMatchObject({ ok: false, issues: [{ code: 'syntax.size' }] });
  });

  test('P10: an own __proto__ member, as JSON.parse makes it, is refused', () => {
    expect(codes(JSON.parse('{"a":{"__proto__":{"admin":true}}}'))).toEqual([
      'syntax.forbidden_key /a/__proto__',
    ]);
    expect(checkJson(Object.create(null) as Json).ok).toBe(true);
  });
});
