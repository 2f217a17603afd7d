import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ReplyMode } from '@skillstate/runtime';
import { armsOf } from '../experiment/arms.ts';
import type { Reasoning, Settings } from '../experiment/job.ts';
import { STRATEGY_NAMES, type StrategyName } from '../harness/result.ts';
import { USUAL_RETRIES } from '../report/rows.ts';
import { amount, count, list, whole } from './numbers.ts';

/** The options that every experiment takes. */
export type BenchFlags = {
  readonly model: string;
  readonly mode: ReplyMode;
  readonly arms: readonly string[];
  readonly seeds: number;
  readonly repetitions: number;
  readonly retries: number;
  readonly reasoning: readonly Reasoning[];
  readonly interval?: number;
  readonly unit: 'chars' | 'tokens';
  readonly surprise: ScorerName;
  readonly parallel: number;
  readonly rate?: number;
  readonly maxTokens?: number;
  readonly maxUsd?: number;
  readonly out?: string;
  readonly save?: string;
  readonly replay?: string;
  readonly prices?: string;
  readonly sheet?: string;
  readonly json?: boolean;
};

/** Who scores the words that `llmlingua` prunes: null is the n-gram model of the episode. */
export type ScorerName = { readonly causal: string } | null;

export function addBenchOptions(program: Command, arms: readonly StrategyName[] = STRATEGY_NAMES): Command {
  return program
    .option(
      '--model <name>',
      'reference (a deterministic reader), http (the same behind a local server), or provider:model',
      'reference',
    )
    .addOption(
      new Option(
        '--mode <mode>',
        'how a named model is asked in the arms of state; the others are always text',
      )
        .choices(['text', 'tool', 'structured'])
        .default('text'),
    )
    .option('--arms <names>', `ways to build a prompt: ${STRATEGY_NAMES.join(', ')}`, list(String), arms)
    .option('--seeds <n>', 'episodes 1 to n of each condition', whole, 5)
    .option('--repetitions <n>', 'of each episode', whole, 1)
    .option('--retries <n>', 'refused replies that a step may have, in every arm', count, USUAL_RETRIES)
    .option(
      '--reasoning <lengths>',
      'of scripted models: none, paper (400 to 700 characters)',
      list(reasoning),
      ['none', 'paper'],
    )
    .option('--interval <n>', 'turns between two summaries (memory 3, summary-capped 1)', whole)
    .addOption(new Option('--unit <unit>', 'of budgets').choices(['chars', 'tokens']).default('chars'))
    .addOption(
      new Option(
        '--surprise <scorer>',
        'of llmlingua: ngram, or causal:FOLDER or causal:ID (Transformers.js)',
      )
        .argParser(scorer)
        .default(null, 'ngram'),
    )
    .option('--parallel <n>', 'episodes at the same time', whole, 1)
    .option('--rate <n>', 'most model calls a minute', whole)
    .option('--max-tokens <n>', 'stop before more tokens are used', whole)
    .option('--max-usd <n>', 'stop before more is spent', amount)
    .option(
      '--out <folder>',
      'keep results.jsonl there (a later run goes on from it), report.md and report.html',
    )
    .option('--save <folder>', 'keep every reply there')
    .option('--replay <folder>', 'play saved replies instead of asking the model')
    .option('--prices <model>', "prices of the report, by provider:model; the model's own by default")
    .option('--sheet <file>', 'prices of the report from this JSON file')
    .option('--json', 'rows as JSON');
}

function reasoning(text: string): Reasoning {
  if (text === 'none' || text === 'paper') return text;
  throw new InvalidArgumentError('none or paper is wanted');
}

function scorer(text: string): ScorerName {
  if (text === 'ngram') return null;
  const causal = /^causal:(.+)$/.exec(text)?.[1];
  if (causal === undefined) throw new InvalidArgumentError('ngram, or causal: and a folder or id is wanted');
  return { causal };
}

export function isScripted(model: string): model is 'reference' | 'http' {
  return model === 'reference' || model === 'http';
}

export function settingsOf(flags: BenchFlags): Settings {
  const { arms, seeds, repetitions, retries, interval, unit, surprise } = flags;
  const scored = surprise !== null && { surprise: surprise.causal };
  return {
    arms: armsOf(arms, { ...(interval !== undefined && { interval }), unit, ...scored }),
    seeds,
    repetitions,
    retries,
    reasoning: isScripted(flags.model) ? flags.reasoning : ['none'],
  };
}
