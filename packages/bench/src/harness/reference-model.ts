import { emptyUsage, type ModelReply } from '@skillstate/runtime';
import { createAiSdkModel, promptText } from '@skillstate/runtime';
import type { FaultRates } from '../reference/faults.ts';
import { createReference, type Reference } from '../reference/reference.ts';
import type { Measure } from '../strategy/budget.ts';
import type { BenchModel, CallAbout } from './model.ts';

export type ReferenceModelOptions = {
  readonly reasoning: 'none' | 'paper';
  readonly faults: FaultRates | null;
  /** Seeds reasoning lengths and faults. */
  readonly seed: number;
  /** How the local server counts tokens; a quarter of the bytes by default. */
  readonly tokens?: Measure;
};

/** The deterministic reader as a bench's model, in plain text. */
export function createReferenceModel(options: ReferenceModelOptions): BenchModel {
  const reference = readerOf(options);
  return {
    facts: { name: 'reference', mode: 'text', reasoning: options.reasoning, faults: options.faults },
    mode: 'text',
    dialect: 'merge',
    open: () =>
      Promise.resolve({
        ask: ({ prompt }, about) =>
          Promise.resolve(answered(reference.reply(promptText(prompt), callIndex(about)))),
        close: () => Promise.resolve(),
      }),
  };
}

function readerOf({ reasoning, faults, seed }: ReferenceModelOptions): Reference {
  return createReference({ seed, reasoning, ...(faults !== null && { faults }) });
}

/** Calls that a step may have in a schedule: replies from 0, summaries from 50. */
const STRIDE = 97;
const COMPRESSIONS = 50;

/**
 * The place of a call in the reader's schedule of faults and reasoning: by step and attempt, so that every arm meets
 * the same faults at the same steps, however many other calls it makes.
 */
export function callIndex({ step, attempt, compression, kind }: CallAbout): number {
  return (
    (step - 1) * STRIDE +
    (kind === 'compress' ? COMPRESSIONS + compression : Math.min(attempt, COMPRESSIONS - 1))
  );
}

function answered(text: string): ModelReply {
  return { ok: true, text, json: null, calls: 0, finish: 'stop', usage: emptyUsage(), retries: [] };
}

/** Every so many requests the server asks to come again, so that retries are the real code path. */
const BUSY_EVERY = 25;

/**
 * The same reader behind real HTTP: a local server that speaks a provider's protocol, asked by the real adapter, with
 * its retries, its cache breakpoints and the server's own account of usage.
 */
export function createHttpReferenceModel(options: ReferenceModelOptions): BenchModel {
  const reference = readerOf(options);
  return {
    facts: { name: 'http:reference', mode: 'tool', reasoning: options.reasoning, faults: options.faults },
    mode: 'tool',
    dialect: 'merge',
    async open() {
      const { startFakeProvider } = await import('@skillstate/runtime/model/fake-provider');
      let index = 0;
      let requests = 0;
      const provider = await startFakeProvider({
        keep: 1,
        ...(options.tokens !== undefined && { tokens: options.tokens }),
        reply(prompt) {
          requests += 1;
          if (requests % BUSY_EVERY === 0) return { status: 429, headers: { 'retry-after-ms': '1' } };
          return reference.reply(prompt, index);
        },
      });
      const model = createAiSdkModel({
        provider: 'anthropic',
        model: 'claude-sonnet-4-5',
        name: 'http:reference',
        baseURL: provider.url('anthropic'),
        apiKey: 'local',
        mode: 'tool',
        dialect: 'merge',
        retry: { baseMs: 1, capMs: 5 },
      });
      return {
        ask(request, about) {
          index = callIndex(about);
          return model.ask(request);
        },
        close: provider.close,
      };
    },
  };
}
