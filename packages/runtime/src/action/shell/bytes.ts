import type { Captured } from './types.ts';

/**
 * Text for a person or a model from bytes of any kind. Valid UTF-8 stays as it is; where some is not, each bad byte
 * is shown as `\xHH` and `escaped` is true (the exact bytes are then only in the bytes).
 */
export function showBytes(bytes: Uint8Array): { text: string; escaped: boolean } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = decode(buffer);
  if (whole !== null) return { text: whole, escaped: false };
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < buffer.length; ) {
    const length = sequenceLength(buffer, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(buffer.toString('utf8', start, at), `\\x${buffer.toString('hex', at, at + 1)}`);
    at += 1;
    start = at;
  }
  parts.push(buffer.toString('utf8', start));
  return { text: parts.join(''), escaped: true };
}

/** Captured output as one text; what was left out is named in the middle, and no character is cut in two. */
export function showCaptured(captured: Captured): { text: string; escaped: boolean } {
  const omitted = captured.total - captured.head.length - captured.tail.length;
  if (omitted === 0) return showBytes(Buffer.concat([captured.head, captured.tail]));
  const headEnd = captured.head.length - unfinishedEnd(captured.head);
  const tailStart = captured.tail.length === 0 ? 0 : continuationStart(captured.tail);
  const head = showBytes(captured.head.subarray(0, headEnd));
  const tail = showBytes(captured.tail.subarray(tailStart));
  const left = omitted + (captured.head.length - headEnd) + tailStart;
  return {
    text: `${head.text}\n[${left} of ${captured.total} bytes left out]\n${tail.text}`,
    escaped: head.escaped || tail.escaped,
  };
}

/** Keeps the first `headBytes` and the last `tailBytes` of a stream and counts all of it. */
export function createCapture(headBytes: number, tailBytes: number) {
  const head: Buffer[] = [];
  let headLength = 0;
  let tail = Buffer.alloc(0);
  let total = 0;
  return {
    add(chunk: Buffer): void {
      total += chunk.length;
      const first = chunk.subarray(0, headBytes - headLength);
      headLength += first.length;
      if (first.length > 0) head.push(Buffer.from(first));
      const rest = chunk.subarray(first.length);
      if (rest.length === 0 || tailBytes === 0) return;
      const joined = Buffer.concat([tail, rest]);
      tail = Buffer.from(joined.subarray(Math.max(0, joined.length - tailBytes)));
    },
    result: (): Captured => ({ head: Buffer.concat(head), tail, total }),
  };
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Length of the well-formed UTF-8 sequence at `at` (Unicode table 3-7), 0 where there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0) return 0;
  const second = bytes[at + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < length; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** How many bytes at the end begin a sequence that the cut left unfinished. */
function unfinishedEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? back : 0;
  }
  return 0;
}

function continuationStart(bytes: Buffer): number {
  let start = 0;
  while (start < Math.min(3, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return start;
}
