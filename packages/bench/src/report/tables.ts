import type { Column, TableBlock, TableRow } from './blocks.ts';
import type { Comparison } from './compare.ts';
import { dollars, fixed, NONE, percent, plusMinus, pValue, whole } from './format.ts';
import type { Measured } from './measure.ts';
import { PAPER_TABLES, type PaperRow, type PaperTable } from './paper.ts';
import { conditionLabel, type Section } from './sections.ts';
import { PAPER_BUDGET } from '../strategy/create.ts';

const named = (...names: string[]): Column[] => names.map((name) => ({ name, of: 'name' }));
const ours = (...names: string[]): Column[] => names.map((name) => ({ name, of: 'ours' }));
const paper = (...names: string[]): Column[] => names.map((name) => ({ name, of: 'paper' }));

/** A table without the columns of figures in which no row has one. */
function tableOf(columns: readonly Column[], rows: readonly TableRow[], caption: string): TableBlock {
  const kept = columns.map(
    ({ of }, i) => of === 'name' || rows.some(({ cells }) => (cells[i] ?? '') !== '' && cells[i] !== NONE),
  );
  return {
    kind: 'table',
    columns: columns.filter((_, i) => kept[i]),
    rows: rows.map((row) => ({ ...row, cells: row.cells.filter((_, i) => kept[i]) })),
    caption,
  };
}

/** Our score, prompt size and tokens, each next to the paper's where it has that cell. */
export function resultTable(section: Section, cells: readonly Measured[], caption: string): TableBlock {
  const spread = cells.some(({ interval }) => interval !== null && interval.low !== interval.high);
  const rows = tableRows(cells, (measured) => {
    const { score, interval, success, promptChars, tokens, episodes } = measured;
    const known = paperRow(section, measured);
    return [
      String(episodes),
      plusMinus(score.mean, score.sd, (value) => value.toFixed(2)),
      paperFigure(known?.score ?? null, (value) => value.toFixed(2)),
      spread && interval !== null ? `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}` : NONE,
      percent(success.mean),
      plusMinus(promptChars.mean, promptChars.sd, whole),
      paperFigure(known?.chars ?? null, whole),
      plusMinus(tokens.mean, tokens.sd, whole),
      paperFigure(known?.tokens ?? null, whole),
    ];
  });
  const columns = [
    ...named('condition', 'prompts as'),
    ...ours('episodes', 'score'),
    ...paper('paper'),
    ...ours('95% interval', 'success', 'prompt characters'),
    ...paper('paper'),
    ...ours('total tokens'),
    ...paper('paper'),
  ];
  return tableOf(columns, rows, caption);
}

/** Growth of the prompt, what calls beside the steps cost, and the closed form. */
export function growthTable(cells: readonly Measured[], caption: string): TableBlock {
  const rows = tableRows(cells, (measured) => {
    const {
      exponent,
      closedForm,
      maxPromptChars,
      inputTokens,
      outputTokens,
      compressTokens,
      retries,
      forfeited,
      wallMs,
      reported,
    } = measured;
    return [
      fixed(exponent.mean, 3),
      fixed(measured.exponentBesideState.mean, 3),
      fixed(closedForm?.exponent ?? null, 3),
      whole(maxPromptChars),
      whole(inputTokens.mean),
      fixed(closedForm?.tokens ?? null, 3),
      whole(outputTokens.mean),
      whole(compressTokens.mean),
      fixed(retries.mean, 1),
      fixed(forfeited.mean, 1),
      fixed((wallMs.mean ?? 0) / 1_000, 2),
      ...(reported === null ? [NONE, NONE, NONE] : reported.map(({ mean }) => whole(mean))),
    ];
  });
  const columns = [
    ...named('condition', 'prompts as'),
    ...ours(
      'exponent',
      'without Σ',
      'closed form',
      'largest prompt',
      'input tokens',
      'over closed form',
      'output tokens',
    ),
    ...ours('of summaries', 'retries', 'steps given up', 'seconds'),
    ...ours('read from cache', 'written to cache', 'reasoning tokens'),
  ];
  return tableOf(columns, rows, caption);
}

export function costTable(
  cells: readonly Measured[],
  comparisons: readonly Comparison[],
  caption: string,
): TableBlock {
  const rows = tableRows(cells, (measured) => {
    const { cost } = measured;
    const beside = comparisons.find((comparison) => comparison.measured === measured);
    const even = beside?.breakEven;
    const step = (value: number | null | undefined): string =>
      even === null || even === undefined
        ? beside === undefined
          ? ''
          : NONE
        : value === null || value === undefined
          ? 'never'
          : String(value);
    return [
      dollars(cost?.rawUsd.mean ?? null),
      dollars(cost?.cachedUsd.mean ?? null),
      percent(cost?.cacheShare ?? null),
      cost?.cacheBy ?? NONE,
      beside === undefined ? '' : times(beside.tokenRatio),
      beside === undefined ? '' : times(beside.rawRatio),
      beside === undefined ? '' : times(beside.cachedRatio),
      step(even?.raw),
      step(even?.cached),
    ];
  });
  const columns = [
    ...named('condition', 'prompts as'),
    ...ours(
      'USD raw',
      'USD with cache',
      'read from cache',
      'cache by',
      'tokens × state',
      'raw × state',
      'cached × state',
    ),
    ...ours('break-even step', 'with cache'),
  ];
  return tableOf(columns, rows, caption);
}

const times = (ratio: number | null): string => (ratio === null ? NONE : `${ratio.toFixed(2)}×`);

/** `state` beside every other arm, with Holm's adjustment over the whole table. */
export function comparisonTable(
  cells: readonly Measured[],
  comparisons: readonly Comparison[],
  caption: string,
): TableBlock {
  const rows = tableRows(
    comparisons.map(({ measured }) => measured),
    (measured) => {
      const found = comparisons.find((comparison) => comparison.measured === measured);
      const interval = found?.interval ?? null;
      return [
        String(found?.pairs ?? 0),
        fixed(found?.difference ?? null, 3),
        interval === null ? NONE : `${interval.low.toFixed(3)} to ${interval.high.toFixed(3)}`,
        pValue(found?.tTest ?? null),
        pValue(found?.tTestHolm ?? null),
        pValue(found?.wilcoxon ?? null),
        pValue(found?.wilcoxonHolm ?? null),
      ];
    },
    cells,
  );
  const columns = [
    ...named('condition', 'state against'),
    ...ours('pairs', 'score difference', '95% interval', 't-test p', 'p (Holm)', 'Wilcoxon p', 'p (Holm)'),
  ];
  return tableOf(columns, rows, caption);
}

/** Experiment 3: recovery steps of every episode, next to the paper's. */
export function recoveryTable(section: Section, cells: readonly Measured[], caption: string): TableBlock {
  const rows = tableRows(cells, (measured) => {
    const known = paperRow(section, measured)?.recovery ?? null;
    const steps = measured.recovery.filter((step) => step !== null);
    return [
      `${steps.length} of ${measured.recovery.length}`,
      known?.success ?? NONE,
      range(steps),
      known?.steps ?? NONE,
      plusMinus(measured.score.mean, measured.score.sd, (value) => value.toFixed(2)),
    ];
  });
  const columns = [
    ...named('scenario', 'prompts as'),
    ...ours('recovered'),
    ...paper('paper'),
    ...ours('recovery steps'),
    ...paper('paper'),
    ...ours('score'),
  ];
  return tableOf(columns, rows, caption);
}

function range(steps: readonly number[]): string {
  if (steps.length === 0) return 'N/A';
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  return least === most ? String(least) : `${least}–${most}`;
}

/** Rejected replies by group; the first three are the paper's failure modes (section 5.7). */
export function rejectionTable(cells: readonly Measured[], caption: string): TableBlock {
  const named3 = ['overwrite', 'schema', 'syntax'] as const;
  const rows = tableRows(cells, ({ rejections, retries, forfeited, score }) => {
    const total = Object.values(rejections).reduce((sum, count) => sum + count, 0);
    const three = named3.map((group) => rejections[group] ?? 0);
    return [
      ...three.map(String),
      String(total - three.reduce((sum, count) => sum + count, 0)),
      fixed(retries.mean, 1),
      fixed(forfeited.mean, 1),
      fixed(score.mean),
    ];
  });
  const columns = [
    ...named('condition', 'prompts as'),
    ...ours('overwrite', 'schema', 'syntax', 'other', 'retries an episode', 'steps given up', 'score'),
  ];
  return tableOf(columns, rows, caption);
}

/** Right answers by the group of a turn, e.g. the delay of a question. */
export function groupTable(cells: readonly Measured[], caption: string): TableBlock {
  const names = [...new Set(cells.flatMap(({ groups }) => Object.keys(groups)))].toSorted((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  );
  const rows = tableRows(cells, ({ groups }) =>
    names.map((name) => {
      const group = groups[name];
      return group === undefined || group.asked === 0
        ? NONE
        : `${percent(group.right / group.asked)} of ${group.asked}`;
    }),
  );
  return tableOf([...named('condition', 'prompts as'), ...ours(...names)], rows, caption);
}

/** A table of the paper in full, as data. */
export function paperTable(table: PaperTable): TableBlock {
  const recovery = table.kind === 'recovery';
  const rows = table.rows.map((row, i): TableRow => {
    const label = row.drift ?? (table.kind === 'noise' ? `${row.noise} noise events` : `T=${row.horizon}`);
    const previous = table.rows[i - 1];
    const first =
      previous !== undefined &&
      (previous.horizon !== row.horizon || previous.noise !== row.noise || previous.drift !== row.drift);
    const figures = recovery
      ? [row.recovery?.success ?? NONE, row.recovery?.steps ?? NONE]
      : [
          paperFigure(row.score, (value) => value.toFixed(2)),
          paperFigure(row.chars, whole),
          paperFigure(row.tokens, whole),
        ];
    return { cells: [label, row.strategy, ...figures], strong: row.strategy === 'state', first };
  });
  const names = recovery ? ['success', 'recovery steps'] : ['score', 'prompt characters', 'total tokens'];
  const caption = `The paper's table ${table.number}, arXiv 2608.26263, typed in: ${table.note}. Not measured here.`;
  return tableOf([...named('condition', 'prompts as'), ...paper(...names)], rows, caption);
}

/** Numbers of the paper's tables that stand beside these cells. */
export function paperNumbers(section: Section, cells: readonly Measured[]): number[] {
  const used = new Set(cells.flatMap((measured) => paperRows(section, measured)));
  return paperTablesOf(section)
    .filter(({ rows }) => rows.some((row) => used.has(row)))
    .map(({ number }) => number);
}

function paperTablesOf({ kind, environment }: Section): PaperTable[] {
  return PAPER_TABLES.filter((table) => table.kind === kind && table.environment === environment);
}

/** A cell of ours may stand in two tables of the paper: its score is then the one with a spread. */
function paperRow(section: Section, measured: Measured): PaperRow | null {
  const rows = paperRows(section, measured);
  const [first] = rows;
  if (first === undefined) return null;
  const spread = rows.find(({ score }) => score !== null && score.sd !== null);
  return spread === undefined ? first : { ...first, score: spread.score };
}

function paperRows(section: Section, { cell }: Measured): PaperRow[] {
  const { horizon, noise, drift, overrides, faults } = cell.condition;
  if (overrides || faults > 0) return [];
  if (cell.arm.budget !== undefined && cell.arm.budget !== PAPER_BUDGET) return [];
  const strategy = cell.arm.strategy === 'state-paper' ? 'state' : cell.arm.strategy;
  const rows = paperTablesOf(section).flatMap((table) => table.rows);
  return rows.filter(
    (row) =>
      row.strategy === strategy &&
      row.drift === drift &&
      (drift !== null || (row.horizon === horizon && row.noise === noise)),
  );
}

function paperFigure(figure: PaperRow['score'], show: (value: number) => string): string {
  return figure === null ? NONE : plusMinus(figure.mean, figure.sd, show);
}

function tableRows(
  cells: readonly Measured[],
  figures: (measured: Measured) => readonly string[],
  all: readonly Measured[] = cells,
): TableRow[] {
  const conditions = all.map(({ cell }) => cell);
  const labels = cells.map(({ cell }) => conditionLabel(cell.condition, conditions));
  return cells.map((measured, i) => {
    const { arm } = measured.cell;
    const strong = arm.strategy === 'state' || arm.strategy === 'state-paper';
    return {
      cells: [labels[i] ?? '', arm.id, ...figures(measured)],
      strong,
      first: i > 0 && labels[i] !== labels[i - 1],
    };
  });
}
