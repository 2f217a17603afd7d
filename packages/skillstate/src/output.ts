import { styleText } from 'node:util';
import type { Issue, Json, RunStatus } from '@skillstate/runtime';

export const EXIT = { done: 0, error: 1, waits: 2, elsewhere: 3 } as const;

/** Where a verb leaves its exit code. */
export type Outcome = { exit: number };

export function exitFor(status: RunStatus): number {
  if (status === 'finished') return EXIT.done;
  return status === 'failed' || status === 'cancelled' ? EXIT.error : EXIT.waits;
}

/** A run that nothing reaches any more. */
export function ended(status: RunStatus): boolean {
  return status === 'finished' || status === 'failed' || status === 'cancelled';
}

/** A step as people name it, from 0 (before the first) up. */
export function stepNumber(text: string): number {
  const step = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(step) || step < 0)
    throw new Error(`${text} is no step number`);
  return step;
}

/** For an option that may be given several times. */
export function listed(value: string, before: string[]): string[] {
  return [...before, value];
}

/** One JSON value on standard output, for scripts. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value as Json, null, 2)}\n`);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Colour for people only: none where the output is no terminal or NO_COLOR is set. */
export function paint(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

export function issueLine(issue: Issue): string {
  return `${issue.code}  ${issue.path === '' ? '/' : issue.path}  ${issue.hint}`;
}

/** Control and format characters of untrusted text never reach a terminal. */
export function clean(text: string): string {
  return text.replace(/\p{C}/gu, ' ');
}

/** `1 step`, `12 steps`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}

/** A duration in its largest unit, for people. */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ] as const;
  const [size, unit] = units.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit} ago`;
}

/** Several issues as one error. */
export class IssuesError extends Error {
  readonly issues: readonly Issue[];
  constructor(title: string, issues: readonly Issue[]) {
    super([title, ...issues.map((issue) => `  ${issueLine(issue)}`)].join('\n'));
    this.name = 'IssuesError';
    this.issues = issues;
  }
}

/** What happened, where, and what to do, in as few lines as that needs. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return `error: ${String(error)}`;
  const { issue, code, hint, path } = error as Error & {
    issue?: Issue;
    code?: unknown;
    hint?: unknown;
    path?: unknown;
  };
  if (issue !== undefined) return `error: ${issue.hint} [${issue.code}]`;
  if (typeof code === 'string' && typeof hint === 'string')
    return `error: ${hint} [${code}${typeof path === 'string' && path !== '' ? `, ${path}` : ''}]`;
  if (process.env['SKILLSTATE_DEBUG'] !== undefined) return error.stack ?? error.message;
  return `error: ${error.message}`;
}
