import { createTokenCounter, emptyUsage, type ModelReply } from '@skillstate/runtime';
import type { EpisodeSpec } from '../env/create.ts';
import { type EpisodeOptions, runEpisode } from './episode.ts';
import type { BenchModel, CallAbout } from './model.ts';
import { createReferenceModel } from './reference-model.ts';
import type { ArmSpec, EpisodeResult } from './result.ts';

const counter = createTokenCounter();
await counter.count('');
export const tokens = (text: string): number => counter.countNow(text).tokens;

export const reference = createReferenceModel({ reasoning: 'none', faults: null, seed: 1 });

/** One episode with the usual limits. */
export function play(
  arm: Omit<ArmSpec, 'id'>,
  spec: Partial<EpisodeSpec> = {},
  model: BenchModel = reference,
  more: Partial<EpisodeOptions> = {},
): Promise<EpisodeResult> {
  return runEpisode({
    experiment: 'test',
    arm: { id: arm.strategy, ...arm },
    spec: { environment: 'warehouse', seed: 1, horizon: 20, ...spec },
    repetition: 0,
    retries: 3,
    model,
    tokens,
    tokensBy: 'counted',
    ...more,
  });
}

/** A model that is a function of the prompt. */
export function modelOf(
  reply: (prompt: string, about: CallAbout) => string | ModelReply,
  close: () => void = () => undefined,
): BenchModel {
  return {
    facts: { name: 'function', mode: 'text', reasoning: null, faults: null },
    mode: 'text',
    dialect: 'merge',
    open: () =>
      Promise.resolve({
        ask({ prompt }, about) {
          const given = reply(prompt.map(({ text }) => text).join('\n\n'), about);
          return Promise.resolve(typeof given === 'string' ? said(given) : given);
        },
        close: () => Promise.resolve(close()),
      }),
  };
}

export function said(text: string): ModelReply {
  return { ok: true, text, json: null, calls: 0, finish: 'stop', usage: emptyUsage(), retries: [] };
}

/** The result without what the clock said. */
export function timeless(result: EpisodeResult): Omit<EpisodeResult, 'timing'> {
  const { timing: _, ...rest } = result;
  return rest;
}
