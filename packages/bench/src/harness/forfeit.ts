import type { ModelReply, ReplyMode, Strategy } from '@skillstate/runtime';
import { emptyUsage } from '@skillstate/runtime';

/**
 * The reply with which the harness gives a turn up when the retries are used up: `Wait`, and no change of Σ, in the form
 * that the arm reads. It is no model's, costs nothing, and is the same in every arm.
 */
export function forfeit(arm: Strategy | null, mode: ReplyMode): ModelReply {
  const transition = JSON.stringify({ state_patch: {}, action: 'Wait' });
  const structured = arm?.name === 'state' && mode !== 'text';
  const text = arm?.name === 'state' ? `\`\`\`json\n${transition}\n\`\`\`` : 'Action: Wait';
  return {
    ok: true,
    text: structured ? '' : text,
    json: structured ? transition : null,
    calls: structured && mode === 'tool' ? 1 : 0,
    finish: 'stop',
    usage: emptyUsage(),
    retries: [],
  };
}
