import { expect, test } from 'vitest';
import { compileExpression } from './expression.ts';

const scope = { state: { n: 3, list: ['a', 'b'], half: 1.5 }, args: { id: 'x7' } };

function evaluate(source: string): unknown {
  const compiled = compileExpression(source);
  if (!compiled.ok) return compiled.issues[0]?.code;
  const result = compiled.value.evaluate(scope);
  return result.ok ? result.value : result.issues[0]?.code;
}

test.each([
  ['state.n == 3', true],
  ['state.n + 1', 4],
  ['state.n / 2', 1.5],
  ['2 * state.half', 3],
  ['size(state.list) >= 2', true],
  ['state.list.exists(x, x == args.id)', false],
  ['{"id": args.id, "count": size(state.list)}', { id: 'x7', count: 2 }],
  ['[args.id, state.n]', ['x7', 3]],
])('%s gives %j', (source, value) => expect(evaluate(source)).toEqual(value));

test.each(['state.missing', 'state.n + "a"', 'state..n', 'process.exit()', 'state.constructor'])(
  '%s is an issue, never a throw',
  (source) => expect(evaluate(source)).toBe('skill.expression'),
);

test('an expression that is not exactly true does not hold', () => {
  const compiled = compileExpression('state.n');
  expect(compiled.ok && compiled.value.holds(scope)).toBe(false);
});
