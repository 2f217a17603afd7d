import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createTokenCounter,
  makeFolder,
  type Model,
  type ModelSettings,
  parseModelName,
} from '@skillstate/runtime';
import { type Command, InvalidArgumentError } from 'commander';
import { armsOf } from '../experiment/arms.ts';
import { lockFolder } from '../experiment/lock.ts';
import { openResults } from '../experiment/record.ts';
import { openSpending } from '../experiment/spending.ts';
import { rateGuard, spendGuard } from '../harness/guards.ts';
import type { BenchModel } from '../harness/model.ts';
import { benchModelOf } from '../harness/plain-model.ts';
import type { ArmSpec } from '../harness/result.ts';
import { toTerminal } from '../outcome/to-terminal.ts';
import type { Block } from '../report/blocks.ts';
import { toHtml } from '../report/to-html.ts';
import { toMarkdown } from '../report/to-markdown.ts';
import type { Measure } from '../strategy/budget.ts';
import { amount, count, whole } from './numbers.ts';

/** The options that every public benchmark takes. */
export type PublicFlags = {
  readonly data?: string;
  readonly json?: boolean;
  readonly model?: string;
  readonly strategies: string;
  readonly budget?: number;
  readonly tasks?: readonly number[];
  readonly trials: number;
  readonly steps: number;
  readonly retries: number;
  readonly parallel: number;
  readonly rate?: number;
  readonly maxTokens?: number;
  readonly maxUsd?: number;
  readonly out?: string;
};

/** Adds them. `models` says what stands for a model besides its name; `steps` is the original's limit. */
export function addPublicOptions(program: Command, models: string, steps: number): Command {
  return program
    .option('--model <name>', `play with this model: provider:model, or ${models}`)
    .option('--strategies <names>', 'arms, with commas between', 'state,prompt,memory,stateful')
    .option('--budget <characters>', 'size of the budget-matched arms', whole)
    .option('--tasks <numbers>', 'only these tasks, as 0-9,12', taskNumbers)
    .option('--trials <n>', 'episodes of each task and arm, for pass^k', whole, 1)
    .option('--steps <n>', 'most steps of an episode', whole, steps)
    .option('--retries <n>', 'refused replies that a step may have', count, 2)
    .option('--parallel <n>', 'episodes at the same time', whole, 1)
    .option('--rate <n>', 'most model calls a minute', whole)
    .option(
      '--max-tokens <n>',
      'stop before the agent’s model takes more tokens, over all runs with this --out',
      whole,
    )
    .option(
      '--max-usd <n>',
      'stop before the agent’s model costs more, over all runs with this --out',
      amount,
    )
    .option(
      '--out <folder>',
      'keep results.jsonl there (a later run goes on from it), report.md and report.html',
    )
    .option('--json', 'as JSON');
}

const MOST_TASKS = 10_000;

/** Reads `0-9,12`. */
export function taskNumbers(text: string): number[] {
  const numbers = text.split(',').flatMap((part) => {
    const found = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part);
    if (found === null) throw new InvalidArgumentError('task numbers are wanted, as 0-9,12');
    const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  });
  if (numbers.length > MOST_TASKS) throw new InvalidArgumentError(`at most ${MOST_TASKS} tasks`);
  return [...new Set(numbers)];
}

export function armsFor({ strategies, budget }: PublicFlags): readonly ArmSpec[] {
  const names = strategies.split(',').map((name) => name.trim());
  return armsOf(names, budget === undefined ? {} : { budget });
}

/** The tokenizer where one is installed, else an estimate; and which of the two. */
export async function tokenMeasure(): Promise<{ tokens: Measure; tokensBy: 'counted' | 'estimated' }> {
  const counter = createTokenCounter();
  const { how } = await counter.count('');
  return { tokens: (text) => counter.countNow(text).tokens, tokensBy: how };
}

/** A model by its name. Throws an error that says what is missing. */
export async function namedModel(name: string, settings: ModelSettings = {}): Promise<Model> {
  const model = await parseModelName(name, { count: createTokenCounter().exact, ...settings });
  if (model.ok) return model.value;
  throw new Error(`no model ${name}: ${model.issues.map(({ hint }) => hint).join('; ')}`);
}

/** Tokens that a named model may answer with, reasoning included. */
export const MOST_OUTPUT = 8_192;

/** The agent's model, with the limits that were asked for; with a folder, they count what was spent there before. */
export async function guardedModel(name: string, flags: PublicFlags, tokens: Measure): Promise<BenchModel> {
  const { rate, maxTokens = null, maxUsd = null, out } = flags;
  const plain = benchModelOf(await namedModel(name, { maxOutputTokens: MOST_OUTPUT }));
  const rated = rate === undefined ? plain : rateGuard(rate)(plain);
  if (maxTokens === null && maxUsd === null && out === undefined) return rated;
  if (out !== undefined) makeFolder(out);
  const spending = out === undefined ? undefined : openSpending(out);
  const options = { mostOutput: MOST_OUTPUT, ...(spending !== undefined && { spending }) };
  return spendGuard({ tokens: maxTokens, usd: maxUsd }, tokens, options)(rated);
}

/** Where results are kept while a benchmark runs, and its report afterwards; nothing is kept without a folder. */
export type Keeper<Result> = {
  readonly known: ReadonlyMap<string, Result>;
  onResult(result: Result): Promise<void>;
  finish(title: string, blocks: readonly Block[]): Promise<void>;
};

/** One line a result, in the form of all benches; lines of other benchmarks in the same file are left alone. */
export async function openKeeper<Result extends { readonly key: string }>(
  out?: string,
): Promise<Keeper<Result>> {
  if (out === undefined) return { known: new Map(), onResult: nothing, finish: nothing };
  makeFolder(out);
  const unlock = lockFolder(out);
  const file = await openResults(join(out, 'results.jsonl'), (result) => result).catch((error: unknown) => {
    unlock();
    throw error;
  });
  type Line = Parameters<typeof file.append>[0];
  return {
    known: file.known as unknown as ReadonlyMap<string, Result>,
    onResult: (result) => file.append(result as unknown as Line),
    async finish(title, blocks) {
      await file.close();
      await writeFile(join(out, 'report.md'), toMarkdown(title, blocks));
      await writeFile(join(out, 'report.html'), toHtml(title, blocks));
      unlock();
    },
  };
}

const nothing = (): Promise<void> => Promise.resolve();

export function showProgress(done: number, jobs: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${jobs} episodes${done === jobs ? '\n' : ''}`);
}

export function printReport(json: boolean | undefined, value: unknown, blocks: readonly Block[]): void {
  process.stdout.write(`${json === true ? JSON.stringify(value, null, 2) : toTerminal(blocks)}\n`);
}
