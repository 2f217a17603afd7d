import type { PriceSheet } from '@skillstate/runtime';
import { type Job, modelOf, type Player } from '../experiment/job.ts';
import { type Guard, interruptGuard, rateGuard, spendGuard, type Spending } from '../harness/guards.ts';
import type { BenchModel } from '../harness/model.ts';
import { benchModelOf } from '../harness/plain-model.ts';
import { type ModelBase, replayedModel, saveBase, savedBase, savingModel } from '../harness/saved.ts';
import type { Measure } from '../strategy/budget.ts';
import { createCausalSurprise } from '../strategy/causal.ts';
import type { Surprise } from '../strategy/surprise.ts';
import { loadCausalModel } from '../strategy/transformers-js.ts';
import { type BenchFlags, isScripted } from './arguments.ts';
import { MOST_OUTPUT, namedModel } from './public.ts';

/** The causal model that was asked for, loaded once. Throws an error that says what is missing. */
export async function surpriseOf({ surprise }: BenchFlags): Promise<Surprise | null> {
  if (surprise === null) return null;
  const model = await loadCausalModel(surprise.causal);
  if (model.ok) return () => createCausalSurprise(model.value);
  throw new Error(model.issues.map(({ code, hint }) => `${hint} [${code}]`).join('; '));
}

/** What surrounds every call: the signal that ends it, prices in place of the model's own, and what was spent. */
type Around = {
  readonly signal: AbortSignal;
  readonly sheet: PriceSheet | null;
  readonly spending: Spending;
};

/** The model of each job, inside the limits, saved or replayed. */
export async function modelFor(
  flags: BenchFlags,
  jobs: readonly Job[],
  tokens: Measure,
  { signal, sheet, spending }: Around,
): Promise<(job: Job) => BenchModel> {
  const { model: name, save, replay, rate, maxTokens, maxUsd } = flags;
  const pricesNamed = flags.prices !== undefined || flags.sheet !== undefined;
  const interrupt = interruptGuard(signal);
  if (replay !== undefined) {
    const base = isScripted(name) ? null : await savedBase(replay);
    const baseOf = (job: Job): ModelBase => base ?? modelOf({ scripted: name as 'reference', tokens }, job);
    return (job) => interrupt(replayedModel(baseOf(job), replay));
  }
  const player: Player = isScripted(name)
    ? { scripted: name, tokens }
    : {
        scripted: null,
        model: benchModelOf(await namedModel(name, { mode: flags.mode, maxOutputTokens: MOST_OUTPUT })),
      };
  const guards: Guard[] = [];
  if (maxTokens !== undefined || maxUsd !== undefined || player.scripted === null)
    guards.push(
      spendGuard({ tokens: maxTokens ?? null, usd: maxUsd ?? null }, tokens, {
        ...(player.scripted === null && { mostOutput: MOST_OUTPUT }),
        ...(pricesNamed && { sheet }),
        spending,
      }),
    );
  if (rate !== undefined) guards.push(rateGuard(rate));
  if (save !== undefined) {
    const [first] = jobs;
    if (first !== undefined) await saveBase(save, modelOf(player, first));
    guards.push((inner) => savingModel(inner, save));
  }
  guards.push(interrupt);
  return (job) => guards.reduce((inner, guard) => guard(inner), modelOf(player, job));
}
