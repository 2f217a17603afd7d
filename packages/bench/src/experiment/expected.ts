import { promptJson } from '@skillstate/runtime';
import type { Json } from '@skillstate/runtime';
import type { EpisodeSpec } from '../env/create.ts';
import type { ArmSpec, Expected } from '../harness/result.ts';
import { callIndex, type ReferenceModelOptions } from '../harness/reference-model.ts';
import { reasoning } from '../reference/reasoning.ts';
import { buildSummaryPrompt } from '../reference/summary.ts';
import { growthExponent } from '../statistics/exponent.ts';
import type { Measure } from '../strategy/budget.ts';
import { PAPER_BUDGET } from '../strategy/create.ts';
import { DEFAULT_INTERVAL, RECENT_TURNS } from '../strategy/memory.ts';
import { createPruner, type Pruner } from '../strategy/prune.ts';
import { createNgramModel, type Surprise } from '../strategy/surprise.ts';
import { turnText } from '../strategy/transcript.ts';
import { createSizer, JOINT_SIZE, minus, NONE, plus, type Size, type Sizer, times } from './size.ts';
import { measureTemplate, type Template } from './template.ts';
import type { TrueTurn } from './truth-play.ts';

/** What the closed form knows at a step: the template, and sizes of the turns before. Texts are not kept. */
type Lengths = {
  readonly arm: ArmSpec;
  readonly template: Template;
  readonly of: Sizer;
  /** Size of each turn before as a transcript holds it, the blank line before it included; and of all of them. */
  readonly history: Size[];
  all: Size;
  /** Size of what there was to summarise after each turn before; only for arms that summarise. */
  readonly summaries: Size[];
  /** For `llmlingua`: the pruner itself, on the right answers' transcript. No simpler formula says which words it keeps. */
  readonly pruner: Pruner;
  readonly budget: number;
  readonly unit: keyof Size;
};

/** How long the reader reasons, and the seed of the lengths. */
export type Thinking = Pick<ReferenceModelOptions, 'reasoning' | 'seed'>;

/** A step's prompt, and the prompts of summaries asked for before it. */
type StepSize = { readonly prompt: Size; readonly compress: Size };

/**
 * The closed form of an arm: the size of its prompt at step t from the lengths of its template, the events, the right
 * answers and the facts known by then, without running strategy, runtime or model:
 *
 *   template + |O_t| + what the arm keeps: |Σ_t|, the sum of all turns before t, the last of them that fit, a summary…
 *
 * For a reference model without faults that answers everything right. Formulas by arm: docs/bench.md.
 */
export async function expectedSizes(
  spec: EpisodeSpec,
  arm: ArmSpec,
  turns: Iterable<TrueTurn>,
  thinking: Thinking,
  tokens: Measure,
  surprise: Surprise = createNgramModel,
): Promise<Expected> {
  const of = createSizer(tokens);
  const template = await measureTemplate(spec, arm, tokens, of);
  const { budget = PAPER_BUDGET, unit = 'chars' } = arm;
  const lengths: Lengths = {
    arm,
    template,
    of,
    history: [],
    all: NONE,
    summaries: [],
    pruner: createPruner(surprise(), (text) => of(text)[unit]),
    budget,
    unit,
  };
  const sizes: StepSize[] = [];
  for (const turn of turns) {
    const index = sizes.length;
    const base = baseSize(lengths, turn, index);
    const kept = keptSize(lengths, turn, index, base);
    sizes.push({ prompt: plus(base, kept), compress: compressSize(lengths, index) });
    await learn(lengths, turn, thought(thinking, index));
  }
  const total = plus(...sizes.flatMap(({ prompt, compress }) => [prompt, compress]));
  const points = sizes.map(({ prompt }, i) => ({ step: i + 1, size: prompt.chars - template.fixedChars }));
  return {
    promptChars: Math.round(total.chars),
    inputTokens: Math.round(total.tokens),
    exponent: growthExponent(points),
  };
}

/** Arms whose size does not follow from the sizes of turns: nothing of them need be counted. */
const WITHOUT_TURNS: readonly string[] = ['state', 'state-paper', 'stateful-idiomatic', 'llmlingua'];

/** Takes a turn into the past. */
async function learn(lengths: Lengths, turn: TrueTurn, thoughts: string): Promise<void> {
  const { arm, of, history, summaries, pruner, template, budget, unit } = lengths;
  if (!WITHOUT_TURNS.includes(arm.strategy)) {
    const size = plus(turnSize(turn, arm, of), of(thoughts), JOINT_SIZE);
    history.push(size);
    lengths.all = plus(lengths.all, size);
  }
  if (arm.strategy === 'memory' || arm.strategy === 'summary-capped') summaries.push(of(turn.summary));
  if (arm.strategy !== 'llmlingua') return;
  const { observation, command } = turn;
  const response = `${thoughts}Action: ${command}`;
  await pruner.add(turnText({ observation, response }, 'Reasoning & Action'), budget - template.first[unit]);
}

/** The reader's reasoning at the first try of a step, with the blank line behind it. */
function thought({ reasoning: length, seed }: Thinking, index: number): string {
  if (length === 'none') return '';
  const about = { step: index + 1, attempt: 0, compression: 0, kind: 'step' } as const;
  return `${reasoning({ least: 400, most: 700 }, seed, callIndex(about))}\n\n`;
}

function turnSize(turn: TrueTurn, { strategy }: ArmSpec, of: Sizer): Size {
  const label =
    strategy === 'prompt' || strategy === 'truncated' || strategy === 'llmlingua'
      ? 'Reasoning & Action'
      : 'Response';
  const stateful = strategy.startsWith('stateful') && Object.keys(turn.update).length > 0;
  const update = stateful ? `StateUpdate: ${JSON.stringify(turn.update)}\n` : '';
  return of(turnText({ observation: turn.observation, response: `${update}Action: ${turn.command}` }, label));
}

function baseSize({ template, of }: Lengths, turn: TrueTurn, index: number): Size {
  const command = template.namesCommand && index > 0 ? of(turn.before) : NONE;
  return plus(index === 0 ? template.first : template.later, of(turn.observation), command);
}

/** What the arm shows of the past at this step. */
function keptSize(lengths: Lengths, turn: TrueTurn, index: number, base: Size): Size {
  const { arm, all, history, pruner, template, of } = lengths;
  const grown = (text: (state: unknown) => string): Size =>
    minus(of(text(turn.state)), of(text(template.initial)));
  const indented = (state: unknown): string => JSON.stringify(state, null, 2);
  switch (arm.strategy) {
    case 'state':
    case 'state-paper':
      return grown((state) => promptJson(state as Json));
    case 'stateful-idiomatic':
      return grown(indented);
    case 'stateful':
    case 'stateful-history-first':
      return plus(grown(indented), all);
    case 'prompt':
      return all;
    case 'truncated':
      return newest(lengths, index, roomIn(lengths, base), history.length);
    case 'llmlingua':
      return prunedSize(pruner.show(roomIn(lengths, base)), of);
    case 'memory':
      return plus(summarySize(lengths, index), newest(lengths, index, Infinity, RECENT_TURNS));
    case 'summary-capped': {
      const summary = summarySize(lengths, index);
      return plus(summary, newest(lengths, index, roomIn(lengths, plus(base, summary)), RECENT_TURNS));
    }
  }
}

function prunedSize(shown: string, of: Sizer): Size {
  return shown === '' ? NONE : plus(of(shown), JOINT_SIZE);
}

const roomIn = ({ budget, unit }: Lengths, used: Size): number => Math.max(0, budget - used[unit]);
const share = (room: number, wanted: number): number => (wanted <= room ? 1 : room / wanted);

/** The newest turns before `index` that fit a room, at most `most`. */
function newest({ history, unit }: Lengths, index: number, room: number, most: number): Size {
  let kept = NONE;
  for (let i = index - 1; i >= 0 && index - i <= most; i--) {
    const next = plus(kept, history[i] as Size);
    if (next[unit] > room) break;
    kept = next;
  }
  return kept;
}

const intervalOf = ({ arm }: Lengths): number =>
  arm.interval ?? (arm.strategy === 'memory' ? DEFAULT_INTERVAL : 1);

/** Turns that the summary covers at this step. */
function covered(lengths: Lengths, index: number): number {
  const interval = intervalOf(lengths);
  return Math.floor(index / interval) * interval;
}

/** The summary beyond the word `(none)` that stands in the template, within the arm's ceiling. */
function summarySize(lengths: Lengths, index: number): Size {
  const { of, summaries, arm, unit } = lengths;
  const whole = summaries[covered(lengths, index) - 1];
  const ceiling = arm.strategy === 'memory' ? Infinity : capOf(lengths);
  if (whole === undefined || ceiling === 0) return NONE;
  return minus(times(whole, share(ceiling, whole[unit])), of('(none)'));
}

/** Half of the room beside the template without its observation. */
function capOf({ budget, unit, template }: Lengths): number {
  return Math.floor(Math.max(0, budget - template.first[unit]) / 2);
}

function compressSize(lengths: Lengths, index: number): Size {
  const { arm, of, template, history } = lengths;
  const interval = intervalOf(lengths);
  if ((arm.strategy !== 'memory' && arm.strategy !== 'summary-capped') || index === 0 || index % interval > 0)
    return NONE;
  const cap = arm.strategy === 'memory' ? null : capOf(lengths);
  if (cap === 0) return NONE;
  const request = { instructions: template.instructions, previous: '', turns: '', cap };
  const previous = summarySize(lengths, index - interval);
  return plus(of(buildSummaryPrompt(request)), previous, ...history.slice(index - interval, index));
}
