import { capText } from '../json/cap.ts';
import { byteLength } from '../json/wellformed.ts';

/** Everything that a reader may take for the end of a line. */
const BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;
const QUOTED_BREAK = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])\| /g;
const MARK = '| ';

/**
 * Text from outside as the prompt shows it: every line begins with `| `, so none can open a section, a fence or a list
 * item (R18). `unquote` gives the same text back. At most three times the bytes, plus two.
 */
export function quoteLines(text: string): string {
  return MARK + text.replace(BREAK, (end) => `${end}${MARK}`);
}

/** The text that `quoteLines` was given. */
export function unquoteLines(quoted: string): string {
  return quoted.slice(MARK.length).replace(QUOTED_BREAK, '$1');
}

/** `quoteLines` of a text that is cut to `maxBytes` first where it is longer. */
export function quoteCapped(text: string, maxBytes: number): string {
  return quoteLines(capText(text, maxBytes).text);
}

/** Quoted lines of at most `maxBytes`, marks included; for text that nobody needs back whole. */
export function quoteWithin(text: string, maxBytes: number): string {
  const quoted = quoteCapped(text, maxBytes);
  return byteLength(quoted) <= maxBytes
    ? quoted
    : quoteCapped(text, Math.floor((maxBytes - MARK.length) / 3));
}

/** A text on one line, within `maxBytes`: line ends become spaces, and what is cut off is named by `…`. */
export function oneLine(text: string, maxBytes: number): string {
  const line = text.toWellFormed().replace(BREAK, ' ');
  if (line.length * 3 <= maxBytes || byteLength(line) <= maxBytes) return line;
  const room = new Uint8Array(Math.max(0, maxBytes - 3));
  const { read } = new TextEncoder().encodeInto(line, room);
  return `${line.slice(0, read)}…`;
}

/** A name from outside: as it is where it is plain, else as a JSON string. */
export function nameText(name: string, maxBytes: number): string {
  return oneLine(/^[\w.:@/+-]+$/.test(name) ? name : JSON.stringify(name), maxBytes);
}

/** JSON text on what every reader takes for one line: separators that some take for line ends become their escapes. */
export function lineSafe(json: string): string {
  return json.replace(
    /[\u0085\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
