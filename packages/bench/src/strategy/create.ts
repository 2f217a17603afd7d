import { type Layout, stateStrategy, type Strategy } from '@skillstate/runtime';
import type { ArmSpec } from '../harness/result.ts';
import type { Budget, Measure } from './budget.ts';
import { createLlmlingua } from './llmlingua.ts';
import { createMemory, createSummaryCapped } from './memory.ts';
import { createPrompt } from './prompt.ts';
import { createHistoryFirst, createStateful, statefulIdiomatic } from './stateful.ts';
import { createNgramModel, type Surprise } from './surprise.ts';
import { createTruncated } from './truncated.ts';

/** Characters of the paper's budget-matched runs (section 5.6). */
export const PAPER_BUDGET = 1_800;

export type Arm = {
  readonly strategy: Strategy;
  /** Which of the runtime's layouts the skill asks for. */
  readonly layout: Layout;
  /** What prunes or compresses, for the report; null: nothing does. */
  readonly compressor: string | null;
};

export type ArmOptions = {
  /** Counts tokens, for budgets in tokens. */
  readonly tokens: Measure;
  /** For `llmlingua`; the n-gram model of the episode by default. */
  readonly surprise?: Surprise;
};

/** The strategy of an arm. Strategies remember turns by their list: one object serves any number of episodes. */
export function createArm(arm: ArmSpec, options: ArmOptions): Arm {
  const plain = (strategy: Strategy): Arm => ({ strategy, layout: 'cached', compressor: null });
  const budget = budgetOf(arm, options.tokens);
  switch (arm.strategy) {
    case 'state':
      return plain(stateStrategy);
    case 'state-paper':
      return { strategy: stateStrategy, layout: 'paper', compressor: null };
    case 'prompt':
      return plain(createPrompt());
    case 'memory':
      return { ...plain(createMemory(arm.interval)), compressor: 'summaries by the same model' };
    case 'stateful':
      return plain(createStateful());
    case 'stateful-history-first':
      return plain(createHistoryFirst());
    case 'stateful-idiomatic':
      return plain(statefulIdiomatic);
    case 'truncated':
      return plain(createTruncated(budget));
    case 'summary-capped':
      return {
        ...plain(createSummaryCapped(budget, arm.interval)),
        compressor: 'summaries by the same model',
      };
    case 'llmlingua': {
      const surprise = options.surprise ?? createNgramModel;
      return { ...plain(createLlmlingua(budget, surprise)), compressor: surprise().name };
    }
  }
}

function budgetOf({ budget = PAPER_BUDGET, unit = 'chars' }: ArmSpec, tokens: Measure): Budget {
  return { size: budget, unit, measure: unit === 'chars' ? (text) => text.length : tokens };
}
