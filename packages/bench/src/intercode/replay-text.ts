import { terminalTable } from '../report/terminal.ts';
import type { Agreement, Difference, SolutionReport } from './replay.ts';
import { pinnedRevision } from './tasks.ts';

const shownCharacters = 300;

/** A replay of solution scripts for people. */
export function solutionsText(report: SolutionReport): string {
  const rows = report.scores.map(({ id, score }) => [String(id), String(score)]);
  return [
    `InterCode CTF ${pinnedRevision}; solution scripts, each through a whole episode (mode runtime)`,
    terminalTable(['task', 'score'], rows),
    '',
    ...report.unavailable.map(({ id, reason }) => `task ${id} is not available: ${reason}`),
    ...report.differences.map(differenceText),
    `${report.agree} of ${report.total} scripts find their flag, ${report.unavailable.length} tasks are not available here, ${report.total - report.agree - report.unavailable.length} differ`,
  ].join('\n');
}

/** A replay of vectors for people. */
export function vectorsText(files: Readonly<Record<string, Agreement>>): string {
  const entries = Object.entries(files);
  const rows = entries.map(([name, { total, agree }]) => [
    name,
    ...[total, agree, total - agree].map(String),
  ]);
  const sum = (of: 'total' | 'agree') => entries.reduce((n, [, agreement]) => n + agreement[of], 0);
  return [
    `InterCode CTF ${pinnedRevision}; vectors in mode original`,
    terminalTable(['vectors', 'total', 'agree', 'differ'], rows),
    '',
    ...entries.flatMap(([, { differences }]) => differences.map(differenceText)),
    `${sum('agree')} of ${sum('total')} agree; ${sum('total') - sum('agree')} differ`,
  ].join('\n');
}

function differenceText({ where, wanted, got }: Difference): string {
  return `${where}\n  wanted ${shorten(wanted)}\n  got    ${shorten(got)}`;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}
