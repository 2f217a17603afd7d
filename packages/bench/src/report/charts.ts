import { PAPER_BUDGET } from '../strategy/create.ts';
import type { Chart, Point, Series } from './blocks.ts';
import type { Comparison } from './compare.ts';
import type { Digest } from './digest.ts';
import type { Measured } from './measure.ts';
import type { Condition, Section } from './sections.ts';

/** More points than this say nothing more on a chart. */
const MOST_POINTS = 160;

/** The plots of a section, each with a note on what it shows. Those without two points are left out. */
export function chartsOf(
  section: Section,
  cells: readonly Measured[],
  comparisons: readonly Comparison[],
): Chart[] {
  const deepest = oneBudget(
    cells.filter(
      ({ cell }) => cell.condition.horizon === largestHorizon(cells) && isPlain(cell.condition, cells),
    ),
  );
  const charts =
    section.kind === 'recovery'
      ? [recoveryChart(cells)]
      : section.kind === 'delayed'
        ? [delayChart(cells)]
        : [...scoreCharts(cells), promptChart(deepest), tokenChart(deepest), costChart(deepest, comparisons)];
  return charts.flatMap((chart) => (chart === null || chart.series.length === 0 ? [] : [chart]));
}

/** Of a sweep over budgets, the arms at the paper's budget or nearest to it. */
function oneBudget(cells: readonly Measured[]): Measured[] {
  const away = ({ cell }: Measured): number => Math.abs((cell.arm.budget ?? PAPER_BUDGET) - PAPER_BUDGET);
  return cells.filter((one) => {
    const same = cells.filter(({ cell }) => cell.arm.strategy === one.cell.arm.strategy);
    return one.cell.arm.budget === undefined || away(one) === Math.min(...same.map(away));
  });
}

function largestHorizon(cells: readonly Measured[]): number {
  return Math.max(0, ...cells.map(({ cell }) => cell.condition.horizon));
}

/** Under the least noise and faults of the section, so that one curve stands for one arm. */
function isPlain(condition: Condition, cells: readonly Measured[]): boolean {
  const least = (key: 'noise' | 'faults'): number =>
    Math.min(...cells.map(({ cell }) => cell.condition[key]));
  const overrides = cells.every(({ cell }) => cell.condition.overrides);
  return (
    condition.noise === least('noise') &&
    condition.faults === least('faults') &&
    condition.overrides === overrides
  );
}

// ── By step ─────────────────────────────────────────────────────────────────────────────────────────────────────

function promptChart(cells: readonly Measured[]): Chart | null {
  const series = byArm(cells, ({ cell }) => meanBySteps(cell.results, ({ promptBySteps }) => promptBySteps));
  return chart(
    cells,
    'Prompt size by step',
    'step',
    'characters',
    'number',
    series,
    'largest prompt of a step, mean over episodes',
  );
}

function tokenChart(cells: readonly Measured[]): Chart | null {
  const series = byArm(cells, ({ cell }) => meanBySteps(cell.results, ({ tokensBySteps }) => tokensBySteps));
  return chart(
    cells,
    'Cumulative tokens by step',
    'step',
    'tokens',
    'number',
    series,
    'input and output of all calls, mean over episodes',
  );
}

/** USD with caching, of each arm's first episode; the mark is where `state` gets ahead of the cached transcript. */
function costChart(cells: readonly Measured[], comparisons: readonly Comparison[]): Chart | null {
  const series = byArm(cells, ({ cost }) =>
    thin((cost?.first.steps ?? []).map(({ step, cachedUsd }) => ({ x: step, y: cachedUsd }))),
  );
  const found = chart(
    cells,
    'Cumulative cost by step, with caching',
    'step',
    'USD',
    'usd',
    series,
    'first seed of each arm',
  );
  const of = (name: string) => cells.find(({ cell }) => cell.arm.strategy === name)?.cost?.first;
  const state = of('state') ?? of('state-paper');
  const prompt = comparisons.find(
    ({ measured }) => measured.cell.arm.strategy === 'prompt' && cells.includes(measured),
  );
  if (found === null || state === undefined || prompt === undefined) return found;
  if (prompt.breakEven === null)
    return { ...found, note: `${found.note}; no break-even is stated: ${prompt.noSaving ?? 'no prices'}` };
  const step = prompt.breakEven.cached;
  const at = state.steps.find((known) => known.step === step);
  if (step === null || at === undefined)
    return {
      ...found,
      note: `${found.note}; no break-even against the cached transcript within these steps`,
    };
  return {
    ...found,
    marks: [{ x: step, y: at.cachedUsd, text: `break-even with the cached transcript: step ${step}` }],
  };
}

function meanBySteps(
  results: readonly Digest[],
  read: (result: Digest) => readonly number[],
): readonly Point[] {
  const lists = results.map(read);
  const steps = Math.max(0, ...lists.map((list) => list.length));
  const points = Array.from({ length: steps }, (_, i): Point => {
    const values = lists.flatMap((list) => list[i] ?? []);
    return { x: i + 1, y: values.reduce((sum, value) => sum + value, 0) / values.length };
  });
  return thin(points);
}

/** The first, the last, and evenly spread ones between. */
function thin(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_POINTS) return points;
  const stride = (points.length - 1) / (MOST_POINTS - 1);
  return Array.from({ length: MOST_POINTS }, (_, i) => points[Math.round(i * stride)] as Point);
}

// ── By condition ────────────────────────────────────────────────────────────────────────────────────────────────

function scoreCharts(cells: readonly Measured[]): (Chart | null)[] {
  return [
    scoreChart(cells, 'horizon', 'Score by horizon', 'T', ({ cell }) => cell.condition.horizon),
    scoreChart(cells, 'noise', 'Score by noise', 'noise events a turn', ({ cell }) => cell.condition.noise),
    scoreChart(
      cells,
      'faults',
      'Score by reply faults',
      'share of replies',
      ({ cell }) => cell.condition.faults,
    ),
    budgetChart(cells),
  ];
}

function scoreChart(
  cells: readonly Measured[],
  key: 'horizon' | 'noise' | 'faults',
  title: string,
  x: string,
  at: (measured: Measured) => number,
): Chart | null {
  if (new Set(cells.map(at)).size < 2) return null;
  const others = (['horizon', 'noise', 'faults'] as const).filter((other) => other !== key);
  const first = cells[0]?.cell.condition;
  const same = cells.filter(({ cell }) => others.every((other) => cell.condition[other] === first?.[other]));
  const points = (measured: Measured): Point[] => scorePoint(measured, at(measured));
  return chart(
    cells,
    title,
    x,
    'score',
    'share',
    merged(byArm(same, points)),
    'mean ± SD over episodes; lines that coincide hide each other, state on top',
  );
}

/** One line per strategy over its budgets; arms without a budget are level lines. */
function budgetChart(cells: readonly Measured[]): Chart | null {
  const horizon = largestHorizon(cells);
  const at = cells.filter(({ cell }) => cell.condition.horizon === horizon);
  const budgets = [...new Set(at.flatMap(({ cell }) => cell.arm.budget ?? []))].toSorted((a, b) => a - b);
  if (budgets.length < 2) return null;
  const series = at.map((measured): Series => {
    const { strategy, budget } = measured.cell.arm;
    const points = (budget === undefined ? budgets : [budget]).flatMap((x) => scorePoint(measured, x));
    return { name: strategy, colour: strategy, dashed: budget === undefined, points };
  });
  const unit = at.find(({ cell }) => cell.arm.budget !== undefined)?.cell.arm.unit ?? 'chars';
  const note = `T = ${horizon}; dashed: arms without a budget`;
  const found = chart(cells, 'Score by budget', `budget (${unit})`, 'score', 'share', merged(series), note);
  return found === null ? null : withStateBudget(found, at, budgets, unit);
}

/** Marks what `state` itself used. */
function withStateBudget(
  found: Chart,
  at: readonly Measured[],
  budgets: readonly number[],
  unit: string,
): Chart {
  const state = at.find(
    ({ cell }) => cell.arm.strategy.startsWith('state') && !cell.arm.strategy.startsWith('stateful'),
  );
  if (state === undefined || state.score.mean === null) return found;
  const perCall = unit === 'chars' ? state.promptChars.mean : meanTokens(state);
  if (perCall === null || perCall < (budgets[0] ?? 0) || perCall > (budgets.at(-1) ?? 0)) return found;
  const text = `state: ${Math.round(perCall).toLocaleString('en-US')} ${unit} a prompt`;
  return { ...found, marks: [{ x: perCall, y: state.score.mean, text }] };
}

function meanTokens({ cell }: Measured): number | null {
  const calls = cell.results.reduce((sum, { totals }) => sum + totals.calls, 0);
  const tokens = cell.results.reduce((sum, { totals }) => sum + totals.inputTokens, 0);
  return calls === 0 ? null : tokens / calls;
}

function scorePoint({ score }: Measured, x: number): Point[] {
  if (score.mean === null) return [];
  if (score.sd === null) return [{ x, y: score.mean }];
  return [
    { x, y: score.mean, low: Math.max(0, score.mean - score.sd), high: Math.min(1, score.mean + score.sd) },
  ];
}

function recoveryChart(cells: readonly Measured[]): Chart | null {
  const scenarios = [...new Set(cells.flatMap(({ cell }) => cell.condition.drift ?? []))];
  const arms = [...new Set(cells.map(({ cell }) => cell.arm.id))];
  const series = byArm(cells, (measured): Point[] => {
    const { drift } = measured.cell.condition;
    const steps = measured.recovery.filter((step) => step !== null);
    if (drift === null || steps.length === 0) return [];
    const offset = (arms.indexOf(measured.cell.arm.id) - (arms.length - 1) / 2) * (0.7 / arms.length);
    const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
    return [
      { x: scenarios.indexOf(drift) + offset, y: mean, low: Math.min(...steps), high: Math.max(...steps) },
    ];
  });
  const note =
    'steps from the first probe to the first right answer: mean, least and most; arms that never recovered have no point';
  const found = chart(cells, 'Recovery', 'scenario', 'steps', 'number', merged(series), note);
  return found === null ? null : { ...found, categories: scenarios };
}

/** Colours of lines that are conditions of one arm. */
const CONDITION_COLOURS = [
  'state',
  'prompt',
  'memory',
  'stateful-idiomatic',
  'stateful-history-first',
  'truncated',
] as const;

/** Right answers by how long before the question its fact was told: a line for each place that the state has for it. */
function delayChart(all: readonly Measured[]): Chart | null {
  const own = all.filter(({ cell }) => cell.arm.strategy === 'state');
  const cells = own.length === 0 ? all : own;
  const arms = new Set(cells.map(({ cell }) => cell.arm.id)).size;
  const series = cells.map((measured, i): Series => {
    const { arm, condition } = measured.cell;
    const points = Object.entries(measured.groups).flatMap(([name, { asked, right }]): Point[] => {
      const delay = /^delay (\d+)$/.exec(name)?.[1];
      return delay === undefined || asked === 0 ? [] : [{ x: Number(delay), y: right / asked }];
    });
    return {
      name: arms === 1 ? (condition.condition ?? '') : `${condition.condition ?? ''}, ${arm.id}`,
      colour: CONDITION_COLOURS[i % CONDITION_COLOURS.length] ?? 'state',
      points: points.toSorted((a, b) => a.x - b.x),
    };
  });
  return chart(
    cells,
    'Right answers by delay',
    'steps between fact and question',
    'right',
    'share',
    series,
    `share of all questions of that delay${cells === own ? ', with state; other arms: in the table' : ''}; lines that coincide hide each other`,
  );
}

function byArm(cells: readonly Measured[], points: (measured: Measured) => readonly Point[]): Series[] {
  return cells.map((measured) => ({
    name: measured.cell.arm.id,
    colour: measured.cell.arm.strategy,
    points: points(measured),
  }));
}

/** Series of the same name as one, points in order of x. */
function merged(series: readonly Series[]): Series[] {
  const names = [...new Set(series.map(({ name }) => name))];
  return names.flatMap((name) => {
    const same = series.filter((one) => one.name === name);
    const points = same.flatMap((one) => one.points).toSorted((a, b) => a.x - b.x);
    return same[0] === undefined || points.length === 0 ? [] : [{ ...same[0], points }];
  });
}

function chart(
  cells: readonly Measured[],
  title: string,
  x: string,
  y: string,
  format: Chart['format'],
  series: readonly Series[],
  note: string,
): Chart | null {
  const full = series.filter(({ points }) => points.length > 0);
  if (cells.length === 0 || full.length === 0) return null;
  const at = x === 'step' ? `${atText(cells)}; ` : '';
  return { title, x, y, format, series: full, note: `${at}${note}` };
}

function atText(cells: readonly Measured[]): string {
  const { horizon = 0, noise = 0, faults = 0 } = cells[0]?.cell.condition ?? {};
  const extra = [
    ...(noise > 0 ? [`${noise} noise events`] : []),
    ...(faults > 0 ? [`${(faults * 100).toFixed(0)}% faults`] : []),
  ];
  return [`T = ${horizon}`, ...extra].join(', ');
}
