import { nearest } from '../json/nearest.ts';
import { formatPointer } from '../json/pointer.ts';
import { ACTION_KEY, actionExample } from '../state/reply-format.ts';
import type { Action, Issue, Json, JsonObject, ToolSpec } from '../types.ts';
import { decode, isObject, kind, type Notes, type ReplyContext } from './notes.ts';

/**
 * Reads the action: a command string where the skill takes commands, `{tool, args}` otherwise (and for the other listed
 * tools). Accepted with a remark, because nothing is lost or guessed: `args` left out or null, `args` or the whole action
 * as JSON in a string, and the bare name of a listed tool that needs no arguments.
 */
export function readAction(value: Json, context: ReplyContext, notes: Notes): Action | null {
  const { command } = context.skill.actions;
  if (typeof value === 'string') {
    if (command !== null) return readCommand(value, command, notes);
    const decoded = decode(value, notes, ACTION_KEY);
    return isObject(decoded) ? readCall(decoded, context, notes) : readName(value, context, notes);
  }
  if (isObject(value)) return readCall(value, context, notes);
  const one = Array.isArray(value)
    ? 'write one action, not a list: one action per reply'
    : `got ${kind(value)}`;
  return refuse(notes, [], `${wanted(context)}; ${one}${value === null ? '; to do nothing, use wait' : ''}`);
}

function wanted(context: ReplyContext): string {
  return `write the action as ${actionExample(context.skill)}`;
}

function refuse(
  notes: Notes,
  segments: readonly string[],
  hint: string,
  code: Issue['code'] = 'syntax.action_form',
): null {
  notes.issues.push({ code, path: formatPointer([ACTION_KEY, ...segments]), hint });
  return null;
}

function readCommand(text: string, tool: string, notes: Notes): Action | null {
  if (text.trim() !== '') return { tool, args: { command: text } };
  return refuse(notes, [], 'the command is empty; write the exact command');
}

function readName(name: string, context: ReplyContext, notes: Notes): Action | null {
  const tool = context.tools.find((spec) => spec.name === name.trim());
  if (tool !== undefined && !needsArguments(tool)) {
    notes.remarks.push(`action ${tool.name} given as a bare name`);
    return { tool: tool.name, args: {} };
  }
  const meant = tool?.name ?? firstWordTool(name, context.tools);
  const form = meant === null ? actionExample(context.skill) : callForm(meant, context.tools);
  return refuse(notes, [], `write the action as an object, ${form}; got a string`);
}

function firstWordTool(text: string, tools: readonly ToolSpec[]): string | null {
  const word = /^[\w.-]+/.exec(text.trim())?.[0] ?? '';
  const names = tools.map((spec) => spec.name);
  return word === ''
    ? null
    : (names.find((name) => name.toLowerCase() === word.toLowerCase()) ?? nearest(word, names));
}

function callForm(name: string, tools: readonly ToolSpec[]): string {
  const required = requiredOf(tools.find((spec) => spec.name === name));
  const args = required.map((key) => `${JSON.stringify(key)}: …`).join(', ');
  return `{"tool": ${JSON.stringify(name)}, "args": {${args}}}`;
}

function needsArguments(tool: ToolSpec): boolean {
  return requiredOf(tool).length > 0;
}

function requiredOf(tool: ToolSpec | undefined): readonly Json[] {
  const required = tool?.inputSchema['required'];
  return Array.isArray(required) ? required : [];
}

function readCall(call: JsonObject, context: ReplyContext, notes: Notes): Action | null {
  const before = notes.issues.length;
  const { tool, args, ...others } = call;
  if (typeof tool !== 'string') refuseTool(call, context, notes);
  const rest = Object.keys(others).filter(
    (key) => typeof tool === 'string' || !isToolKey(key, call, context),
  );
  for (const key of rest) refuse(notes, [key], extraHint(key, call), 'syntax.extra_key');
  const read = readArgs(args, typeof tool === 'string' ? tool : '', context, notes);
  return typeof tool === 'string' && read !== null && notes.issues.length === before
    ? { tool, args: read }
    : null;
}

const TOOL_WORDS: ReadonlySet<string> = new Set([
  'name',
  'type',
  'action',
  'tool_name',
  'function',
  'command',
]);
const ARGS_WORDS: ReadonlySet<string> = new Set([
  'arguments',
  'parameters',
  'params',
  'input',
  'argument',
  'arg',
]);

/** The key under which a call without `tool` names its tool. */
function isToolKey(key: string, call: JsonObject, context: ReplyContext): boolean {
  return (
    (TOOL_WORDS.has(key) && typeof call[key] === 'string') || context.tools.some((spec) => spec.name === key)
  );
}

function refuseTool(call: JsonObject, context: ReplyContext, notes: Notes): void {
  const key = Object.keys(call).find((name) => isToolKey(name, call, context));
  if (key === undefined) {
    refuse(notes, ['tool'], `add tool, the name of the tool; ${wanted(context)}`, 'syntax.missing_key');
  } else if (TOOL_WORDS.has(key)) {
    refuse(notes, [key], `rename ${key} to tool; ${wanted(context)}`, 'syntax.extra_key');
  } else {
    refuse(
      notes,
      [key],
      `write {"tool": ${JSON.stringify(key)}, "args": …}; the tool's name is a value, not a key`,
    );
  }
}

function extraHint(key: string, call: JsonObject): string {
  if (ARGS_WORDS.has(key) && !('args' in call)) return `rename ${key} to args`;
  return `move ${key} into /${ACTION_KEY}/args or remove it: an action has only tool and args`;
}

function readArgs(
  args: Json | undefined,
  tool: string,
  context: ReplyContext,
  notes: Notes,
): JsonObject | null {
  if (args === undefined || args === null) {
    notes.remarks.push('action without args read as args {}');
    return {};
  }
  const decoded = typeof args === 'string' ? decode(args, notes, 'action args') : args;
  if (isObject(decoded)) return decoded;
  const form = tool === '' ? actionExample(context.skill) : callForm(tool, context.tools);
  return refuse(notes, ['args'], `args is an object: write ${form}; got ${kind(decoded)}`);
}
