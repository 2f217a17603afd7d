import { emptyUsage, type JsonObject, type ModelReply, promptText } from '@skillstate/runtime';
import type { BenchModel, EpisodeModel } from '../../harness/model.ts';
import type { StrategyName } from '../../harness/result.ts';
import { findTool, respondAction, type TauAction } from '../call.ts';
import type { TauDomain } from '../load.ts';
import { toPlain } from '../python/value.ts';
import type { TauTask } from '../task.ts';
import { type DomainName, transferTool } from '../tool.ts';

/** Agents that read nothing but their prompt, and in it only how far they are. */
export const SCRIPTED_AGENTS = ['gold', 'nothing', 'wrong', 'claimant'] as const;
/**
 * `gold`: makes the task's ground-truth calls, tells the outputs, hands off where required. `nothing`: says that it cannot
 * help. `wrong`: does the next task's work. `claimant`: says and notes that all is done, and does nothing.
 */
export type ScriptedAgent = (typeof SCRIPTED_AGENTS)[number];

type Move = { readonly tool: string; readonly args: JsonObject };
/** What an agent does in order, and the calls it claims from the start. */
type Script = { readonly moves: readonly Move[]; readonly claims: readonly Move[] };

/** The script of an agent for one task. */
export function scriptOf(
  agent: ScriptedAgent,
  domain: TauDomain,
  task: TauTask,
  tasks: readonly TauTask[],
): Script {
  const work = workOf(task);
  switch (agent) {
    case 'gold':
      return { moves: work, claims: [] };
    case 'wrong':
      return { moves: workOf(tasks[(tasks.indexOf(task) + 1) % tasks.length] ?? task), claims: [] };
    case 'nothing':
      return { moves: [say('I am sorry, I cannot help you with that.')], claims: [] };
    case 'claimant': {
      const writes = work.filter(({ tool }) => isWrite(domain.name, tool));
      return { moves: [say(toldText(task))], claims: writes.length > 0 ? writes : [anyClaim(domain.name)] };
    }
  }
}

function workOf(task: TauTask): readonly Move[] {
  const handsOff = task.actions.some(({ name }) => name === transferTool);
  const calls = task.actions
    .filter(({ name }) => name !== transferTool && name !== respondAction)
    .map(moveOf);
  const transfer: Move = { tool: transferTool, args: { summary: 'The request needs a person.' } };
  return [...calls, say(toldText(task)), ...(handsOff ? [transfer] : [])];
}

function toldText({ outputs }: TauTask): string {
  return outputs.length === 0 ? 'All is done.' : `All is done. You asked for: ${outputs.join(' ; ')} .`;
}

const say = (content: string): Move => ({ tool: respondAction, args: { content } });

function moveOf({ name, kwargs }: TauAction): Move {
  return { tool: name, args: toPlain(kwargs) as JsonObject };
}

function isWrite(domain: DomainName, tool: string): boolean {
  return findTool(domain, tool)?.effect === 'write';
}

function anyClaim(domain: DomainName): Move {
  if (domain === 'airline') return { tool: 'cancel_reservation', args: { reservation_id: 'NOTHIN' } };
  return { tool: 'cancel_pending_order', args: { order_id: '#W0', reason: 'no longer needed' } };
}

/** A scripted agent as a bench's model, for one task and arm. */
export function scriptedAgent(
  agent: ScriptedAgent,
  domain: TauDomain,
  task: TauTask,
  strategy: StrategyName,
): BenchModel {
  const tasks = [...domain.tasks.values()].find((split) => split.includes(task)) ?? [task];
  const script = scriptOf(agent, domain, task, tasks);
  const writes = (tool: string): boolean => isWrite(domain.name, tool);
  const ask: EpisodeModel['ask'] = ({ prompt }, { kind }) => {
    const text = promptText(prompt);
    if (kind === 'compress') return Promise.resolve(answered(mark(positionIn(text), script)));
    return Promise.resolve(answered(replyTo(text, script, strategy, writes)));
  };
  return {
    facts: { name: `scripted:${agent}`, mode: 'text', reasoning: 'none', faults: null },
    mode: 'text',
    dialect: 'merge',
    open: () => Promise.resolve({ ask, close: () => Promise.resolve() }),
  };
}

/** How many actions were taken: Σ's `calls`, or the last mark that a transcript or summary shows. */
export function positionIn(prompt: string): number {
  const shown = [...prompt.matchAll(/"calls": ?(\d+)|\[action (\d+) of \d+\]/g)];
  return shown.reduce((most, [, inState, inText]) => Math.max(most, Number(inState ?? inText)), 0);
}

function mark(position: number, { moves }: Script): string {
  return `[action ${position} of ${moves.length}]`;
}

function replyTo(
  prompt: string,
  script: Script,
  strategy: StrategyName,
  writes: (tool: string) => boolean,
): string {
  const position = positionIn(prompt);
  const move = script.moves[position] ?? say('Can I do anything else for you?');
  const thought = mark(position + 1, script);
  if (strategy === 'state' || strategy === 'state-paper') {
    const made = script.moves[position - 1];
    const added = [
      ...(position === 0 ? script.claims : []),
      ...(made !== undefined && writes(made.tool) && !lastFailed(prompt) ? [made] : []),
    ];
    const patch = { calls: position + 1, ...(added.length === 0 ? {} : { claims: { $append: added } }) };
    return `${thought}\n\n\`\`\`json\n${JSON.stringify({ state_patch: patch, action: move })}\n\`\`\``;
  }
  const line = `Action: ${move.tool} ${JSON.stringify(move.args)}`;
  if (!strategy.startsWith('stateful')) return `${thought}\n${line}`;
  const claims = [...script.claims, ...script.moves.slice(0, position).filter(({ tool }) => writes(tool))];
  return `${thought}\nStateUpdate: ${JSON.stringify({ calls: position + 1, claims })}\n${line}`;
}

/** Whether the latest observation is a tool's failure. */
function lastFailed(prompt: string): boolean {
  const at = Math.max(prompt.lastIndexOf('## Observation'), prompt.lastIndexOf('Latest Observation:'));
  return /^(?:\| )?(?:Error: |Unknown action )/m.test(prompt.slice(at));
}

function answered(text: string): ModelReply {
  return { ok: true, text, json: null, calls: 0, finish: 'stop', usage: emptyUsage(), retries: [] };
}

/** The scripted user that fits: it goes on where a hand-off is still to come, and ends the conversation otherwise. */
export function scriptedAnswers(task: TauTask): readonly string[] {
  return task.actions.some(({ name }) => name === transferTool) ? ['What now?'] : [];
}
