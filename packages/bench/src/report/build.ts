import type { Block } from './blocks.ts';
import { chartsOf } from './charts.ts';
import { type Comparison, compareCells, ENOUGH_PAIRS } from './compare.ts';
import type { Digest, DigestOptions } from './digest.ts';
import { fixed, percent } from './format.ts';
import { type Measured, measureCell } from './measure.ts';
import { PAPER_TABLES } from './paper.ts';
import { conditionLabel, type Section, sectionsOf } from './sections.ts';
import {
  comparisonTable,
  costTable,
  groupTable,
  growthTable,
  paperTable,
  paperNumbers,
  recoveryTable,
  rejectionTable,
  resultTable,
} from './tables.ts';

export type ReportOptions = DigestOptions & { readonly title?: string };

export type MeasuredSection = {
  readonly section: Section;
  readonly cells: readonly Measured[];
  readonly comparisons: readonly Comparison[];
};

/** All figures of a report, before it has a form. The same results give the same figures. */
export function measureSections(results: readonly Digest[]): MeasuredSection[] {
  return sectionsOf(results).map((section) => {
    const cells = section.cells.map(measureCell);
    return { section, cells, comparisons: compareCells(cells) };
  });
}

export function buildReport(results: readonly Digest[], options: ReportOptions): Block[] {
  const measured = measureSections(results);
  return [
    ...overview(results, measured, options),
    ...measured.flatMap((one) => sectionBlocks(one, options)),
    ...reading(options),
    paperBlock(),
  ];
}

function overview(
  results: readonly Digest[],
  measured: readonly MeasuredSection[],
  { sheet }: ReportOptions,
): Block[] {
  if (results.length === 0) return [{ kind: 'text', text: 'No episodes: nothing was measured.' }];
  const models = [...new Set(results.map(({ model }) => modelText(model)))];
  const seeds = [...new Set(results.map(({ spec }) => spec.seed))].toSorted((a, b) => a - b);
  const repetitions = new Set(results.map(({ repetition }) => repetition)).size;
  const items = [
    `${results.length} episodes; models: ${models.join('; ')}`,
    `seeds ${seeds.join(', ')}; ${repetitions} ${repetitions === 1 ? 'repetition' : 'repetitions'} each`,
    sheet
      ? `prices: ${sheet.model} as of ${sheet.asOf} (${sheet.source})${results.some(({ model }) => model.name === sheet.model) ? '' : "; not the model's own"}`
      : 'no prices: cost columns are left out',
    ...measured.flatMap(findings),
  ];
  return [{ kind: 'list', items }];
}

/** One line a section: what was found, or why nothing is claimed. */
function findings({ section, cells, comparisons }: MeasuredSection): string[] {
  const states = cells.filter(({ cell }) => isState(cell.arm.strategy));
  const scores = states.flatMap(({ score }) => score.mean ?? []);
  const last = comparisons.filter(({ measured }) => measured.cell.arm.strategy === 'prompt').at(-1);
  const { experiment, environment, model } = section;
  const place = [...new Set([experiment, environment]), ...thinking(model)].join(', ');
  if (scores.length === 0) return [`${place}: state was not run, so nothing is compared`];
  const others = cells
    .filter(({ cell }) => !isState(cell.arm.strategy))
    .flatMap(({ score }) => score.mean ?? []);
  const beside = others.length === 0 ? '' : `, the other arms ${span(others)}`;
  const score = `${place}: state scores ${span(scores)}${beside}`;
  if (last === undefined) return [score];
  const label = conditionLabel(last.measured.cell.condition, section.cells);
  if (last.tokenRatio === null)
    return [`${score}; no saving is stated: ${last.noSaving ?? 'no tokens were counted'}`];
  const cached =
    last.cachedRatio === null
      ? ''
      : `, ${fixed(last.rawRatio)} times the cost raw and ${fixed(last.cachedRatio)} times with caching`;
  return [
    `${score}; with ${label} the whole transcript takes ${fixed(last.tokenRatio)} times the tokens of state${cached}`,
  ];
}

function span(values: readonly number[]): string {
  const [least, most] = [fixed(Math.min(...values)), fixed(Math.max(...values))];
  return least === most ? least : `${least} to ${most}`;
}

function isState(strategy: string): boolean {
  return strategy === 'state' || strategy === 'state-paper';
}

function sectionBlocks(measured: MeasuredSection, options: ReportOptions): Block[] {
  const { section, cells, comparisons } = measured;
  const caption = provenance(section, options);
  const priced = cells.some(({ cost }) => cost !== null);
  const rejected = cells.some(({ rejections }) => Object.keys(rejections).length > 0);
  const blocks: Block[] = [{ kind: 'heading', level: 2, text: headingOf(section) }, ...stoppedBlock(section)];
  if (section.kind === 'recovery') blocks.push(recoveryTable(section, cells, caption));
  blocks.push(resultTable(section, cells, caption), ...armNotes(cells));
  if (cells.some(({ groups }) => Object.keys(groups).length > 0)) blocks.push(groupTable(cells, caption));
  const charts = chartsOf(section, cells, comparisons);
  if (charts.length > 0) blocks.push({ kind: 'charts', charts });
  blocks.push(...comparisonBlocks(cells, comparisons, caption));
  if (priced)
    blocks.push(
      { kind: 'heading', level: 3, text: 'Cost' },
      costTable(cells, comparisons, costCaption(section, options)),
      ...costNotes(cells, comparisons),
    );
  blocks.push(
    { kind: 'heading', level: 3, text: 'Growth and calls' },
    growthTable(cells, growthCaption(caption)),
  );
  if (rejected)
    blocks.push({ kind: 'heading', level: 3, text: 'Rejected replies' }, rejectionTable(cells, caption));
  const tables = paperNumbers(section, cells);
  if (tables.length > 0)
    blocks.push({
      kind: 'text',
      text: `Columns named "paper" are from ${tables.map((number) => `table ${number}`).join(' and ')} of the paper, with its own model; they were not measured here.`,
    });
  return blocks;
}

function headingOf({ experiment, environment, model }: Section): string {
  const name = `${experiment.slice(0, 1).toUpperCase()}${experiment.slice(1)}`;
  const place = environment === experiment ? '' : `${environment}, `;
  return `${name}: ${place}${modelText(model)}`;
}

function modelText(model: Section['model']): string {
  return `${model.name} (${[`${model.mode} mode`, ...thinking(model)].join(', ')})`;
}

/** How much a scripted model reasons. */
function thinking({ reasoning }: Section['model']): string[] {
  if (reasoning === null) return [];
  return [`${reasoning === 'none' ? '0' : '400 to 700'} characters of reasoning a turn`];
}

function stoppedBlock({ stopped }: Section): Block[] {
  if (stopped.length === 0) return [];
  const reasons = [...new Set(stopped.map(({ reason }) => reason))].slice(0, 5);
  return [
    {
      kind: 'text',
      text: `${stopped.length} episodes were stopped and are in no figure: ${reasons.join('; ')}`,
    },
  ];
}

/** What a reader must know of single arms, each note once with its conditions. */
function armNotes(cells: readonly Measured[]): Block[] {
  const conditions = cells.map(({ cell }) => cell);
  const items = cells.flatMap(({ cell, notes }) =>
    notes.map((note) => `${cell.arm.id}, ${conditionLabel(cell.condition, conditions)}: ${note}`),
  );
  return items.length === 0 ? [] : [{ kind: 'list', items }];
}

/** How the figures of a table came about (R23). */
function provenance({ cells, model }: Section, { sheet }: ReportOptions): string {
  const results = cells.flatMap((cell) => cell.results);
  const by = [...new Set(results.map(({ tokensBy }) => tokensBy))].map((source) => TOKENS_BY[source]);
  const seeds = [...new Set(results.map(({ spec }) => spec.seed))].toSorted((a, b) => a - b);
  const repetitions = new Set(results.map(({ repetition }) => repetition)).size;
  const compressors = [...new Set(results.flatMap(({ compressor }) => compressor ?? []))];
  return [
    `${model.name}; seeds ${seeds.join(', ')} × ${repetitions}; mean ± sample SD`,
    `tokens: ${by.join(', ') || 'none'}`,
    ...(compressors.length === 0 ? [] : [`compressed by: ${compressors.join(', ')}`]),
    ...(sheet ? [`prices ${sheet.model} ${sheet.asOf}`] : []),
  ].join('; ');
}

const TOKENS_BY = {
  provider: 'as the provider reports them',
  counted: 'counted with a tokenizer',
  estimated: 'estimated at four bytes a token',
} as const;

function comparisonCaption(caption: string): string {
  return `Paired by seed, repetitions averaged; positive: state scores higher. No p where differences have no spread (t-test) or are all 0 (Wilcoxon, whose p with n pairs is never below 2^(1-n)). ${caption}`;
}

function growthCaption(caption: string): string {
  return `Exponent k of prompt minus fixed prefix ~ step^k (0: constant, 1: grows with every step); "without Σ": less the state, whose size is the world's. "Over closed form": measured input tokens over those computed from template and event lengths. ${caption}`;
}

function costCaption(section: Section, options: ReportOptions): string {
  const pace = options.paceMs === undefined ? 'by recorded times' : `at ${options.paceMs / 1_000} s a call`;
  return `Cost of an episode. Cached tokens are the provider's or simulated by prefix match at the breakpoints each arm sets, lifetime ${pace}. "× state": the arm's figure over that of state; left out unless the state was written, the events were the same, and there are at least ${ENOUGH_PAIRS} pairs. Break-even: step from which state has cost less, first seed. ${provenance(section, options)}`;
}

/** Notes of an arm that differ in figures alone are one item: the deepest, with all its horizons. */
function costNotes(cells: readonly Measured[], comparisons: readonly Comparison[]): Block[] {
  const items = new Map<string, { arm: string; horizons: Set<number>; note: string }>();
  for (const { cell, cost } of cells)
    for (const note of cost?.notes ?? []) {
      const key = JSON.stringify([cell.arm.id, note.replace(/\d+/g, '')]);
      const horizons = items.get(key)?.horizons ?? new Set();
      items.set(key, { arm: cell.arm.id, horizons: horizons.add(cell.condition.horizon), note });
    }
  const notes = [...items.values()].map(
    ({ arm, horizons, note }) => `${arm}, T=${[...horizons].join(', ')}: ${note}`,
  );
  const why = comparisons.flatMap(({ noSaving }) =>
    noSaving === null ? [] : [`no saving is stated: ${noSaving}`],
  );
  const all = [...notes, ...new Set(why)];
  return all.length === 0 ? [] : [{ kind: 'list', items: all }];
}

/** The tests of a table; one sentence where no score differs. */
function comparisonBlocks(
  cells: readonly Measured[],
  comparisons: readonly Comparison[],
  caption: string,
): Block[] {
  if (comparisons.length === 0) return [];
  const heading: Block = { kind: 'heading', level: 3, text: 'Score of state against the others' };
  const differ = comparisons.some(
    ({ difference, interval }) => difference !== 0 || interval?.low !== interval?.high,
  );
  if (differ) return [heading, comparisonTable(cells, comparisons, comparisonCaption(caption))];
  const pairs = comparisons.reduce((sum, comparison) => sum + comparison.pairs, 0);
  return [
    heading,
    {
      kind: 'text',
      text: `All ${pairs} pairs scored the same: there is nothing to test.`,
    },
  ];
}

function reading({ sheet }: ReportOptions): Block[] {
  const items = [
    'Score: right and accepted commands over events that ask for one (paper, section 4.3).',
    'Prompt characters: mean over all calls of an episode, summaries and retries included. Total tokens: input and output of all calls.',
    'The score of the model named reference is what that reader recovers from a prompt: neither the accuracy of a language model nor a bound on one.',
    ...(sheet
      ? [
          `Cached prefixes shorter than ${sheet.minCacheTokens} tokens are never cached at these prices; reads cost ${percent(sheet.cacheRead / sheet.input)} of the input price.`,
        ]
      : []),
  ];
  return [
    { kind: 'heading', level: 2, text: 'How to read this' },
    { kind: 'list', items },
  ];
}

function paperBlock(): Block {
  const blocks = PAPER_TABLES.flatMap((table): Block[] => [
    { kind: 'heading', level: 3, text: `Table ${table.number}: ${table.title}` },
    paperTable(table),
  ]);
  return { kind: 'details', summary: "The paper's tables 1, 2, 3, 5, 6, 9, 10 and 11 in full", blocks };
}
