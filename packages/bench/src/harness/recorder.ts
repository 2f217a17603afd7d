import {
  type Issue,
  type Model,
  type ModelReply,
  type ModelRequest,
  type Progress,
  promptJson,
  type Strategy,
  type StrategyInput,
} from '@skillstate/runtime';
import type { Measure } from '../strategy/budget.ts';
import { forfeit } from './forfeit.ts';
import type { BenchModel, CallAbout, EpisodeModel } from './model.ts';
import { createPartTable, type PartTable } from './parts.ts';
import type { CallRecord, StepRecord } from './result.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What happened in an episode, written down while it happens. Memory grows by a few hundred bytes a call. */
export type Recorder = {
  readonly calls: Mutable<CallRecord>[];
  readonly steps: Mutable<StepRecord>[];
  readonly parts: PartTable;
  readonly at: number[];
  readonly ms: number[];
  readonly sources: Set<string>;
  /** Why the model could not be asked; ends the episode. */
  failure: Issue | null;
  /** The next reply is `Wait` and is not the model's: the turn is given up. */
  forfeiting: boolean;
  forfeited: number;
  strategy(inner: Strategy): Strategy;
  model(facts: BenchModel, episode: EpisodeModel): Model;
  listen(progress: Progress): void;
};

type Where = {
  step: number;
  attempt: number;
  compression: number;
  compressing: boolean;
  stateChars: number;
};

export type RecorderOptions = {
  readonly tokens: Measure;
  /** The environment's open turn. */
  readonly turn: () => number;
  /** Whether too many steps in a row have left a turn open: then it is given up. */
  readonly stuck: () => boolean;
};

export function createRecorder({ tokens, turn, stuck }: RecorderOptions): Recorder {
  const where: Where = { step: 0, attempt: 0, compression: 0, compressing: false, stateChars: 0 };
  const started = performance.now();
  let arm: Strategy | null = null;

  const recorder: Recorder = {
    calls: [],
    steps: [],
    parts: createPartTable(tokens),
    at: [],
    ms: [],
    sources: new Set(),
    failure: null,
    forfeiting: false,
    forfeited: 0,
    strategy(inner) {
      arm = inner;
      return watched(inner, where);
    },
    model: ({ facts, mode, dialect }, episode) => ({
      name: facts.name,
      mode,
      dialect,
      ask(request) {
        if (!where.compressing && (recorder.forfeiting || stuck())) {
          recorder.forfeiting = true;
          return Promise.resolve(forfeit(arm, mode));
        }
        return recorded(recorder, episode, request, aboutOf(where), tokens, started);
      },
    }),
    listen(progress) {
      if (progress.kind !== 'event') return;
      const { event } = progress;
      if (event.type === 'step.rejected') {
        const last = recorder.calls.at(-1);
        if (last) last.rejected = event.issues.map(({ code }) => code);
      } else if (event.type === 'step.accepted') {
        recorder.steps.push({
          ...blank(event.step, turn(), where.attempt),
          stateChars: where.stateChars,
          wrote: event.delta.length > 0,
          forfeited: recorder.forfeiting,
        });
        if (recorder.forfeiting) recorder.forfeited += 1;
        recorder.forfeiting = false;
      }
    },
  };
  return recorder;
}

function blank(step: number, turn: number, retries: number): StepRecord {
  return {
    step,
    turn,
    retries,
    actionable: false,
    correct: false,
    probe: false,
    stateChars: 0,
    wrote: false,
    forfeited: false,
  };
}

function aboutOf({ step, attempt, compression, compressing }: Where): CallAbout {
  return { step, attempt, compression, kind: compressing ? 'compress' : attempt > 0 ? 'retry' : 'step' };
}

/** The same strategy, telling which step, which attempt, and whether a call is a compressor's. */
function watched(inner: Strategy, where: Where): Strategy {
  const begin = ({ observation, state, skill }: StrategyInput): void => {
    where.attempt = observation.step === where.step ? where.attempt + 1 : 0;
    where.step = observation.step;
    where.compression = 0;
    where.stateChars = promptJson(state, skill.state).length;
  };
  if (!inner.history) {
    return {
      ...inner,
      render(input: StrategyInput) {
        begin(input);
        return inner.render(input);
      },
    };
  }
  return {
    ...inner,
    render(input, turns, memo, ask) {
      begin(input);
      return inner.render(input, turns, memo, async (prompt) => {
        where.compressing = true;
        try {
          return await ask(prompt);
        } finally {
          where.compressing = false;
          where.compression += 1;
        }
      });
    },
  };
}

async function recorded(
  recorder: Recorder,
  episode: EpisodeModel,
  request: ModelRequest,
  about: CallAbout,
  tokens: Measure,
  started: number,
): Promise<ModelReply> {
  const at = performance.now();
  const { tokens: inputTokens, ...prompt } = recorder.parts.add(request.prompt);
  const reply = counted(await episode.ask(request, about), inputTokens, tokens);
  const took = episode.took?.() ?? { at: round(at - started), ms: round(performance.now() - at) };
  recorder.at.push(took.at);
  recorder.ms.push(took.ms);
  recorder.sources.add(reply.usage.source);
  if (!reply.ok) recorder.failure = reply.issue;
  const { source: _, ...usage } = reply.usage;
  const replyChars = reply.ok ? reply.text.length + (reply.json?.length ?? 0) : 0;
  const rejected = reply.ok ? [] : [reply.issue.code];
  recorder.calls.push({ step: about.step, kind: about.kind, ...prompt, replyChars, ...usage, rejected });
  return reply;
}

/** A model that reports no usage is counted here (R23). */
function counted(reply: ModelReply, inputTokens: number, tokens: Measure): ModelReply {
  if (!reply.ok || reply.usage.source !== 'none') return reply;
  const outputTokens = tokens(reply.text === '' ? (reply.json ?? '') : reply.text);
  return { ...reply, usage: { ...reply.usage, inputTokens, outputTokens, source: 'counted' } };
}

const round = (ms: number): number => Math.round(ms * 1_000) / 1_000;
