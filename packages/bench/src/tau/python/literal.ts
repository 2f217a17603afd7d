import { maxDepth, type PyDict, type PyValue } from './value.ts';

/** The key under which a call such as `Task(a=1)` keeps its name among its keyword arguments. */
export const callKey = '()';

interface Source {
  readonly text: string;
  at: number;
}

const skipPattern = /(?:[ \t\r\n]+|#[^\n]*|\\\r?\n)*/y;
const numberPattern = /[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const namePattern = /[A-Za-z_]\w*/y;
const stringPattern =
  /([rRuU]?)("""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')/y;
const constants = new Map<string, PyValue>([
  ['None', null],
  ['True', true],
  ['False', false],
]);

/**
 * Reads one Python literal that starts at `offset` of a source text: texts (also several in a row), numbers, constants,
 * lists, tuples, dicts, and calls of a plain name with keyword arguments, which become dicts with the name under `()`.
 * Nothing is run. Throws a SyntaxError that names the line for anything else.
 */
export function readLiteral(text: string, offset = 0): PyValue {
  return readValue({ text, at: offset }, 0);
}

/** Reads the literal that a module assigns to the first name that matches, such as `TASKS = […]`. */
export function readAssigned(text: string, name: RegExp): PyValue {
  const found = new RegExp(`^(?:${name.source})\\s*(?::[^=\\n]+)?=`, 'm').exec(text);
  if (!found) throw new SyntaxError(`no assignment to ${name.source} found`);
  return readLiteral(text, found.index + found[0].length);
}

function fault(source: Source, what: string): SyntaxError {
  const line = source.text.slice(0, source.at).split('\n').length;
  return new SyntaxError(`Python literal: ${what} on line ${line}`);
}

function match(source: Source, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = source.at;
  const found = pattern.exec(source.text);
  if (found) source.at += found[0].length;
  return found;
}

function peek(source: Source): string {
  match(source, skipPattern);
  return source.text[source.at] ?? '';
}

function readValue(source: Source, depth: number): PyValue {
  if (depth > maxDepth) throw fault(source, `more than ${maxDepth} levels`);
  const next = peek(source);
  if (next === '[') return readList(source, ']', depth);
  if (next === '(') return readParenthesis(source, depth);
  if (next === '{') return readDict(source, depth);
  const text = readTexts(source);
  if (text !== undefined) return text;
  const name = match(source, namePattern)?.[0];
  if (name !== undefined) return readName(source, name, depth);
  const number = match(source, numberPattern)?.[0].replaceAll('_', '');
  if (number === undefined) throw fault(source, 'expected a value');
  return /[.eE]/.test(number) ? Number(number) : BigInt(number);
}

function readTexts(source: Source): string | undefined {
  let text: string | undefined;
  for (;;) {
    peek(source);
    const found = match(source, stringPattern);
    if (!found) return text;
    text = (text ?? '') + unquote(found[2] ?? '', /r/i.test(found[1] ?? ''));
  }
}

const shortEscapes: Record<string, string> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
};

function unquote(quoted: string, raw: boolean): string {
  const width = /^("""|''')/.test(quoted) ? 3 : 1;
  const body = quoted.slice(width, -width);
  if (raw) return body;
  return body.replace(
    /\\(?:\r?\n|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
    (all, x?: string, u?: string, long?: string, octal?: string, letter?: string) => {
      const hex = x ?? u ?? long;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      if (letter === undefined) return '';
      return shortEscapes[letter] ?? (/["'\\]/.test(letter) ? letter : all);
    },
  );
}

function readName(source: Source, name: string, depth: number): PyValue {
  const constant = constants.get(name);
  if (constant !== undefined) return constant;
  if (peek(source) !== '(') throw fault(source, `${name} is no literal`);
  source.at++;
  const fields: PyDict = new Map<string, PyValue>([[callKey, name]]);
  while (peek(source) !== ')') {
    const field = match(source, namePattern)?.[0];
    if (field === undefined || peek(source) !== '=')
      throw fault(source, `expected a keyword argument of ${name}`);
    source.at++;
    fields.set(field, readValue(source, depth + 1));
    separate(source, ')');
  }
  source.at++;
  return fields;
}

/** Steps over the comma between two elements; before the closing sign it may be left out. */
function separate(source: Source, closing: string): void {
  const next = peek(source);
  if (next === ',') source.at++;
  else if (next !== closing) throw fault(source, `expected "," or "${closing}"`);
}

function readList(source: Source, closing: string, depth: number): PyValue[] {
  const list: PyValue[] = [];
  source.at++;
  while (peek(source) !== closing) {
    list.push(readValue(source, depth + 1));
    separate(source, closing);
  }
  source.at++;
  return list;
}

/** A parenthesised value is that value; with a comma, or empty, it is a tuple, read as a list. */
function readParenthesis(source: Source, depth: number): PyValue {
  const start = source.at;
  source.at++;
  if (peek(source) !== ')') {
    const value = readValue(source, depth + 1);
    if (peek(source) === ')') {
      source.at++;
      return value;
    }
  }
  source.at = start;
  return readList(source, ')', depth);
}

function readDict(source: Source, depth: number): PyDict {
  const dict: PyDict = new Map();
  source.at++;
  while (peek(source) !== '}') {
    const key = readTexts(source);
    if (key === undefined || peek(source) !== ':') throw fault(source, 'expected a text key');
    source.at++;
    dict.set(key, readValue(source, depth + 1));
    separate(source, '}');
  }
  source.at++;
  return dict;
}
