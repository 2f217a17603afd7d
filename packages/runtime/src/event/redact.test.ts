import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../types.ts';
import { createRedactor } from './redact.ts';

const SECRET = 'p@ss "w/ö+rd"~x';
const { text, json } = (() => {
  const redactor = createRedactor({ DB_PASSWORD: SECRET, TOKEN: 'sk-test-abc' });
  return { text: (value: string) => redactor.text(value), json: (value: Json) => redactor.json(value) };
})();

test('P78: a secret is replaced by its name, in plain, URL-encoded, Base64 and JSON-escaped form', () => {
  const forms = [
    SECRET,
    encodeURIComponent(SECRET),
    encodeURIComponent(SECRET).toLowerCase().replaceAll('%C3', '%c3'),
    new URLSearchParams({ q: SECRET }).toString().slice(2),
    Buffer.from(SECRET).toString('base64'),
    Buffer.from(SECRET).toString('base64url'),
    JSON.stringify(SECRET),
  ];
  for (const form of forms) {
    const redacted = text(`before ${form} after`);
    expect(redacted).toContain('[secret:DB_PASSWORD]');
    expect(redacted).not.toContain(form);
  }
  expect(text('two: sk-test-abc,sk-test-abc')).toBe('two: [secret:TOKEN],[secret:TOKEN]');
});

test('a secret inside a longer Base64 text is found at every position', () => {
  for (const user of ['', 'a', 'ab', 'abc', 'user:']) {
    const basic = Buffer.from(`${user}sk-test-abc@rest`).toString('base64');
    expect(text(`Authorization: Basic ${basic}`)).toContain('[secret:TOKEN]');
  }
});

test('keys and values of JSON are redacted at any depth, and nothing else changes', () => {
  let deep: Json = 'sk-test-abc';
  for (let i = 0; i < 20_000; i++) deep = [deep];
  let inner = json(deep);
  while (Array.isArray(inner)) inner = inner[0] as Json;
  expect(inner).toBe('[secret:TOKEN]');
  const value = JSON.parse(
    '{"a":[1,null,true,"x sk-test-abc"],"sk-test-abc":{},"__proto__":["sk-test-abc"]}',
  ) as Json;
  expect(JSON.stringify(json(value))).toBe(
    '{"a":[1,null,true,"x [secret:TOKEN]"],"[secret:TOKEN]":{},"__proto__":["[secret:TOKEN]"]}',
  );
  fc.assert(
    fc.property(fc.jsonValue(), (any) => {
      expect(json(any as Json)).toBe(any);
    }),
    { numRuns: 100 },
  );
});

test('the longer of two secrets that begin alike wins', () => {
  const redactor = createRedactor({ SHORT: 'abcdef', LONG: 'abcdefghij' });
  expect(redactor.text('abcdefghij abcdef')).toBe('[secret:LONG] [secret:SHORT]');
});

test('short secrets and odd names are refused without showing the value', () => {
  expect(() => createRedactor({ PIN: '12345' })).toThrow(/PIN has 5 characters; at least 6/);
  expect(() => createRedactor({ PIN: '12345' })).not.toThrow(/12345/);
  expect(() => createRedactor({ 'a b': 'longenough' })).toThrow(/secret name/);
});

test('without secrets everything passes as it is', () => {
  const value = { a: 'b' };
  expect(createRedactor({}).json(value)).toBe(value);
  expect(createRedactor({}).text('x')).toBe('x');
});
