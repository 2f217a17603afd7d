import { floatText } from './text.ts';
import { maxDepth, type PyDict, type PyValue } from './value.ts';

interface Reader {
  readonly text: string;
  at: number;
}

const numberPattern = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
const plainPattern = /[ !#-[\]-\uffff]*/y;
const spacePattern = /[ \t\n\r]*/y;
const words: [string, PyValue][] = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
];
const escapes: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
/** Python refuses to read longer integers. */
const maxIntegerDigits = 4300;

/**
 * Reads one JSON document as Python's `json.loads` does: a number without `.` and exponent is an int of any size, any
 * other a float; keys keep their order; NaN and Infinity are allowed. Throws a SyntaxError that names the offset.
 */
export function readJson(text: string): PyValue {
  const reader: Reader = { text, at: 0 };
  const value = readValue(reader, 0);
  skipSpace(reader);
  if (reader.at !== text.length) throw fault(reader, 'extra data');
  return value;
}

function fault(reader: Reader, what: string): SyntaxError {
  return new SyntaxError(`JSON: ${what} at offset ${reader.at}`);
}

function match(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found) reader.at += found[0].length;
  return found;
}

function skipSpace(reader: Reader): void {
  match(reader, spacePattern);
}

function readValue(reader: Reader, depth: number): PyValue {
  if (depth > maxDepth) throw fault(reader, `more than ${maxDepth} levels`);
  skipSpace(reader);
  const next = reader.text[reader.at];
  if (next === '{') return readObject(reader, depth);
  if (next === '[') return readArray(reader, depth);
  if (next === '"') return readString(reader);
  for (const [word, value] of words) {
    if (reader.text.startsWith(word, reader.at)) {
      reader.at += word.length;
      return value;
    }
  }
  return readNumber(reader);
}

function readNumber(reader: Reader): bigint | number {
  const found = match(reader, numberPattern);
  if (!found) throw fault(reader, 'expected a value');
  if (found[1] !== undefined || found[2] !== undefined) return Number(found[0]);
  if (found[0].length > maxIntegerDigits)
    throw fault(reader, `integer of more than ${maxIntegerDigits} digits`);
  return BigInt(found[0]);
}

function readObject(reader: Reader, depth: number): PyDict {
  const dict: PyDict = new Map();
  reader.at++;
  skipSpace(reader);
  if (take(reader, '}')) return dict;
  for (;;) {
    skipSpace(reader);
    if (reader.text[reader.at] !== '"') throw fault(reader, 'expected a key');
    const key = readString(reader);
    skipSpace(reader);
    if (!take(reader, ':')) throw fault(reader, 'expected ":"');
    dict.set(key, readValue(reader, depth + 1));
    skipSpace(reader);
    if (take(reader, '}')) return dict;
    if (!take(reader, ',')) throw fault(reader, 'expected "," or "}"');
  }
}

function readArray(reader: Reader, depth: number): PyValue[] {
  const list: PyValue[] = [];
  reader.at++;
  skipSpace(reader);
  if (take(reader, ']')) return list;
  for (;;) {
    list.push(readValue(reader, depth + 1));
    skipSpace(reader);
    if (take(reader, ']')) return list;
    if (!take(reader, ',')) throw fault(reader, 'expected "," or "]"');
  }
}

function take(reader: Reader, character: string): boolean {
  if (reader.text[reader.at] !== character) return false;
  reader.at++;
  return true;
}

function readString(reader: Reader): string {
  reader.at++;
  let out = '';
  for (;;) {
    out += match(reader, plainPattern)?.[0] ?? '';
    if (take(reader, '"')) return out;
    if (!take(reader, '\\')) throw fault(reader, 'unterminated string or control character');
    out += readEscape(reader);
  }
}

function readEscape(reader: Reader): string {
  const letter = reader.text[reader.at++] ?? '';
  const short = escapes[letter];
  if (short !== undefined) return short;
  const digits = reader.text.slice(reader.at, reader.at + 4);
  if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) throw fault(reader, 'bad escape');
  reader.at += 4;
  return String.fromCharCode(Number.parseInt(digits, 16));
}

const shortForms: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\b': '\\b',
};

function quote(text: string): string {
  const escaped = text.replace(
    /["\\]|[^ -~]/g,
    (unit) => shortForms[unit] ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

function floatJson(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatText(value);
}

/** Python's `json.dumps(value)` with its defaults: separators `", "` and `": "`, keys in order, ASCII only. */
export function writeJson(value: PyValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return floatJson(value);
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`;
  return `{${[...value].map(([key, v]) => `${quote(key)}: ${writeJson(v)}`).join(', ')}}`;
}
