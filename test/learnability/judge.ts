import {
  type Action,
  type Issue,
  type JsonObject,
  judgeReply,
  type ModelReply,
  type Notice,
  renderState,
  type Result,
  stateStrategy,
  type StrategyInput,
} from '@skillstate/runtime';
import type { Case } from './corpus.ts';
import { situation } from './world.ts';

type About = Pick<Case, 'mode' | 'dialect' | 'command' | 'repairJson' | 'finish' | 'calls'>;

/** A reply text as the model adapter gives it on. */
export function replyOf(text: string, about: About): ModelReply & { ok: true } {
  const mode = about.mode ?? 'text';
  const calls = mode === 'tool' ? (about.calls ?? 1) : 0;
  const inJson = mode === 'structured' || calls > 0;
  return {
    ok: true,
    text: inJson ? '' : text,
    json: inJson ? text : null,
    calls,
    finish: about.finish ?? 'stop',
    usage: {
      inputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 0,
      reasoningTokens: 0,
      source: 'none',
    },
    retries: [],
  };
}

/** The `## Notices` section of the prompt that follows a refused reply. */
export function noticesOf(issues: readonly Issue[], about: About): string {
  const notices: Notice[] = [{ kind: 'rejected', attempt: 1, left: 3, issues, fragment: '' }];
  const prompt = renderState({ ...inputOf(about), notices });
  return /## Notices\n([\s\S]*?)\n\n## Reply/.exec(prompt.at(-1)?.text ?? '')?.[1] ?? '';
}

/** What the runtime makes of a reply: the new state and the action, or every issue. */
export function judge(
  text: string,
  about: About,
): Result<{ readonly state: JsonObject; readonly action: Action }> {
  return judgeReply(stateStrategy, replyOf(text, about), inputOf(about));
}

function inputOf(about: About): StrategyInput {
  const budget = { steps: null, tokens: null, costUsd: null };
  const observation = { step: 1, now: 0, zone: 'UTC', result: null, messages: [], queued: 0, budget };
  return { ...situation(about), observation, notices: [] };
}
