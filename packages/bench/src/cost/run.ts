import {
  createTokenCounter,
  inspectStep,
  type Issue,
  priceOf,
  type PriceSheet,
  renderState,
  type Result,
  type Store,
  type ToolSpec,
} from '@skillstate/runtime';
import { breakEvenStep } from './break-even.ts';
import { sharedTokens } from './pieces.ts';
import type { BilledCall } from './calls.ts';
import { type Evidence, whyNoSaving } from './evidence.ts';
import { type ArmCost, type Bill, createBill } from './bill.ts';
import { recordedCalls, type RecordedCall, type RunStart, startOf } from './run-events.ts';
import { createRecordedArm, RECORDED_ARMS, REFUSED_ARMS } from './transcript-arms.ts';

export type RunCost = {
  readonly run: string;
  readonly model: string;
  readonly steps: number;
  readonly prices: { readonly model: string; readonly asOf: string; readonly source: string };
  /** How the tokens of `state` and of the other arms were measured. */
  readonly tokensBy: string;
  readonly arms: readonly ArmCost[];
  /** Tokens of the window of `truncated`: the size of the first prompt of `state`. */
  readonly window: number;
  readonly refused: readonly Issue[];
  /** First step from which `state` has cost less; null: never in this run. */
  readonly breakEven: readonly {
    readonly against: string;
    readonly raw: number | null;
    readonly cached: number | null;
  }[];
  readonly evidence: Evidence;
  /** Why no saving is printed; null: it may be. */
  readonly noSaving: string | null;
};

/** Fewer steps say nothing about a run. */
const ENOUGH_STEPS = 10;

/**
 * What a recorded run cost, and what other ways of building its prompts would have cost on the same observations and
 * replies. `state` is as recorded; transcripts are computed from the log. Arms that need text which was never generated
 * are refused. Issues: `run.missing`, `run.strategy`, `run.steps`.
 */
export async function costOfRun(store: Store, run: string, sheet: PriceSheet): Promise<Result<RunCost>> {
  const start = await startOf(store, run);
  if (start === null) return failed('run.missing', `no run ${run}; skillstate runs lists them`);
  if (start.strategy !== 'state')
    return failed(
      'run.strategy',
      `run ${run} used the strategy ${start.strategy}; only a run of \`state\` can be costed, for the patches of another were never written`,
    );
  const counter = createTokenCounter();
  const { how } = await counter.count('');
  const count = (text: string): number => counter.countNow(text).tokens;
  const first = await measureFirst(store, run, count);
  if (first === null) return failed('run.steps', `run ${run} has no accepted step yet`);
  const reported = priceOf(start.model)?.model === sheet.model;
  const replay = await replayRun(store, run, start, sheet, { ...first, count, reported });
  const { arms } = replay;
  const evidence = {
    stateWrites: replay.stateWrites,
    tasksEqual: true,
    samples: replay.steps,
    enough: ENOUGH_STEPS,
  };
  return {
    ok: true,
    value: {
      run,
      model: start.model,
      steps: replay.steps,
      prices: { model: sheet.model, asOf: sheet.asOf, source: sheet.source },
      tokensBy: wording(replay.source, how, first.scale),
      arms,
      window: Math.round(first.promptTokens * first.scale),
      refused: Object.entries(REFUSED_ARMS).map(([arm, why]) => ({
        code: 'run.not_generated',
        path: `/${arm}`,
        hint: `${arm}: ${why}`,
      })),
      breakEven: breakEvens(arms),
      evidence,
      noSaving: whyNoSaving(evidence),
    },
  };
}

function failed(code: `run.${string}`, hint: string): { ok: false; issues: Issue[] } {
  return { ok: false, issues: [{ code, path: '', hint }] };
}

function breakEvens(arms: readonly ArmCost[]): RunCost['breakEven'] {
  const [state, ...others] = arms;
  if (state === undefined) return [];
  return others.map((other) => ({
    against: other.arm,
    raw: breakEvenStep(state, other, 'raw'),
    cached: breakEvenStep(state, other, 'cached'),
  }));
}

function wording(source: string, how: 'counted' | 'estimated', scale: number): string {
  const counted = how === 'counted' ? 'counted with o200k_base' : 'estimated at four bytes a token';
  if (source !== 'provider') return counted;
  return `state: the provider's; other arms: ${counted}, times ${scale.toFixed(2)}, the provider's count over ours in step 1`;
}

type First = {
  /** Of the part of the prompt that never changes, by our count; 0 where the layout has none. */
  readonly fixedTokens: number;
  readonly promptTokens: number;
  readonly tokensPerByte: number;
  readonly scale: number;
  readonly tools: readonly ToolSpec[];
};

/** The first step's prompt, built again: its fixed part, and how the provider's count relates to ours. */
async function measureFirst(
  store: Store,
  run: string,
  count: (text: string) => number,
): Promise<First | null> {
  const start = await startOf(store, run);
  const view = await inspectStep(store, run, 1).catch(() => null);
  if (start === null || view === null || view.accepted === null) return null;
  const { skill, tools, before: state, observation, notices } = view;
  const prompt = renderState({
    skill,
    tools,
    state,
    observation,
    notices,
    mode: start.mode,
    dialect: start.dialect,
  });
  const promptTokens = prompt.reduce((sum, part) => sum + count(part.text), 0);
  const fixedTokens = prompt[0]?.cache === true ? count(prompt[0].text) : 0;
  const { usage } = view.accepted;
  const scale = usage.source === 'provider' && promptTokens > 0 ? usage.inputTokens / promptTokens : 1;
  const bytes = prompt.reduce((sum, part) => sum + Buffer.byteLength(part.text), 0);
  return { fixedTokens, promptTokens, tokensPerByte: promptTokens / Math.max(1, bytes), scale, tools };
}

type Replay = {
  readonly arms: readonly ArmCost[];
  readonly steps: number;
  readonly stateWrites: number;
  readonly source: string;
};

type ReplayOptions = First & { readonly count: (text: string) => number; readonly reported: boolean };

async function replayRun(
  store: Store,
  run: string,
  start: RunStart,
  sheet: PriceSheet,
  options: ReplayOptions,
): Promise<Replay> {
  const own: Bill = createBill('state', sheet);
  const ours = createStateArm(start, options);
  const arms = RECORDED_ARMS.map((name) => ({
    bill: createBill(name, sheet),
    convert: createRecordedArm(name, { ...options, window: options.promptTokens }),
  }));
  let [steps, stateWrites, source] = [0, 0, 'none' as string];
  for await (const call of recordedCalls(store, run, start)) {
    own.add(ours(call));
    if (call.usage.source !== 'none') source = call.usage.source;
    if (call.turn === null) continue;
    steps += 1;
    if (Object.keys(call.turn.update).length > 0) stateWrites += 1;
    for (const { bill, convert } of arms) bill.add(await convert(call, call.turn));
  }
  return { arms: [own.total(), ...arms.map(({ bill }) => bill.total())], steps, stateWrites, source };
}

/** The run's own calls: a fixed piece with the breakpoint behind it, and one that is new at every call. */
function createStateArm(start: RunStart, options: ReplayOptions): (call: RecordedCall) => BilledCall {
  const { fixedTokens, scale, reported } = options;
  const shared = sharedSteps(start, options);
  let made = 0;
  return (call) => {
    const first = made++ === 0;
    const { inputTokens, outputTokens } = tokensOf(call, options);
    const fixed = Math.min(Math.round(fixedTokens * scale), inputTokens);
    const changing = { id: made, tokens: inputTokens - fixed };
    const { cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite, source } = call.usage;
    return {
      step: call.step,
      at: call.at,
      same: first || fixed === 0 ? 0 : 1,
      added: fixed > 0 && first ? [{ id: 0, tokens: fixed }, changing] : [changing],
      breaks: fixed > 0 ? [0] : [],
      sharedInside: shared(call, changing.tokens),
      inputTokens,
      outputTokens,
      reported: reported && source === 'provider' ? { cacheRead, cacheWrite } : null,
    };
  };
}

/**
 * What the changing part of a step's prompt has in common with the one before at its beginning. Nothing for a reply that
 * was refused, whose prompt cannot be built again: a saving is never overstated.
 */
function sharedSteps(
  { mode, dialect }: RunStart,
  { tools }: ReplayOptions,
): (call: RecordedCall, tokens: number) => number {
  let before = '';
  return ({ turn }, tokens) => {
    if (turn === null) return 0;
    const { skill, state, observation } = turn;
    const prompt = renderState({ skill, tools, state, observation, notices: [], mode, dialect });
    const text = prompt.at(-1)?.text ?? '';
    const shared = sharedTokens(before, text, tokens);
    before = text;
    return shared;
  };
}

/** As recorded; where nobody counted, by the size of the first prompt and the texts of the reply. */
function tokensOf({ usage, promptBytes, turn }: RecordedCall, { count, tokensPerByte }: ReplayOptions) {
  if (usage.source !== 'none') return usage;
  const reply = turn === null ? '' : `${turn.reasoning}${JSON.stringify([turn.patch, turn.action])}`;
  return { inputTokens: Math.round(promptBytes * tokensPerByte), outputTokens: count(reply) };
}
