import { resolve } from 'node:path';
import {
  byteLength,
  capText,
  type Message,
  offeredTools,
  promptText,
  type Skill,
  stateStrategy,
  type StrategyInput,
} from '@skillstate/runtime';
import { connectorsFor, readSecrets, readSkill, readTools } from './context.ts';
import { readModel } from './models.ts';

type Flags = {
  readonly model?: string;
  readonly tools?: string;
  readonly input?: string;
  readonly secret?: readonly string[];
};

/**
 * The first prompt that a run of this skill would get, with what its tool servers offer now. The model decides about the
 * reply format only: none is asked, so no key is needed.
 */
export async function firstPrompt(folder: string, flags: Flags): Promise<string> {
  const skill = await readSkill(folder);
  const tools = await readTools(flags.tools, 'prompt');
  const secrets = readSecrets(flags.secret ?? []);
  const offered = await offeredTools({ tools, connectors: connectorsFor(resolve(folder)), secrets }, skill);
  for (const { hint } of offered.disabled) process.stderr.write(`warning: ${hint}\n`);
  const asked =
    flags.model === undefined
      ? {
          mode: 'text' as const,
          dialect: skill.dialect === 'operations' ? skill.dialect : ('merge' as const),
        }
      : await readModel(flags.model, { dialect: skill.dialect, apiKey: 'no call is made' });
  const { mode, dialect } = asked;
  const input = {
    skill,
    tools: offered.specs,
    state: skill.initial,
    observation: first(skill, flags.input),
    notices: [],
  };
  return rendered({ ...input, mode, dialect });
}

function first({ limits, observation }: Skill, input: string | undefined): StrategyInput['observation'] {
  const now = Date.now();
  const messages = input === undefined ? [] : [message(input, now, observation.messageBytes)];
  const { steps, tokens, costUsd } = limits;
  return { step: 1, now, zone: 'UTC', result: null, messages, queued: 0, budget: { steps, tokens, costUsd } };
}

/** As the run would show it: its event is the second, behind the start. */
function message(input: string, at: number, maxBytes: number): Message {
  const { text, shownBytes } = capText(input, maxBytes);
  return {
    seq: 2,
    from: 'user',
    trust: 'user',
    text,
    shownBytes,
    totalBytes: byteLength(input),
    handle: null,
    at,
  };
}

function rendered(input: StrategyInput): string {
  return stateStrategy.history ? '' : promptText(stateStrategy.render(input));
}
