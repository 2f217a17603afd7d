import type { Issue, Notice } from '../types.ts';
import { BOUNDS } from './bounds.ts';
import { oneLine, quoteWithin } from './quote.ts';

type Rejected = Extract<Notice, { kind: 'rejected' }>;

/** The notices as text: one item a line, further lines quoted; empty where there are none. Bounded whatever it is given. */
export function noticesText(notices: readonly Notice[]): string {
  const rejections = notices.filter((notice) => notice.kind === 'rejected');
  const others = notices.filter((notice) => notice.kind !== 'rejected');
  const lines = others.slice(0, BOUNDS.notices).map(otherLine);
  lines.push(...moreLine(others.length - BOUNDS.notices, 'notices'));
  const last = rejections.at(-1);
  return [...lines, ...(last === undefined ? [] : rejectedLines(last))].join('\n');
}

function otherLine({ kind, text }: Exclude<Notice, Rejected>): string {
  return /[\n\r\v\f\u0085\u2028\u2029]/.test(text)
    ? `- ${kind}:\n${quoteWithin(text, BOUNDS.noticeText)}`
    : `- ${kind}: ${oneLine(text, BOUNDS.noticeText)}`;
}

function rejectedLines({ attempt, left, issues, fragment }: Rejected): string[] {
  return [
    `- rejected: attempt ${attempt} was refused; the state is unchanged and no action ran (${left} attempts left). Correct every issue and send the whole transition again:`,
    ...issues.slice(0, BOUNDS.issues).map(issueLine),
    ...moreLine(issues.length - BOUNDS.issues, 'issues'),
    ...(fragment === '' ? [] : ['- refused:', quoteWithin(fragment, BOUNDS.fragment)]),
  ];
}

function moreLine(count: number, of: string): string[] {
  return count > 0 ? [`- and ${Math.min(count, BOUNDS.more)} more ${of}`] : [];
}

/** `- schema.type at /count: integer wanted; got string "a"`. */
export function issueLine({ code, path, hint }: Issue): string {
  const where = path === '' ? '' : ` at ${oneLine(path, BOUNDS.issuePath)}`;
  return `- ${oneLine(code, BOUNDS.issueCode)}${where}: ${oneLine(hint, BOUNDS.issueHint)}`;
}
