import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCapture, showBytes, showCaptured } from './bytes.ts';

describe('showing bytes', () => {
  test('valid UTF-8 is shown as it is, byte order mark and NUL included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(showBytes(Buffer.from(`\uFEFF${text}\0`))).toEqual({
          text: `\uFEFF${text}\0`,
          escaped: false,
        });
      }),
      { numRuns: 100 },
    );
  });

  test('P84: bytes that are not UTF-8 are shown as \\xHH, the text around them kept, and flagged', () => {
    const bytes = Buffer.concat([
      Buffer.from('é'),
      Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
      Buffer.from('z'),
    ]);
    expect(showBytes(bytes)).toEqual({ text: 'é\\xff\\xc3(\\xed\\xa0\\x80z', escaped: true });
  });

  test('any bytes give a well-formed text, flagged exactly where they are not UTF-8', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const shown = showBytes(bytes);
        expect(shown.text.isWellFormed()).toBe(true);
        expect(shown.escaped).toBe(
          !Buffer.from(Buffer.from(bytes).toString('utf8')).equals(Buffer.from(bytes)),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('capturing', () => {
  test('head and tail hold the two ends, whatever the chunks, and the total counts all', () => {
    const sizes = fc.tuple(fc.nat(12), fc.nat(12));
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9 })), sizes, (chunks, [headBytes, tailBytes]) => {
        const capture = createCapture(headBytes, tailBytes);
        for (const chunk of chunks) capture.add(Buffer.from(chunk));
        const all = Buffer.concat(chunks);
        const rest = all.subarray(headBytes);
        const { head, tail, total } = capture.result();
        expect(total).toBe(all.length);
        expect(head).toEqual(all.subarray(0, headBytes));
        expect(tail).toEqual(rest.subarray(Math.max(0, rest.length - tailBytes)));
      }),
      { numRuns: 200 },
    );
  });

  test('a cut through a character is not shown as broken bytes', () => {
    const capture = createCapture(4, 4);
    capture.add(Buffer.from('abc€ and then €xy'));
    const shown = showCaptured(capture.result());
    expect(shown).toEqual({ text: 'abc\n[16 of 21 bytes left out]\nxy', escaped: false });
  });
});
