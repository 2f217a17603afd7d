/**
 * Arm D: explicit state without validation. The patch is merged as it comes, the call goes out as it comes, and a 200 is the
 * commit: nothing is read back.
 */
import type { PromptPart, ReplyFunction } from '@skillstate/runtime';
import { askModel, type BareCms, type OfferedTool, parseReply, type Sent, toolsText } from './bare.ts';
import type { Played } from './transcript.ts';

const FORM = [
  '## Contract',
  '`articles`: your plan, by source id: title, status (todo, writing, empty, done), chars, fr_id, written, translation.',
  '`verified_fr`: source id to draft id; write an article here when the CMS has answered that its draft is written.',
  'Answer with {"state_patch": …, "action": {"tool": …, "args": …}} in a ```json fence. The patch is merged into the state.',
].join('\n');

type Tree = Record<string, unknown>;

export async function playNaive(
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
  let state: Tree = { verified_fr: {}, articles: {} };
  let observation = 'result: none';
  for (let step = 1; step <= most; step++) {
    const text = `## State\n\`\`\`json\n${JSON.stringify(state)}\n\`\`\`\n\n## Observation\nstep: ${step}\n${observation}\n\n## Reply\nOne JSON object.`;
    const reply = parseReply(
      await askModel(model, [system, { role: 'user', text: `\n${text}`, cache: false }], sent),
    );
    state = merged(state, reply.state_patch ?? {});
    if (reply.action.tool === 'finish') return { sent, steps: step, end: 'finished' };
    const { ok, text: result } = await cms.call(reply.action);
    observation = `result of: ${reply.action.tool} ${JSON.stringify(reply.action.args)}\nstatus: ${ok ? 'ok' : 'error'}\n| ${result}`;
  }
  return { sent, steps: most, end: 'gave up' };
}

/** RFC 7396. */
function merged(target: unknown, patch: Readonly<Tree>): Tree {
  const result: Tree = isTree(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = isTree(value) ? merged(result[name], value) : value;
  }
  return result;
}

function isTree(value: unknown): value is Tree {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
