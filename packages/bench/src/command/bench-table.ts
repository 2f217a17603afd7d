import type { Row } from '../report/rows.ts';
import { plain } from '../report/escape.ts';
import { terminalTable } from '../report/terminal.ts';

type Column = { readonly name: string; readonly text: (row: Row) => string; readonly optional?: true };

const NONE = '-';
const number = (value: number | null | undefined, digits: number): string =>
  value === null || value === undefined ? NONE : value.toFixed(digits);
const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

const COLUMNS: readonly Column[] = [
  { name: 'arm', text: ({ arm }) => arm },
  { name: 'n', text: ({ episodes }) => String(episodes) },
  { name: 'score', text: scoreText },
  { name: 'recovered in', text: recoveryText, optional: true },
  { name: 'chars', text: ({ promptChars }) => whole(promptChars) },
  { name: 'max', text: ({ maxPromptChars }) => whole(maxPromptChars) },
  { name: 'tokens in', text: ({ inputTokens }) => whole(inputTokens) },
  { name: 'in x state', text: ({ againstState }) => number(againstState?.inputRatio, 2), optional: true },
  {
    name: 'formula',
    text: ({ againstState }) => number(againstState?.expectedInputRatio, 2),
    optional: true,
  },
  { name: 'growth', text: ({ exponentWhole }) => number(exponentWhole, 2) },
  { name: '- P', text: ({ exponent }) => number(exponent, 2) },
  { name: 'formula', text: ({ expectedExponent }) => number(expectedExponent, 2), optional: true },
  { name: '- P - Σ', text: ({ exponentBesideState }) => number(exponentBesideState, 2), optional: true },
  { name: 'refused', text: refusedText, optional: true },
  { name: 'retries', text: ({ retries }) => number(retries || null, 1), optional: true },
  { name: 'given up', text: ({ forfeited }) => number(forfeited || null, 1), optional: true },
  { name: 'delays', text: groupsText, optional: true },
];

function scoreText({ score, scoreSd }: Row): string {
  return scoreSd === null ? score.toFixed(2) : `${score.toFixed(2)} ±${scoreSd.toFixed(2)}`;
}

function recoveryText({ recovery }: Row): string {
  return recovery.length === 0 ? NONE : recovery.map((steps) => steps ?? 'N/A').join(' ');
}

function refusedText({ rejections }: Row): string {
  const words = Object.entries(rejections).map(([group, count]) => `${group} ${count}`);
  return words.length === 0 ? NONE : words.join(', ');
}

function groupsText({ groups }: Row): string {
  const names = Object.keys(groups).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const words = names.map((name) => {
    const { asked, right } = groups[name] as { asked: number; right: number };
    return `${name.replace(/^delay /, '')}: ${right}/${asked}`;
  });
  return words.length === 0 ? NONE : words.join(' ');
}

/** The rows as text: a table for each condition; columns that say nothing are left out. */
export function rowsText(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, headingOf);
  const tables = [...groups].map(
    ([heading, members]) => `${heading}\n${tableText(members)}\n${notesText(members)}`,
  );
  return plain(tables.join('\n'));
}

/** What a reader must know of the figures above, each once. */
function notesText(rows: readonly Row[]): string {
  const own = rows.flatMap(({ arm, notes }) => notes.map((note) => `${arm}: ${note}`));
  const missing = rows.flatMap(({ againstState }) => againstState?.noSaving ?? []);
  const why = [...new Set(missing)].map((reason) => `nothing is set against state: ${reason}`);
  return [...own, ...why].map((line) => `${line}\n`).join('');
}

function headingOf({
  experiment,
  environment,
  horizon,
  condition,
  model,
  mode,
  reasoning,
  tokensBy,
}: Row): string {
  const words = [
    `${experiment}: ${environment}, T=${horizon}`,
    ...(condition === '' ? [] : [condition]),
    reasoning === null ? `${model} in ${mode} mode` : `reasoning ${reasoning}`,
    `tokens ${tokensBy}`,
  ];
  return words.join(', ');
}

function tableText(rows: readonly Row[]): string {
  const columns = COLUMNS.filter(
    ({ optional, text }) => optional !== true || rows.some((row) => text(row) !== NONE),
  );
  return terminalTable(
    columns.map(({ name }) => name),
    rows.map((row) => columns.map(({ text }) => text(row))),
  );
}
