/** Arms A and B: a loop that shows the model its whole transcript, runs what it asks for, and stops when it says so. */
import type { PromptPart, ReplyFunction } from '@skillstate/runtime';
import { askModel, type BareCms, type OfferedTool, parseReply, type Sent, toolsText } from './bare.ts';

const FORM =
  'Answer with a line of reasoning and one JSON object {"action": {"tool": …, "args": …}} in a ```json fence.';

export type Played = { readonly sent: Sent; readonly steps: number; readonly end: string };

export async function playTranscript(
  cms: BareCms,
  tools: readonly OfferedTool[],
  model: ReplyFunction,
  instructions: string,
  most: number,
): Promise<Played> {
  const sent: Sent = [];
  const system: PromptPart = {
    role: 'system',
    text: `${instructions}\n\n${toolsText(tools)}\n\n${FORM}`,
    cache: true,
  };
  const turns: PromptPart[] = [];
  for (let step = 1; step <= most; step++) {
    const ask: PromptPart = { role: 'user', text: `This is step ${step}. What next?`, cache: false };
    const reply = await askModel(model, [system, ...breakBehindLast(turns), ask], sent);
    const { action } = parseReply(reply);
    if (action.tool === 'finish') return { sent, steps: step, end: 'finished' };
    const { ok, text } = await cms.call(action);
    turns.push({
      role: 'user',
      text: `## Turn ${step}\n${reply}\nObservation (${ok ? 'ok' : 'error'}): ${text}`,
      cache: false,
    });
  }
  return { sent, steps: most, end: 'gave up' };
}

function breakBehindLast(turns: readonly PromptPart[]): readonly PromptPart[] {
  const last = turns.at(-1);
  return last === undefined ? [] : [...turns.slice(0, -1), { ...last, cache: true }];
}
