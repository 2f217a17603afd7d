import type { StrategyName } from '../harness/result.ts';

/** Figures of the paper (arXiv 2608.26263), typed in from its tables; `sd` is the printed one, null where none is. */
export type PaperFigure = { readonly mean: number; readonly sd: number | null };

export type PaperRow = {
  readonly horizon: number;
  readonly noise: number;
  readonly drift: string | null;
  readonly strategy: StrategyName;
  readonly score: PaperFigure | null;
  readonly chars: PaperFigure | null;
  readonly tokens: PaperFigure | null;
  /** Experiment 3, as printed. */
  readonly recovery: { readonly success: string; readonly steps: string } | null;
};

export type PaperTable = {
  readonly number: number;
  readonly title: string;
  readonly kind: 'scaling' | 'noise' | 'recovery' | 'budget';
  readonly environment: 'warehouse' | 'repository';
  readonly note: string;
  readonly rows: readonly PaperRow[];
};

type Values = readonly [mean: number, sd?: number];
type Given = {
  readonly horizon?: number;
  readonly noise?: number;
  readonly drift?: string;
  readonly score?: Values;
  readonly chars?: Values;
  readonly tokens?: Values;
  readonly recovery?: readonly [success: string, steps: string];
};

function figure(values: Values | undefined): PaperFigure | null {
  return values === undefined ? null : { mean: values[0], sd: values[1] ?? null };
}

function row(strategy: StrategyName, given: Given): PaperRow {
  const { horizon = 0, noise = 0, drift = null, recovery } = given;
  return {
    horizon,
    noise,
    drift,
    strategy,
    score: figure(given.score),
    chars: figure(given.chars),
    tokens: figure(given.tokens),
    recovery: recovery === undefined ? null : { success: recovery[0], steps: recovery[1] },
  };
}

const FOUR = ['prompt', 'memory', 'stateful', 'state'] as const;

/** One line for each horizon: score, characters and tokens of the four runtimes, each as `[mean, sd]`. */
function scaling(horizon: number, ...four: readonly (readonly [Values, Values, Values])[]): PaperRow[] {
  return four.map(([score, chars, tokens], i) => row(FOUR[i] ?? 'state', { horizon, score, chars, tokens }));
}

function noisy(noise: number, ...scores: readonly number[]): PaperRow[] {
  return scores.map((score, i) => row(FOUR[i] ?? 'state', { horizon: 50, noise, score: [score] }));
}

function recovered(drift: string, success: string, ...steps: readonly string[]): PaperRow[] {
  return steps.map((step, i) => row(FOUR[i] ?? 'state', { drift, recovery: [success, step] }));
}

const FIVE = ['state', 'summary-capped', 'truncated', 'llmlingua', 'prompt'] as const;

function matched(horizon: number, ...scores: readonly Values[]): PaperRow[] {
  return scores.map((score, i) => row(FIVE[i] ?? 'state', { horizon, score }));
}

export const PAPER_TABLES: readonly PaperTable[] = [
  {
    number: 1,
    title: 'Warehouse, scaling',
    kind: 'scaling',
    environment: 'warehouse',
    note: 'Gemini-3-Flash, mean ± SD over 5 seeds',
    rows: [
      ...scaling(
        10,
        [
          [0.9, 0.02],
          [3249, 94],
          [9438, 371],
        ],
        [
          [1, 0],
          [3300, 123],
          [9972, 204],
        ],
        [
          [1, 0],
          [3430, 42],
          [10337, 299],
        ],
        [
          [1, 0],
          [1775, 74],
          [5870, 131],
        ],
      ),
      ...scaling(
        25,
        [
          [0.92, 0.02],
          [6052, 192],
          [42689, 2238],
        ],
        [
          [0.99, 0],
          [6357, 203],
          [43067, 1948],
        ],
        [
          [1, 0],
          [5858, 301],
          [41238, 3196],
        ],
        [
          [1, 0],
          [1736, 49],
          [14714, 564],
        ],
      ),
      ...scaling(
        50,
        [
          [0.88, 0.04],
          [11931, 346],
          [171658, 6978],
        ],
        [
          [0.93, 0.03],
          [7582, 283],
          [131455, 6841],
        ],
        [
          [0.94, 0],
          [11594, 438],
          [170992, 7918],
        ],
        [
          [0.96, 0.01],
          [1773, 53],
          [30151, 1231],
        ],
      ),
      ...scaling(
        100,
        [
          [0.84, 0.07],
          [36362, 1304],
          [1245413, 53241],
        ],
        [
          [0.87, 0.05],
          [29607, 978],
          [1082154, 83212],
        ],
        [
          [0.91, 0.02],
          [31354, 831],
          [1062387, 53839],
        ],
        [
          [0.94, 0.01],
          [1905, 93],
          [65408, 5431],
        ],
      ),
      ...scaling(
        200,
        [
          [0.74, 0.14],
          [48007, 2092],
          [2608755, 102415],
        ],
        [
          [0.84, 0.09],
          [84364, 3446],
          [6175509, 294089],
        ],
        [
          [0.88, 0.03],
          [72305, 3096],
          [5041164, 346925],
        ],
        [
          [0.94, 0.02],
          [1811, 184],
          [122384, 4522],
        ],
      ),
    ],
  },
  {
    number: 2,
    title: 'Warehouse, noise at T = 50',
    kind: 'noise',
    environment: 'warehouse',
    note: 'Gemini-3-Flash',
    rows: [
      ...noisy(5, 0.68, 1, 1, 1),
      ...noisy(20, 0.61, 1, 0.98, 0.97),
      ...noisy(50, 0.53, 0.96, 0.98, 0.98),
    ],
  },
  {
    number: 3,
    title: 'Warehouse, state recovery',
    kind: 'recovery',
    environment: 'warehouse',
    note: 'Gemini-3-Flash; one range is printed for the three baselines together',
    rows: [
      ...recovered('secret-audit', 'Yes', '5–8', '5–8', '5–8', '0'),
      ...recovered('secret-barcode', 'Yes', '6–8', '6–8', '6–8', '0'),
      ...recovered('secret-move', 'Yes', '5–8', '5–8', '5–8', '0'),
      ...recovered('canceled-order', 'No', 'N/A', 'N/A', 'N/A', 'N/A'),
    ],
  },
  {
    number: 5,
    title: 'Warehouse, budget-matched at T = 100',
    kind: 'budget',
    environment: 'warehouse',
    note: 'Gemini-3-Flash, budget about 1,800 (tokens in the caption, characters in section 5.6)',
    rows: [
      row('prompt', { horizon: 100, score: [0.84], chars: [36362], tokens: [1245413] }),
      row('truncated', { horizon: 100, score: [0.18], chars: [1800], tokens: [62100] }),
      row('summary-capped', { horizon: 100, score: [0.52], chars: [1840], tokens: [63400] }),
      row('llmlingua', { horizon: 100, score: [0.22], chars: [1810], tokens: [62350] }),
      row('state', { horizon: 100, score: [0.94], chars: [1905], tokens: [65408] }),
    ],
  },
  {
    number: 6,
    title: 'Software repository, scaling',
    kind: 'scaling',
    environment: 'repository',
    note: 'Gemini-3-Flash; the T = 100 baselines are almost exactly twice the prompt and four times the tokens of T = 50, so they look extrapolated',
    rows: [
      ...scaling(
        10,
        [[0.89], [3411], [11670]],
        [[0.93], [4379], [15732]],
        [[1], [4200], [14120]],
        [[1], [2298], [7608]],
      ),
      ...scaling(
        25,
        [[0.84], [11754], [111970]],
        [[0.89], [9399], [94629]],
        [[0.94], [14016], [128702]],
        [[0.88], [2545], [21920]],
      ),
      ...scaling(
        50,
        [[0.71], [23136], [462118]],
        [[0.65], [35550], [688182]],
        [[0.74], [31166], [577027]],
        [[0.86], [2545], [45100]],
      ),
      ...scaling(
        100,
        [[0.53], [46270], [1848500]],
        [[0.57], [71100], [2752700]],
        [[0.63], [62330], [2308000]],
        [[0.78], [2545], [90200]],
      ),
    ],
  },
  {
    number: 9,
    title: 'Software repository, noise at T = 50',
    kind: 'noise',
    environment: 'repository',
    note: 'Gemini-3-Flash',
    rows: [
      ...noisy(0, 0.76, 0.85, 0.88, 0.9),
      ...noisy(5, 0.62, 0.85, 0.86, 0.88),
      ...noisy(20, 0.48, 0.83, 0.85, 0.86),
      ...noisy(50, 0.11, 0.74, 0.78, 0.8),
    ],
  },
  {
    number: 10,
    title: 'Software repository, state recovery',
    kind: 'recovery',
    environment: 'repository',
    note: 'Gemini-3-Flash',
    rows: [
      ...recovered('force-push', 'Yes', '12', '8', '10', '0'),
      ...recovered('flaky-test', 'Yes', '14', '9', '11', '0'),
      ...recovered('closed-pr', 'No', 'N/A', 'N/A', 'N/A', 'N/A'),
    ],
  },
  {
    number: 11,
    title: 'Warehouse, budget-matched by horizon',
    kind: 'budget',
    environment: 'warehouse',
    note: 'Gemini-3-Flash, budget about 1,800 tokens, score ± SD over 5 seeds',
    rows: [
      ...matched(10, [1, 0], [0.92, 0.03], [0.9, 0.04], [0.88, 0.04], [0.9, 0.02]),
      ...matched(25, [1, 0], [0.76, 0.04], [0.62, 0.05], [0.6, 0.05], [0.92, 0.02]),
      ...matched(50, [0.96, 0.01], [0.64, 0.05], [0.35, 0.06], [0.38, 0.06], [0.88, 0.04]),
      ...matched(100, [0.94, 0.01], [0.52, 0.05], [0.18, 0.05], [0.22, 0.05], [0.84, 0.07]),
    ],
  },
];
