import {
  type BinaryOperator,
  compileExpression,
  type Instruction,
  type Operand,
  type Star,
} from './expression.ts';
import { type PyNumber, round2, toFloat } from './number.ts';
import { contains, elements } from './operations.ts';
import { bounded, floorDivideFloats, floorDivideInts, power, trueDivide } from './power.ts';
import { isPyError, pyError } from './raise.ts';
import { floatText } from './text.ts';
import type { PyValue } from './value.ts';

type Result = Operand | 'complex';

const allowed = '0123456789+-*/(). ';

/**
 * The `calculate` tool: checks the characters, evaluates by Python's rules with ints of any size, turns the value into
 * a float, rounds it half-even to two places and prints it. Errors come back as text `Error: …`. The expression is
 * compiled and run here, never handed to an evaluator of the language; an int beyond 100,000 bits is an error.
 */
export function calculate(expression: PyValue): string {
  if (!elements(expression).every((character) => contains(allowed, character)))
    return 'Error: invalid characters in expression';
  try {
    if (typeof expression !== 'string')
      throw pyError('TypeError', 'eval() arg 1 must be a string, bytes or code object');
    return floatText(Number(round2(finalFloat(evaluate(compileExpression(expression))))));
  } catch (error) {
    if (isPyError(error)) return `Error: ${error.message}`;
    throw error;
  }
}

function resultType(value: Result): string {
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' ? 'int' : 'float';
}

function finalFloat(value: Result): number {
  if (typeof value !== 'string') return toFloat(value);
  throw pyError('TypeError', `float() argument must be a string or a real number, not '${value}'`);
}

function evaluate(program: readonly Instruction[]): Result {
  const stack: Result[] = [];
  for (const step of program) stack.push(run(step, stack));
  return take(stack);
}

function take(stack: Result[]): Result {
  const value = stack.pop();
  if (value === undefined) throw new Error('the compiled expression is short of an operand');
  return value;
}

function run(step: Instruction, stack: Result[]): Result {
  if (step.do === 'push') return step.value;
  if (step.do === 'unary') return unary(step.operator, take(stack));
  if (step.do === 'call') {
    const argument = step.arguments === 1 ? take(stack) : undefined;
    throw callError(take(stack), step.star, argument);
  }
  const right = take(stack);
  return binary(step.operator, take(stack), right);
}

function unary(operator: '+' | '-', value: Result): Result {
  if (value === 'complex') return value;
  if (typeof value === 'string')
    throw pyError('TypeError', `bad operand type for unary ${operator}: '${value}'`);
  return operator === '-' ? -value : value;
}

function callError(callee: Result, star: Star, argument: Result | undefined): Error {
  const shown = calleeText(callee);
  const given = argument === undefined ? '' : resultType(argument);
  if (star === '**')
    return pyError('TypeError', `${shown} argument after ** must be a mapping, not ${given}`);
  if (star === '*' && argument !== 'tuple')
    return pyError('TypeError', `${shown} argument after * must be an iterable, not ${given}`);
  return pyError('TypeError', `'${resultType(callee)}' object is not callable`);
}

function calleeText(callee: Result): string {
  if (callee === 'tuple') return '()';
  if (callee === 'ellipsis') return 'Ellipsis';
  if (typeof callee === 'number') return floatText(callee);
  return String(callee);
}

function binary(operator: BinaryOperator, a: Result, b: Result): Result {
  if (typeof a !== 'string' && typeof b !== 'string') return numeric(operator, a, b);
  if (a === 'tuple' || b === 'tuple') return withTuple(operator, a, b);
  if (a === 'ellipsis' || b === 'ellipsis' || operator === '//') throw operandError(operator, a, b);
  return withComplex(operator, a, b);
}

function operandError(operator: BinaryOperator, a: Result, b: Result): Error {
  const name = operator === '**' ? '** or pow()' : operator;
  const types = `'${resultType(a)}' and '${resultType(b)}'`;
  return pyError('TypeError', `unsupported operand type(s) for ${name}: ${types}`);
}

/** Only the empty tuple can be written, so every sum and product of it is empty too. */
function withTuple(operator: BinaryOperator, a: Result, b: Result): Result {
  const other = a === 'tuple' ? b : a;
  if (operator === '+' && a === 'tuple') {
    if (other === 'tuple') return 'tuple';
    throw pyError('TypeError', `can only concatenate tuple (not "${resultType(other)}") to tuple`);
  }
  if (operator !== '*') throw operandError(operator, a, b);
  if (typeof other === 'bigint') return 'tuple';
  throw pyError('TypeError', `can't multiply sequence by non-int of type '${resultType(other)}'`);
}

/** A complex number can never come out as a float, so its value is not kept, only the errors on its way. */
function withComplex(operator: BinaryOperator, a: Result, b: Result): Result {
  for (const value of [a, b]) if (typeof value === 'bigint') toFloat(value);
  const isZero = (value: Result) => value === 0n || value === 0;
  if (operator === '/' && isZero(b)) throw pyError('ZeroDivisionError', 'complex division by zero');
  if (operator === '**' && isZero(a))
    throw pyError('ZeroDivisionError', '0.0 to a negative or complex power');
  return 'complex';
}

function numeric(operator: BinaryOperator, a: PyNumber, b: PyNumber): PyNumber | 'complex' {
  if (operator === '**') return power(a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return ofInts(operator, a, b);
  return ofFloats(operator, toFloat(a), toFloat(b));
}

function ofInts(operator: Exclude<BinaryOperator, '**'>, a: bigint, b: bigint): PyNumber {
  if (operator === '/') return trueDivide(a, b);
  if (operator === '//') return floorDivideInts(a, b);
  if (operator === '*') return bounded(a * b);
  return bounded(operator === '+' ? a + b : a - b);
}

function ofFloats(operator: Exclude<BinaryOperator, '**'>, a: number, b: number): number {
  if (operator === '//') return floorDivideFloats(a, b);
  if (operator === '*') return a * b;
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (b === 0) throw pyError('ZeroDivisionError', 'float division by zero');
  return a / b;
}
