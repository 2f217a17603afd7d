import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, sha256 } from './text.ts';
import { byteLength, capText, decodeUtf8, wellFormed, wellFormedJson } from './wellformed.ts';

const anyText = fc.string({ unit: 'binary' });
const brokenText = fc
  .array(fc.constantFrom('a', '\0', '\ud83d', '\ude00', '😀', 'e\u0301', '\\u0000'), { maxLength: 30 })
  .map((parts) => parts.join(''));

test('P22: NUL becomes its picture, the six literal characters stay, and SQLite and its search keep all of it', () => {
  const text = wellFormed('bin\0data and the literal text \\u0000');
  expect(text).toBe('bin\u2400data and the literal text \\u0000');
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE VIRTUAL TABLE found USING fts5(text)');
  db.prepare('INSERT INTO found VALUES (?)').run(text);
  const row = db.prepare("SELECT text, length(text) AS size FROM found WHERE found MATCH 'literal'").get();
  expect(row).toMatchObject({ text, size: text.length });
  db.close();
});

test('P23: lone surrogates are normalised once, the hash is stable after a round trip, emoji and backslashes stay', () => {
  const text = wellFormed('price \ud83d end 😀 \\ud83d');
  expect(text).toBe('price \ufffd end 😀 \\ud83d');
  const hash = sha256(canonicalJson({ text }));
  expect(sha256(canonicalJson(JSON.parse(Buffer.from(JSON.stringify({ text })).toString('utf8'))))).toBe(
    hash,
  );
});

test('well-formed text is a fixed point', () => {
  fc.assert(
    fc.property(brokenText, (text) => {
      const once = wellFormed(text);
      expect(once.isWellFormed() && !once.includes('\0')).toBe(true);
      expect(wellFormed(once)).toBe(once);
    }),
  );
});

test('values are shared where nothing changed; keys that fall together stay apart', () => {
  const kept = { a: ['ok', { b: 'fine' }] };
  expect(wellFormedJson(kept)).toBe(kept);
  const mixed = { kept, 'k\ud800': 1, 'k\ud801': 2, 'k\ufffd': 3 };
  const next = wellFormedJson(mixed) as Record<string, unknown>;
  expect(next['kept']).toBe(kept);
  expect(Object.values(next).slice(1)).toEqual([1, 2, 3]);
  expect(next['k\ufffd']).toBe(3);
});

test('decoding says whether the bytes can be had back from the text', () => {
  expect(decodeUtf8(Buffer.from('\ufeffé😀'))).toEqual({ text: '\ufeffé😀', lossless: true });
  expect(decodeUtf8(new Uint8Array([0x61, 0xff, 0x62]))).toEqual({ text: 'a\ufffdb', lossless: false });
  expect(decodeUtf8(new Uint8Array([0x61, 0x00]))).toEqual({ text: 'a\u2400', lossless: false });
});

test('P24: a cut never splits a character, at any limit', () => {
  const text = `${'x'.repeat(9)}\u{1F98A}yyy`;
  expect(capText(text, 10)).toEqual({ text: 'xxxxxxxxx', shownBytes: 9, totalBytes: 16, cut: true });
  fc.assert(
    fc.property(anyText, fc.nat(80), (raw, limit) => {
      const whole = wellFormed(raw);
      const capped = capText(whole, limit, 'read_payload("h")');
      expect(byteLength(capped.text)).toBeLessThanOrEqual(limit);
      expect(capped.text.isWellFormed()).toBe(true);
      expect(capped.cut).toBe(byteLength(whole) > limit);
      if (!capped.cut) expect(capped.text).toBe(whole);
    }),
    { numRuns: 500 },
  );
});

test('P24: what a reader sees as one character stays whole', () => {
  const family = '👨‍👩‍👧';
  for (let limit = 60; limit < 120; limit++) {
    const { text } = capText(`${family.repeat(10)}${'e\u0301'.repeat(50)}`, limit);
    const [head, tail] = text.split(/\n\[….*…\]\n/) as [string, string];
    expect(head.replaceAll(family, '')).toBe('');
    expect(tail.replaceAll('e\u0301', '')).toBe('');
  }
});

test('the marker says how much is missing and where the rest is', () => {
  const { text, shownBytes, totalBytes } = capText('é'.repeat(1000), 100, 'read_payload("p1")');
  expect(text).toContain(`[… ${totalBytes - shownBytes} bytes cut; read_payload("p1") …]`);
  expect(text.startsWith('éé') && text.endsWith('é')).toBe(true);
});
