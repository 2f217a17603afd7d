import { createRequire } from 'node:module';
import type { Environment } from '@marcbachmann/cel-js';
import type { Issue, Json, Result } from '../types.ts';

/** A compiled CEL expression over JSON values. Evaluation never throws: a missing key or a wrong type is an issue. */
export type Expression = {
  readonly source: string;
  evaluate(scope: Readonly<Record<string, Json>>): Result<Json>;
  /** True only where the expression evaluates to exactly `true`. */
  holds(scope: Readonly<Record<string, Json>>): boolean;
};

/** The plain lower-case operators that CEL lacks between JSON numbers (always double here) and integer literals. */
const MIXED: readonly [string, (a: number, b: number) => number][] = [
  ['+', (a, b) => a + b],
  ['-', (a, b) => a - b],
  ['*', (a, b) => a * b],
  ['/', (a, b) => a / b],
];

/** Loads CEL on first use, as few skills need it at their start: it takes 15 ms. */
function createEnvironment(): Environment {
  const require = createRequire(import.meta.url);
  const cel = require('@marcbachmann/cel-js') as typeof import('@marcbachmann/cel-js');
  const environment = new cel.Environment({
    unlistedVariablesAreDyn: true,
    homogeneousAggregateLiterals: false,
    limits: {
      maxAstNodes: 2000,
      maxDepth: 64,
      maxListElements: 500,
      maxMapEntries: 500,
      maxCallArguments: 16,
    },
  });
  for (const [operator, apply] of MIXED) {
    const mixed = (a: number | bigint, b: number | bigint): number => apply(Number(a), Number(b));
    environment.registerOperator(`double ${operator} int`, mixed);
    environment.registerOperator(`int ${operator} double`, mixed);
  }
  return environment;
}

function lazy<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => (value ??= make());
}

/** CEL integers become JSON numbers; anything that JSON has no word for is refused. */
function toJson(value: unknown): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (Array.isArray(value)) {
    const items = value.map(toJson);
    return items.includes(undefined) ? undefined : (items as Json[]);
  }
  if (typeof value !== 'object') return undefined;
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value);
  const members = entries.map(([key, member]) => [String(key), toJson(member)] as const);
  if (members.some(([, member]) => member === undefined)) return undefined;
  return Object.fromEntries(members) as Json;
}

const environment = lazy(createEnvironment);
const memo = new Map<string, Result<Expression>>();

/**
 * Compiles a CEL expression (the language of Kubernetes policies: no loops, no side effects, no host access).
 * JSON numbers are doubles; `+ - * /` also mix them with integer literals. A syntax error is an issue `skill.expression`.
 * Compiled expressions are remembered.
 */
export function compileExpression(source: string, path = ''): Result<Expression> {
  const key = `${path}\n${source}`;
  const known = memo.get(key);
  if (known !== undefined) return known;
  const expression = compile(source, path);
  if (memo.size >= 500) memo.clear();
  memo.set(key, expression);
  return expression;
}

function compile(source: string, path: string): Result<Expression> {
  const fail = (hint: string): { ok: false; issues: Issue[] } => ({
    ok: false,
    issues: [{ code: 'skill.expression', path, hint }],
  });
  try {
    const run = environment().parse(source);
    const evaluate = (scope: Readonly<Record<string, Json>>): Result<Json> => {
      try {
        const value = toJson(run(scope));
        if (value === undefined) return fail(`\`${source}\` gives something that JSON cannot hold`);
        return { ok: true, value };
      } catch (error) {
        return fail(`\`${source}\`: ${firstLine(error)}`);
      }
    };
    const holds = (scope: Readonly<Record<string, Json>>): boolean => {
      const result = evaluate(scope);
      return result.ok && result.value === true;
    };
    return { ok: true, value: { source, evaluate, holds } };
  } catch (error) {
    return fail(`not a CEL expression: ${firstLine(error)}`);
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}
