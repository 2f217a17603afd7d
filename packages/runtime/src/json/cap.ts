export type CappedText = {
  readonly text: string;
  /** Bytes of the original that `text` shows, its own marker not counted. */
  readonly shownBytes: number;
  readonly totalBytes: number;
  readonly cut: boolean;
};

/** Characters around a cut that are looked at to keep what a reader sees as one character in one piece. */
const WINDOW = 64;
/** Made on first use: it costs 10 ms. */
let segmenter: Intl.Segmenter | undefined;
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter;
}

/**
 * A text within `maxBytes` UTF-8 bytes: its head (two thirds), a marker that says how much is missing and `where` the rest
 * is, and its tail. Never splits a surrogate pair, nor a base character from its combining marks (P24). Where not even the
 * marker fits, the head alone. Expects well-formed text.
 */
export function capText(text: string, maxBytes: number, where = ''): CappedText {
  const totalBytes = Buffer.byteLength(text);
  if (totalBytes <= maxBytes) return { text, shownBytes: totalBytes, totalBytes, cut: false };
  const room = maxBytes - Buffer.byteLength(marker(totalBytes, where));
  const headRoom = room > 0 ? Math.ceil((room * 2) / 3) : Math.max(0, maxBytes);
  const head = text.slice(0, boundary(text, headEnd(text, headRoom), 'before'));
  if (room <= 0) return { text: head, shownBytes: Buffer.byteLength(head), totalBytes, cut: true };
  const tailStart = boundary(text, tailBegin(text, room - Buffer.byteLength(head)), 'after');
  const tail = text.slice(Math.max(head.length, tailStart));
  const shownBytes = Buffer.byteLength(head) + Buffer.byteLength(tail);
  return {
    text: `${head}${marker(totalBytes - shownBytes, where)}${tail}`,
    shownBytes,
    totalBytes,
    cut: true,
  };
}

function marker(bytes: number, where: string): string {
  return `\n[… ${bytes} bytes cut${where === '' ? '' : `; ${where}`} …]\n`;
}

/** Bytes of the UTF-16 unit in UTF-8; each half of a surrogate pair counts two. */
function unitBytes(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
}

function headEnd(text: string, room: number): number {
  let end = 0;
  for (let left = room; end < text.length; end++) {
    left -= unitBytes(text.charCodeAt(end));
    if (left < 0) break;
  }
  return end;
}

function tailBegin(text: string, room: number): number {
  let begin = text.length;
  for (let left = room; begin > 0; begin--) {
    left -= unitBytes(text.charCodeAt(begin - 1));
    if (left < 0) break;
  }
  return begin;
}

/** The nearest place at or before (after) `index` that is no inside of a character. */
function boundary(text: string, index: number, side: 'before' | 'after'): number {
  if (index <= 0 || index >= text.length) return index;
  const start = Math.max(0, index - WINDOW);
  const found = graphemes()
    .segment(text.slice(start, index + WINDOW))
    .containing(index - start);
  if (found === undefined || found.index === index - start) return index;
  const before = start + found.index;
  const after = before + found.segment.length;
  if (found.segment.length < WINDOW / 2) return side === 'before' ? before : after;
  const inPair = isLowSurrogate(text.charCodeAt(index));
  return inPair ? (side === 'before' ? index - 1 : index + 1) : index;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
