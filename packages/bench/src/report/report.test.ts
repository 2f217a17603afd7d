import { priceOf, type PriceSheet } from '@skillstate/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StrategyName } from '../harness/result.ts';
import type { Block, TableBlock } from './blocks.ts';
import { buildReport, measureSections } from './build.ts';
import { digestEpisode } from './digest.ts';
import { html, markdown } from './escape.ts';
import { episode, type Given } from './fixture.test.data.ts';
import { PAPER_TABLES } from './paper.ts';
import { renderReport, renderReportOf } from './render.ts';
import { lineChart } from './svg.ts';

const sheet = priceOf('openai:gpt-5-mini') as PriceSheet;
const seeds = [1, 2, 3];

function bench(arms: readonly StrategyName[] = ['state', 'prompt'], given: Given = {}) {
  return seeds.flatMap((seed) => arms.map((strategy) => episode({ strategy, seed, ...given })));
}

test('the same results give the same bytes, in any process and at any time', () => {
  expect(renderReport(bench(), { sheet })).toEqual(renderReport(structuredClone(bench()), { sheet }));
});

test('a row says how the tokens were measured, the seeds, the model and the date of the prices', () => {
  const { markdown: text } = renderReport(bench(), { sheet });
  expect(text).toContain('reference; seeds 1, 2, 3 × 1; mean ± sample SD; tokens: counted with a tokenizer');
  expect(text).toContain(`prices openai:gpt-5-mini ${sheet.asOf}`);
  const provider = renderReport(bench(['state'], { more: { tokensBy: 'provider' } }));
  expect(provider.markdown).toContain('tokens: as the provider reports them');
  expect(provider.markdown).toContain('no prices: cost columns are left out');
});

test('the paper stands beside the same cell, and only there', () => {
  const results = bench(['state', 'prompt', 'truncated'], { steps: 100 });
  const { markdown: text } = renderReport(results);
  expect(text).toMatch(
    /\| T=100 \| \*\*state\*\* \| 3 \| 1\.00 ± 0\.00 \| 0\.94 ± 0\.01 \| .* \| 1,905 ± 93 \| .* \| 65,408 ± 5,431 \|/,
  );
  expect(text).toMatch(/\| T=100 \| truncated \| 3 \| 1\.00 ± 0\.00 \| – \|/);
  expect(renderReport(bench(['state'], { steps: 33 })).markdown).toMatch(
    /\| T=33 \| \*\*state\*\* \| 3 \| 1\.00 ± 0\.00 \| 100\.0% \|/,
  );
});

test('the paper is typed in as printed', () => {
  expect(PAPER_TABLES.map(({ number }) => number)).toEqual([1, 2, 3, 5, 6, 9, 10, 11]);
  expect(PAPER_TABLES.map(({ rows }) => rows.length)).toEqual([20, 12, 16, 5, 16, 16, 12, 20]);
  const [first] = PAPER_TABLES;
  const at = (horizon: number, strategy: string) =>
    first?.rows.find((row) => row.horizon === horizon && row.strategy === strategy)?.tokens?.mean;
  expect((at(100, 'stateful') ?? 0) / (at(100, 'state') ?? 1)).toBeCloseTo(16.2, 1);
  expect(at(200, 'memory')).toBe(6_175_509);
});

test('no saving is printed for a state that was never written, for unequal tasks, or for too few pairs', () => {
  const ratios = (results: ReturnType<typeof bench>) =>
    measureSections(results.map((result) => digestEpisode(result, { sheet })))[0]?.comparisons.map(
      ({ tokenRatio, cachedRatio, noSaving }) => [tokenRatio !== null, cachedRatio !== null, noSaving],
    );
  expect(ratios(bench())).toEqual([[true, true, null]]);
  expect(ratios(bench(undefined, { writes: 0 }))?.[0]?.[2]).toMatch(/never written/);
  expect(ratios(bench().slice(0, -1))?.[0]?.[2]).toMatch(/same events/);
  expect(ratios(bench().slice(0, 4))?.[0]).toEqual([false, false, '2 samples; at least 3 are needed']);
  const { markdown: text } = renderReport(bench(undefined, { writes: 0 }), { sheet });
  expect(text).toContain('no saving is stated');
  expect(text).not.toMatch(/\d×/);
  expect(text).not.toContain('| break-even step |');
  const page = renderReport(bench(undefined, { writes: 0 }), { sheet }).html;
  expect(page).toContain('no break-even is stated: the state was never written');
  expect(page).not.toContain('break-even with the cached transcript');
  expect(renderReport(bench(), { sheet }).markdown).toContain('| break-even step |');
});

test('episodes that were stopped are in no figure and are named', () => {
  const stopped = episode({ seed: 4, score: 0, more: { ended: 'stopped', reason: 'the budget is spent' } });
  const { markdown: text } = renderReport([...bench(), stopped]);
  expect(text).toContain('1 episodes were stopped and are in no figure: the budget is spent');
  expect(text).toMatch(/\*\*state\*\* \| 3 \| 1\.00/);
});

test('tests are paired, and Holm covers the table', () => {
  const results = seeds.flatMap((seed) => [
    episode({ seed, score: 0.9 + seed / 100 }),
    episode({ seed, strategy: 'prompt', score: 0.5 + seed / 20 }),
    episode({ seed, strategy: 'memory', score: 0.6 }),
  ]);
  const [measured] = measureSections(results.map((result) => digestEpisode(result, {})));
  const [prompt, memory] = measured?.comparisons ?? [];
  expect(prompt).toMatchObject({
    pairs: 3,
    difference: expect.closeTo(0.32, 10),
    wilcoxon: 0.25,
    wilcoxonHolm: 0.5,
  });
  expect(memory?.tTestHolm).toBeGreaterThan(memory?.tTest ?? 1);
});

test('noise, recovery and budgets become tables and plots of their own', () => {
  const noisy = [0, 5, 20].flatMap((noise) =>
    bench(undefined, { spec: { noise }, more: { experiment: 'noise' } }),
  );
  const recovery = { scenario: 'secret-move', alert: 5, firstProbe: 6, steps: 2 };
  const drifted = bench(undefined, {
    spec: { drift: 'secret-move' },
    more: { experiment: 'recovery', recovery },
  });
  const sweep = [900, 1_800].flatMap((budget) =>
    bench(['truncated'], {
      arm: { id: `truncated@${budget}`, budget, unit: 'chars' },
      more: { experiment: 'budget' },
    }),
  );
  const swept = [...bench(['state'], { more: { experiment: 'budget' } }), ...sweep];
  const page = renderReport([...noisy, ...drifted, ...swept], { sheet }).html;
  for (const title of [
    'Score by noise',
    'Recovery',
    'Score by budget',
    'Prompt size by step',
    'Cumulative tokens by step',
  ])
    expect(page).toContain(`<h4>${title}</h4>`);
  expect(page).toContain('3 of 3');
  expect(page).toContain('5–8');
});

test('a figure of the paper stands beside the budget that it was measured at, and no other', () => {
  const at = (budget: number) =>
    bench(['truncated'], {
      steps: 100,
      arm: { id: `truncated@${budget}`, budget, unit: 'chars' },
      more: { experiment: 'budget' },
    });
  const { markdown: text } = renderReport([...at(1_800), ...at(9_000)]);
  expect(text).toMatch(/truncated@1800 \| 3 \| 1\.00 ± 0\.00 \| 0\.18 ± 0\.05 \|/);
  expect(text).toMatch(/truncated@9000 \| 3 \| 1\.00 ± 0\.00 \| – \|/);
});

test('cached and reasoning tokens stand where the provider reported them, and only there', () => {
  expect(renderReport(bench()).markdown).not.toContain('reasoning tokens');
  const provider = renderReport(bench(undefined, { more: { tokensBy: 'provider' } })).markdown;
  expect(provider).toContain('| read from cache | written to cache | reasoning tokens |');
});

test('rule overrides are named, and facts used late are drawn by delay', () => {
  const noisy = bench(undefined, { spec: { noise: 5, overrides: true }, more: { experiment: 'noise' } });
  expect(renderReport(noisy).markdown).toContain('| with rule overrides | **state**');
  const groups = { 'delay 5': { asked: 4, right: 4 }, 'delay 50': { asked: 4, right: 1 } };
  const late = ['none', 'notes'].flatMap((condition) =>
    bench(['state'], {
      spec: { environment: 'delayed', condition } as NonNullable<Given['spec']>,
      more: { experiment: 'delayed', groups },
    }),
  );
  const page = renderReport(late).html;
  expect(page).toContain('<h4>Right answers by delay</h4>');
  expect(page).toContain('notes, steps between fact and question 50: 0.25');
});

test('nothing in a name is markup: no tag, no attribute, no table cell, no link', () => {
  const evil = `"><script>alert(1)</script>|[x](http://evil.test) \`a\` \u202e\u0007\n# h`;
  const results = bench(undefined, {
    arm: { id: evil },
    spec: { drift: evil },
    model: { name: evil },
    more: { experiment: evil, compressor: evil },
  });
  const { html: page, markdown: text } = renderReport(results, { title: evil });
  expect(page).not.toMatch(/<script|onerror|<img|<a /);
  expect(page).not.toContain('\u202e');
  expect(text).not.toContain('<script');
  expect(text).not.toMatch(/[^\\]\]\(http/);
  expect(text.split('\n').filter((line) => line.startsWith('# '))).toHaveLength(1);
  const columns = (line: string) => line.replaceAll('\\|', '').split('|').length;
  const table = text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(0, 3);
  expect(new Set(table.map(columns)).size).toBe(1);
});

test('escaped HTML holds no character that ends a text or an attribute', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.oneof(
          fc.constantFrom('<', '>', '"', "'", '&', '|', '`', '*', '_', '[', ']', '\\', '~', '#', '\n'),
          fc.string({ unit: 'binary', maxLength: 1 }),
        ),
      }),
      (text) => {
        expect(html(text)).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
        expect(markdown(text)).not.toMatch(/(?<!\\)(?:\\\\)*[|`*_[\]~]|\n|</);
      },
    ),
    { numRuns: 200 },
  );
});

test('the page loads nothing and runs nothing', () => {
  const page = renderReport(bench(), { sheet }).html;
  expect(page).not.toMatch(/<script|<link|@import|url\(|src=|href=/);
  expect(page).toContain("default-src 'none'");
  expect(page).toContain('prefers-color-scheme:dark');
});

test('a chart of nothing, of one point and of equal values is still a chart', () => {
  const base = { title: 't', x: 'x', y: 'y', format: 'number', note: '' } as const;
  const of = (points: readonly { x: number; y: number }[]) =>
    lineChart({ ...base, series: [{ name: 's', colour: 'state', points }] });
  for (const points of [
    [],
    [{ x: 5, y: 5 }],
    [
      { x: 1, y: 0 },
      { x: 2, y: 0 },
    ],
    [{ x: 1, y: Number.NaN }],
  ]) {
    expect(of(points)).toMatch(/^<svg[\s\S]*<\/svg>$/);
    expect(of(points)).not.toMatch(/NaN|Infinity/);
  }
});

test('every row has a cell for every column', () => {
  const groups = { 'delay 5': { asked: 4, right: 2 } };
  const results = bench(undefined, { more: { groups, rejections: { overwrite: 2, owner: 1 } } });
  const walk = (blocks: readonly Block[]): TableBlock[] =>
    blocks.flatMap((block) =>
      block.kind === 'table' ? [block] : block.kind === 'details' ? walk(block.blocks) : [],
    );
  const tables = walk(
    buildReport(
      results.map((result) => digestEpisode(result, { sheet })),
      { sheet },
    ),
  );
  expect(tables.length).toBeGreaterThan(10);
  for (const { columns, rows } of tables)
    for (const { cells } of rows) expect(cells).toHaveLength(columns.length);
});

test('results that come one at a time give the same report', async () => {
  async function* stream() {
    for (const result of bench()) yield await Promise.resolve(result);
  }
  expect(await renderReportOf(stream(), { sheet })).toEqual(renderReport(bench(), { sheet }));
});

test('results without their calls get no cost and no curve instead of wrong ones', () => {
  const light = bench().map((result) => ({ ...result, calls: [], parts: [] }));
  const { markdown: text, html: page } = renderReport(light, { sheet });
  expect(text).not.toMatch(/USD raw|\$0/);
  expect(page).not.toContain('Prompt size by step');
  expect(text).toMatch(/\*\*state\*\* \| 3 \| 1\.00/);
});

test('a report on nothing says so', () => {
  expect(renderReport([]).markdown).toContain('nothing was measured');
});
