import {
  emptyUsage,
  type Model,
  type Prompt,
  type PromptPart,
  sumUsage,
  type Usage,
} from '@skillstate/runtime';
import { stopMark } from '../environment.ts';
import { type EpisodeUser, userProblem, type UserSource, type UserStrategy } from './user.ts';
import { judgePrompt, openingLine, readReaction, readVerdict, redoPrompt, rulesFor } from './user-prompts.ts';

/** Messages that a verifying user writes before it takes the last one as it is, and empty answers that are asked for again. */
const MOST_TRIES = 3;

/**
 * A user played by a model, which sees the task's instruction and the conversation, never the tools. Strategies of the
 * original: `llm` writes messages; `react` thinks first, and only what follows is said; `verify` lets the model judge
 * each message and writes again where it fails; `reflection` also says why before it writes again. The wording is ours,
 * so scores are not those of the original's user.
 */
export function modelUsers(model: Model, strategy: Exclude<UserStrategy, 'scripted'>): UserSource {
  return {
    facts: () => ({ model: model.name, strategy, seed: null }),
    open: () => openUser(model, strategy),
  };
}

type Line = { readonly from: 'agent' | 'user'; readonly text: string };

function openUser(model: Model, strategy: Exclude<UserStrategy, 'scripted'>): EpisodeUser {
  let instruction = '';
  let lines: Line[] = [];
  const calls: Usage[] = [];

  const ask = async (prompt: Prompt): Promise<string> => {
    for (let left = MOST_TRIES; left > 0; left--) {
      const request = {
        prompt,
        schema: null,
        cacheKey: `user ${strategy}`,
        signal: new AbortController().signal,
      };
      const reply = await model.ask(request);
      calls.push(reply.usage);
      if (!reply.ok)
        throw userProblem('provider', `the user's model: ${reply.issue.code}: ${reply.issue.hint}`);
      const text = reply.text.trim();
      if (text !== '') return text;
    }
    throw userProblem('provider', `the user's model answered ${MOST_TRIES} times with nothing`);
  };
  const write = async (): Promise<string> => {
    const said = await ask([part('system', rulesFor(strategy, instruction)), ...lines.map(asMessage)]);
    return strategy === 'react' ? reaction(said) : said;
  };
  const checked = async (): Promise<string> => {
    let message = await write();
    for (let left = MOST_TRIES - 1; left > 0; left--) {
      const verdict = readVerdict(await ask([part('user', judgePrompt(instruction, lines, message))]));
      if (verdict === 'good') return message;
      message =
        strategy === 'verify'
          ? await write()
          : reaction(await ask([part('user', redoPrompt(instruction, lines, message))]));
    }
    return message;
  };
  const hear = async (text: string): Promise<string> => {
    lines.push({ from: 'agent', text });
    const said = strategy === 'verify' || strategy === 'reflection' ? await checked() : await write();
    const message = said.includes(stopMark) ? stopMark : said;
    lines.push({ from: 'user', text: message });
    return message;
  };
  return {
    reset(wanted) {
      instruction = wanted;
      lines = [];
      return hear(openingLine);
    },
    reply: hear,
    spent: () => (calls.length === 0 ? emptyUsage() : sumUsage(...calls)),
  };
}

function reaction(text: string): string {
  const said = readReaction(text);
  if (said === null)
    throw userProblem(
      'simulator',
      `no "User Response:" in what the user's model wrote: ${text.slice(0, 200)}`,
    );
  return said;
}

/** For the user's model the agent is the other side, and what it said itself is its own. */
function asMessage({ from, text }: Line): PromptPart {
  return part(from === 'agent' ? 'user' : 'assistant', text);
}

function part(role: PromptPart['role'], text: string): PromptPart {
  return { role, text, cache: false };
}
