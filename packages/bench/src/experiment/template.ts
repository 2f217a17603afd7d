import {
  emptyUsage,
  type Observation,
  offeredTools,
  type Prompt,
  type StrategyInput,
} from '@skillstate/runtime';
import { createEnvironment, type EpisodeSpec } from '../env/create.ts';
import { createActTool } from '../harness/act.ts';
import { fixedChars } from '../harness/parts.ts';
import type { ArmSpec } from '../harness/result.ts';
import { ACT, runtimeSkill } from '../harness/skill.ts';
import type { Measure } from '../strategy/budget.ts';
import { createArm } from '../strategy/create.ts';
import { minus, promptSize, type Size, type Sizer, times } from './size.ts';

/** What an arm's template takes, without observation, command, history and summary; Σ is the initial one. */
export type Template = {
  /** Of the first turn, whose observation is a message, and of all others, whose observation is a result. */
  readonly first: Size;
  readonly later: Size;
  readonly fixedChars: number;
  /** Whether the prompt names the last command, as the `cached` layout does. */
  readonly namesCommand: boolean;
  readonly instructions: string;
  readonly initial: StrategyInput['state'];
};

/** Renders the arm with one-character texts and takes them away again. */
export async function measureTemplate(
  spec: EpisodeSpec,
  arm: ArmSpec,
  tokens: Measure,
  of: Sizer,
): Promise<Template> {
  const episode = createEnvironment(spec);
  const { strategy, layout } = createArm(arm, { tokens });
  const skill = runtimeSkill(episode.skill, layout, 1);
  const act = createActTool(
    episode,
    () => null,
    {},
    () => Promise.resolve(),
  );
  const { specs } = await offeredTools({ tools: [act] }, skill);
  const render = async (observation: Observation): Promise<Prompt> => {
    const input: StrategyInput = {
      skill,
      tools: specs,
      state: skill.initial,
      observation,
      notices: [],
      mode: 'text',
      dialect: 'merge',
    };
    if (!strategy.history) return strategy.render(input);
    return (await strategy.render(input, [], null, () => Promise.resolve(silent))).prompt;
  };
  const [first, later] = [await render(sample(true)), await render(sample(false))];
  const namesCommand = arm.strategy === 'state';
  return {
    first: minus(promptSize(first, of), of('x')),
    later: minus(promptSize(later, of), times(of('x'), namesCommand ? 3 : 2)),
    fixedChars: fixedChars(later),
    namesCommand,
    instructions: skill.instructions,
    initial: skill.initial,
  };
}

const silent = {
  ok: true,
  text: '',
  json: null,
  calls: 0,
  finish: 'stop',
  usage: emptyUsage(),
  retries: [],
} as const;

/** An observation of two lines (one, at first) with the usual number of digits. */
function sample(first: boolean): Observation {
  const at = Date.UTC(2026, 0, 5, 8);
  const sizes = { shownBytes: 80, totalBytes: 80, handle: null, at };
  const action = { tool: ACT, args: { command: 'x' } };
  const result = { action, source: ACT, trust: 'tool', status: 'ok', text: 'x\nx', ...sizes } as const;
  const message = { seq: 2, from: 'user', trust: 'user', text: 'x', ...sizes } as const;
  return {
    step: first ? 1 : 50,
    now: at,
    zone: 'UTC',
    result: first ? null : result,
    messages: first ? [message] : [],
    queued: 0,
    budget: { steps: null, tokens: null, costUsd: null },
  };
}
