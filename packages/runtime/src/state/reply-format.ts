import type { Dialect, ReplyMode, Skill } from '../types.ts';

/** The two keys of a transition, and the tool that carries it in tool mode. Prompt, schema and parser all use these. */
export const PATCH_KEY = 'state_patch';
export const ACTION_KEY = 'action';
export const TRANSITION_TOOL = 'propose_transition';

/** `section` explains the reply in the fixed part of the prompt; `reminder` is the one line that ends it. */
export type ReplyFormat = { readonly section: string; readonly reminder: string };

/** What a patch looks like in each dialect: for prompts and for the hints of refused replies. */
export const patchExample: Readonly<Record<Dialect, string>> = {
  merge: '{"<field>": "<new value>"}',
  operations: '[{"op": "set", "path": "/<field>", "value": "<new value>"}]',
};

/** How to say that nothing changes. */
export const emptyPatch: Readonly<Record<Dialect, string>> = { merge: '{}', operations: '[]' };

const toolExample = '{"tool": "<tool name>", "args": {"<argument>": "<value>"}}';
const commandExample = '"<the exact command>"';

/** What an action looks like: a command string where the skill takes commands, else tool and arguments. */
export function actionExample(skill: Pick<Skill, 'actions'>): string {
  return skill.actions.command === null ? toolExample : commandExample;
}

/** The words of the reply format, from the same constants as the parser's hints (R4, R5). */
export function replyFormat(skill: Pick<Skill, 'actions'>, mode: ReplyMode, dialect: Dialect): ReplyFormat {
  const keys = `exactly the keys ${PATCH_KEY} and ${ACTION_KEY}`;
  const shape = `{"${PATCH_KEY}": ${patchExample[dialect]}, "${ACTION_KEY}": ${actionExample(skill)}}`;
  const rules = [
    `${PATCH_KEY} holds only what changes; ${emptyPatch[dialect]} if nothing does.`,
    `${ACTION_KEY} is one action${commandNote(skill)}.`,
    'An invalid reply changes nothing, runs nothing and comes back with the issues.',
  ].join('\n');
  return {
    section: `${openings[mode](keys)}\n\`\`\`json\n${shape}\n\`\`\`\n${rules}`,
    reminder: reminders[mode](keys),
  };
}

function commandNote(skill: Pick<Skill, 'actions'>): string {
  if (skill.actions.command === null) return ': {"tool", "args"}';
  return ', a command string; other listed tools are called as {"tool", "args"}';
}

const openings: Readonly<Record<ReplyMode, (keys: string) => string>> = {
  text: (keys) =>
    `Reason first if it helps: reasoning is discarded. Then write one fenced JSON block, a single object with ${keys}:`,
  tool: (keys) => `Call ${TRANSITION_TOOL} exactly once, with ${keys}. Text outside the call is discarded:`,
  structured: (keys) => `Answer with one JSON object with ${keys}:`,
};

const reminders: Readonly<Record<ReplyMode, (keys: string) => string>> = {
  text: (keys) => `Reply with one \`\`\`json block with ${keys}.`,
  tool: (keys) => `Call ${TRANSITION_TOOL} once with ${keys}.`,
  structured: (keys) => `Answer with one JSON object with ${keys}.`,
};
