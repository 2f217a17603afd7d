import { createTokenCounter } from '@skillstate/runtime';
import { STRATEGY_NAMES } from '../harness/result.ts';
import { armsOf } from './arms.ts';
import { type Job, modelOf, type Settings } from './job.ts';
import { type Row, rowsOf } from '../report/rows.ts';
import { type BenchEnd, runBench } from './run.ts';

const counter = createTokenCounter();
await counter.count('');
export const tokens = (text: string): number => counter.countNow(text).tokens;

export const settings: Settings = {
  arms: armsOf(STRATEGY_NAMES),
  seeds: 1,
  repetitions: 1,
  retries: 3,
  reasoning: ['none'],
};

/** Runs jobs with the reference model. */
export function benchOf(
  jobs: readonly Job[],
  scripted: 'reference' | 'http' = 'reference',
): Promise<BenchEnd> {
  const model = (job: Job) => modelOf({ scripted, tokens }, job);
  return runBench({ jobs, model, tokens, tokensBy: 'counted', parallel: 1, closedForms: true });
}

export async function rowsFor(
  jobs: readonly Job[],
  scripted?: 'reference' | 'http',
): Promise<readonly Row[]> {
  const { results, stopped } = await benchOf(jobs, scripted);
  if (stopped !== null) throw new Error(stopped);
  return rowsOf(results);
}
