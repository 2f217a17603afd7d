import type { JsonDocument } from '../env/environment.ts';
import { type Fault, spoilSyntax, spoilUpdate } from './faults.ts';
import { mergePatch, shallowUpdate } from './patch.ts';
import type { Reading } from './reading.ts';

export type Decision = {
  readonly command: string;
  readonly before: JsonDocument;
  /** The state if the command succeeds. */
  readonly after: JsonDocument;
};

/** Writes a decision in the form that the prompt asks for, spoiled where a fault is due. */
export function writeReply(
  reading: Reading,
  decision: Decision,
  thought: string,
  fault: Fault | null,
  call: number,
): string {
  const line = { ...decision, command: decision.command === 'finish' ? 'Wait' : decision.command };
  const body = {
    action: actionLine,
    'state-update': stateUpdate,
    patch: fencedTransition,
  }[reading.form](reading, reading.form === 'patch' ? decision : line, fault, call);
  return thought === '' || reading.bare ? body : `${thought}\n\n${body}`;
}

function actionLine(_reading: Reading, { command }: Decision, fault: Fault | null): string {
  if (fault === 'syntax') return `Action ${command}`;
  if (fault === 'types') return `Action: ${JSON.stringify(command.split(' '))}`;
  return `Action: ${command}`;
}

function stateUpdate(reading: Reading, decision: Decision, fault: Fault | null, call: number): string {
  const { before, after, command } = decision;
  const update = spoilUpdate(fault, call, shallowUpdate(before, after), mergePatch(before, after), before);
  if (Object.keys(update).length === 0) return actionLine(reading, decision, fault);
  const json = JSON.stringify(update);
  return `StateUpdate: ${fault === 'syntax' ? spoilSyntax(json, call) : json}\nAction: ${command}`;
}

function fencedTransition(reading: Reading, decision: Decision, fault: Fault | null, call: number): string {
  const patch = mergePatch(decision.before, decision.after);
  const transition = {
    state_patch: spoilUpdate(fault, call, patch, patch, decision.before),
    action: actionValue(reading, decision.command),
  };
  const json = JSON.stringify(transition);
  const written = fault === 'syntax' ? spoilSyntax(json, call) : json;
  return reading.bare ? written : `\`\`\`json\n${written}\n\`\`\``;
}

/** A command string, or `{tool, args}` where the prompt shows the action as an object; `finish` is always a call. */
function actionValue(reading: Reading, command: string): string | { tool: string; args: JsonDocument } {
  const { tools } = reading;
  if (command === 'finish') return tools.finish ? { tool: 'finish', args: {} } : 'Wait';
  return tools.objects ? { tool: 'act', args: { command } } : command;
}
