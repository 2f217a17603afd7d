import { stopMark } from '../environment.ts';
import type { UserStrategy } from './user.ts';

/** What the agent is taken to have said before the user's first message. */
export const openingLine = 'Hi! How can I help you today?';

const rules = `You play a customer who talks to a service agent. Your situation and your wishes:

INSTRUCTION

How you talk:
- One message at a time, in your own words, as a person of this character would; never recite your situation.
- Say only what the conversation needs now. Do not tell everything at once.
- Use only what is written above. What is not there you do not know or do not remember: say so, and invent nothing.
- You are the customer. Never speak as the agent, and never offer the agent's help.
- When all you wanted is done, or cannot be done and you have nothing left to ask, answer with ${stopMark} alone.`;

const reactForm = `

Answer in this form, and in no other:
Thought:
what you think about the situation and what to say next; the agent does not see it
User Response:
your message to the agent, or ${stopMark}`;

/** The simulated user's rules, with the task's instruction. */
export function rulesFor(strategy: UserStrategy, instruction: string): string {
  const text = rules.replace('INSTRUCTION', () => instruction);
  return strategy === 'react' ? `${text}${reactForm}` : text;
}

/** The message of a `react` user, without its thoughts; null where the form is not kept. */
export function readReaction(text: string): string | null {
  if (text.includes(stopMark)) return stopMark;
  const at = text.lastIndexOf('User Response:');
  const said = at < 0 ? '' : text.slice(at + 'User Response:'.length).trim();
  return said === '' ? null : said;
}

type Line = { readonly from: 'agent' | 'user'; readonly text: string };

/** Asks whether a message is one that this customer would write now. */
export function judgePrompt(instruction: string, lines: readonly Line[], message: string): string {
  return `${scene(instruction, lines, message)}

Judge the message: does it keep to the customer's situation, invent nothing, speak as the customer, and end the conversation (${stopMark}) only when nothing is left to do?
Reason in a few words, then end with one line: "Verdict: good" or "Verdict: bad".`;
}

export function readVerdict(text: string): 'good' | 'bad' {
  const verdict = [...text.matchAll(/verdict:\W*(good|bad)/gi)].at(-1)?.[1]?.toLowerCase();
  return verdict === 'bad' ? 'bad' : 'good';
}

/** Asks what was wrong with a message, and for a better one. */
export function redoPrompt(instruction: string, lines: readonly Line[], message: string): string {
  return `${scene(instruction, lines, message)}

The message was judged bad. Say what is wrong with it, then write a better one, in this form:
Reflection:
what was wrong
User Response:
the better message, or ${stopMark}`;
}

function scene(instruction: string, lines: readonly Line[], message: string): string {
  const talk = lines.map(({ from, text }) => `${from === 'agent' ? 'Agent' : 'Customer'}: ${text}`);
  return `A customer talks to a service agent. The customer's situation and wishes:

${instruction}

The conversation:
${talk.join('\n')}

The customer's next message:
${message}`;
}
