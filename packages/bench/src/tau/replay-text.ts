import { whole } from '../report/format.ts';
import { terminalTable } from '../report/terminal.ts';
import { tauRevision } from './load.ts';
import type { Difference, ReplayReport } from './replay.ts';

const shownCharacters = 300;

/** A replay for people: per kind, domain and tool how many agree, then the first differences. */
export function replayText(report: ReplayReport): string {
  const head = ['vectors', 'domain', 'tool or set', 'total', 'agree', 'other text', 'differ'];
  const rows = report.rows.map(({ kind, domain, group, total, agree, lenient, differ }) => [
    kind,
    domain,
    group,
    ...[total, agree, lenient, differ].map(whole),
  ]);
  const differing = report.rows.filter((row) => row.differences.length > 0);
  return [
    `τ-bench ${tauRevision}; vectors of ${report.folder}: ${report.files.join(', ')}`,
    '',
    terminalTable(head, rows),
    '',
    ...differing.flatMap((row) => row.differences.map((one) => differenceText(row.domain, row.group, one))),
    totalText(report),
  ].join('\n');
}

function totalText({ total, agree, lenient, differ }: ReplayReport): string {
  const other = lenient === 0 ? '' : `, ${whole(lenient)} with another text where Python itself wrote it`;
  return `${whole(agree)} of ${whole(total)} agree${other}; ${whole(differ)} differ`;
}

function differenceText(domain: string, group: string, { id, field, wanted, got }: Difference): string {
  return `${domain} ${group} ${id}: ${field}\n  wanted ${shorten(wanted)}\n  got    ${shorten(got)}`;
}

function shorten(text: string): string {
  return text.length <= shownCharacters
    ? text
    : `${text.slice(0, shownCharacters)}… (${text.length} characters)`;
}
