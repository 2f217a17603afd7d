import { pyError } from './raise.ts';

/** What a token pushes: an int, a float, the empty tuple or the ellipsis. */
export type Operand = bigint | number | 'tuple' | 'ellipsis';
export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '**';
export type Star = '' | '*' | '**';
/** One step of a compiled expression, in the order in which Python evaluates. */
export type Instruction =
  | { do: 'push'; value: Operand }
  | { do: 'unary'; operator: '+' | '-' }
  | { do: 'binary'; operator: BinaryOperator }
  | { do: 'call'; star: Star; arguments: 0 | 1 };

type Symbol = BinaryOperator | '(' | ')' | '.' | '...';
type Token = { symbol: Symbol } | { symbol: 'number'; value: bigint | number };
type Frame = { open: 'group' | 'call'; star: Star };
type Pending = { binary: BinaryOperator } | { unary: '+' | '-' } | Frame;

const tokenPattern = / *(?:(\d+\.?\d*|\.\d+)|(\*\*|\/\/|\.\.\.|[-+*/().]))/y;
const precedence: Record<BinaryOperator, number> = { '+': 1, '-': 1, '*': 2, '/': 2, '//': 2, '**': 4 };
const unaryPrecedence = 3;
const maxParentheses = 200;
const maxTreeDepth = 2990;
const maxDigits = 4300;

function syntaxError(text: string, line = 1): Error {
  return pyError('SyntaxError', `${text} (<string>, line ${line})`);
}

function numberToken(text: string): bigint | number {
  if (text.includes('.')) return Number(text);
  if (/^0+[1-9]/.test(text))
    throw syntaxError(
      'leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers',
    );
  if (text.length > maxDigits)
    throw syntaxError(
      `Exceeds the limit (${maxDigits} digits) for integer string conversion: value has ${text.length} digits; use ` +
        'sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid ' +
        'decimal conversion limits.',
    );
  return BigInt(text);
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let level = 0;
  tokenPattern.lastIndex = 0;
  for (let found = tokenPattern.exec(text); found; found = tokenPattern.exec(text)) {
    if (found[1] !== undefined) {
      tokens.push({ symbol: 'number', value: numberToken(found[1]) });
      continue;
    }
    const symbol = found[2] as Symbol;
    if (symbol === '(' && ++level > maxParentheses) throw syntaxError('too many nested parentheses');
    if (symbol === ')' && --level < 0) throw syntaxError("unmatched ')'");
    tokens.push({ symbol });
  }
  return tokens;
}

interface Compiler {
  readonly tokens: readonly Token[];
  at: number;
  readonly out: Instruction[];
  readonly pending: Pending[];
  /** Heights of the trees that the instructions so far leave on the stack. */
  readonly heights: number[];
}

/**
 * Compiles an arithmetic expression made of digits, `+ - * / ( ) .` and spaces to postfix instructions, by Python's
 * grammar. Throws a SyntaxError with CPython 3.11's text. Neither recursion nor time grows beyond the text's length.
 */
export function compileExpression(text: string): Instruction[] {
  const compiler: Compiler = { tokens: tokenize(text), at: 0, out: [], pending: [], heights: [] };
  if (compiler.tokens.length === 0) throw syntaxError('invalid syntax', 0);
  let wantOperand = true;
  while (compiler.at < compiler.tokens.length)
    wantOperand = wantOperand ? readOperand(compiler) : readOperator(compiler);
  if (openFrame(compiler)) throw syntaxError("'(' was never closed");
  if (wantOperand) throw syntaxError('invalid syntax');
  unwind(compiler, 0);
  return compiler.out;
}

function openFrame(compiler: Compiler): Frame | undefined {
  return compiler.pending.findLast((entry): entry is Frame => 'open' in entry);
}

function emit(compiler: Compiler, instruction: Instruction, takes: number): void {
  const children = takes === 0 ? [] : compiler.heights.splice(-takes);
  const height = Math.max(0, ...children) + 1;
  if (height > maxTreeDepth)
    throw pyError('RecursionError', 'maximum recursion depth exceeded during compilation');
  compiler.heights.push(height);
  compiler.out.push(instruction);
}

/** Emits waiting operators that bind at least as tightly as `level`, down to the innermost open parenthesis. */
function unwind(compiler: Compiler, level: number): void {
  for (;;) {
    const top = compiler.pending.at(-1);
    if (top === undefined || 'open' in top) return;
    if (('unary' in top ? unaryPrecedence : precedence[top.binary]) < level) return;
    compiler.pending.pop();
    if ('unary' in top) emit(compiler, { do: 'unary', operator: top.unary }, 1);
    else emit(compiler, { do: 'binary', operator: top.binary }, 2);
  }
}

function open(compiler: Compiler, kind: 'group' | 'call'): true {
  const next = compiler.tokens[compiler.at]?.symbol;
  const star = next === '*' || next === '**' ? next : '';
  if (star !== '') compiler.at++;
  compiler.pending.push({ open: kind, star });
  return true;
}

/** Reads where an operand must come; returns whether one is still wanted. */
function readOperand(compiler: Compiler): boolean {
  const token = compiler.tokens[compiler.at++];
  if (token?.symbol === 'number' || token?.symbol === '...') {
    emit(compiler, { do: 'push', value: token.symbol === 'number' ? token.value : 'ellipsis' }, 0);
    return false;
  }
  if (token?.symbol === '(') return open(compiler, 'group');
  if (token?.symbol === '+' || token?.symbol === '-') {
    compiler.pending.push({ unary: token.symbol });
    return true;
  }
  const previous = compiler.tokens[compiler.at - 2]?.symbol;
  if (token?.symbol === ')' && previous === '(') return closeEmpty(compiler);
  throw syntaxError('invalid syntax');
}

function closeEmpty(compiler: Compiler): false {
  const frame = compiler.pending.pop();
  const isCall = frame !== undefined && 'open' in frame && frame.open === 'call';
  if (isCall) emit(compiler, { do: 'call', star: '', arguments: 0 }, 1);
  else emit(compiler, { do: 'push', value: 'tuple' }, 0);
  return false;
}

/** Reads what may follow an operand; returns whether another operand is wanted. */
function readOperator(compiler: Compiler): boolean {
  const token = compiler.tokens[compiler.at++];
  const symbol = token?.symbol;
  if (symbol === ')') return close(compiler);
  if (symbol === '(') return open(compiler, 'call');
  if (symbol === undefined || symbol === 'number' || symbol === '...' || symbol === '.')
    throw misplaced(compiler, symbol);
  unwind(compiler, symbol === '**' ? precedence['**'] + 1 : precedence[symbol]);
  compiler.pending.push({ binary: symbol });
  return true;
}

/** CPython reads one more expression after a misplaced one; a `(` still open where that ends is what it reports. */
function misplaced(compiler: Compiler, symbol: string | undefined): Error {
  const rest = symbol === '.' ? compiler.tokens.slice(compiler.at) : compiler.tokens.slice(compiler.at - 1);
  if (!isClosed(compiler.tokens) && (symbol === '.' ? rest.length === 0 : reachesEnd(rest)))
    return syntaxError("'(' was never closed");
  const comma = symbol !== '.' && openFrame(compiler) !== undefined;
  return syntaxError(comma ? 'invalid syntax. Perhaps you forgot a comma?' : 'invalid syntax');
}

function isClosed(tokens: readonly Token[]): boolean {
  const count = (symbol: Symbol) => tokens.filter((token) => token.symbol === symbol).length;
  return count('(') === count(')');
}

/** Whether one expression, complete or not, goes on to the end of the tokens. */
function reachesEnd(tokens: readonly Token[]): boolean {
  const probe: Compiler = { tokens, at: 0, out: [], pending: [], heights: [] };
  let wantOperand = true;
  while (probe.at < tokens.length) {
    const next = tokens[probe.at]?.symbol;
    const operand = next === 'number' || next === '...';
    if (wantOperand ? isOperator(next) : operand || next === '.') return false;
    if (next === ')' && (wantOperand || !openFrame(probe))) return false;
    wantOperand = wantOperand ? readOperand(probe) : readOperator(probe);
  }
  return true;
}

function isOperator(symbol: Token['symbol'] | undefined): boolean {
  return symbol === '*' || symbol === '/' || symbol === '//' || symbol === '**' || symbol === '.';
}

function close(compiler: Compiler): false {
  unwind(compiler, 0);
  const frame = compiler.pending.pop();
  if (frame === undefined || !('open' in frame)) throw syntaxError("unmatched ')'");
  if (frame.open === 'call') emit(compiler, { do: 'call', star: frame.star, arguments: 1 }, 2);
  else if (frame.star !== '')
    throw syntaxError(`cannot use ${frame.star === '**' ? 'double ' : ''}starred expression here`);
  return false;
}
