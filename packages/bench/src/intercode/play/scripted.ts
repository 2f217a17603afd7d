import { emptyUsage, type ModelReply, promptText } from '@skillstate/runtime';
import type { BenchModel, EpisodeModel } from '../../harness/model.ts';
import type { StrategyName } from '../../harness/result.ts';

/**
 * `solution`: runs a solution script and submits what it printed, read from the prompt; it never sees the flags. `nothing`:
 * gives up. `wrong`: submits a wrong flag. `claimant`: notes a flag in Σ as found and submits none.
 */
export const CTF_AGENTS = ['solution', 'nothing', 'wrong', 'claimant'] as const;
export type CtfAgent = (typeof CTF_AGENTS)[number];

/** A scripted agent as a bench's model, for one arm. `script`: the text of a solution script; null: it has none and gives up. */
export function scriptedCtfAgent(agent: CtfAgent, script: string | null, strategy: StrategyName): BenchModel {
  const ask: EpisodeModel['ask'] = ({ prompt }, { kind }) => {
    const text = promptText(prompt);
    const stage = stageIn(text);
    if (kind === 'compress') return Promise.resolve(answered(mark(stage)));
    return Promise.resolve(answered(written(strategy, stage, commandOf(agent, script, text, stage), agent)));
  };
  return {
    facts: { name: `scripted:${agent}`, mode: 'text', reasoning: 'none', faults: null },
    mode: 'text',
    dialect: 'merge',
    open: () => Promise.resolve({ ask, close: () => Promise.resolve() }),
  };
}

/** How many commands were given: by Σ, or by the marks that a transcript or summary shows. */
function stageIn(prompt: string): number {
  const marks = [...prompt.matchAll(/\[command (\d+)\]/g)];
  return marks.reduce((most, [, number]) => Math.max(most, Number(number)), 0);
}

const mark = (stage: number): string => `[command ${stage}]`;

function commandOf(agent: CtfAgent, script: string | null, prompt: string, stage: number): string {
  if (agent === 'nothing' || (agent === 'solution' && script === null) || stage > 1) return 'skip';
  if (agent === 'wrong') return stage === 0 ? 'submit picoCTF{wrong}' : 'skip';
  if (agent === 'claimant') return stage === 0 ? 'echo picoCTF{claimed}' : 'skip';
  if (stage === 0) return `echo ${Buffer.from(script ?? '').toString('base64')} | base64 -d | bash`;
  return `submit ${latestOutput(prompt)}`;
}

/** The first line of output that the latest observation shows, without quoting marks. */
export function latestOutput(prompt: string): string {
  const at = Math.max(prompt.lastIndexOf('## Observation'), prompt.lastIndexOf('Latest Observation:'));
  const lines = prompt.slice(at).split('\n');
  const quoted = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2));
  const bare = lines.slice(1);
  const output = (quoted.length > 0 ? quoted : bare).find((line) => line.trim() !== '');
  return (output ?? '').replace(/^Output: /, '').trim();
}

function written(strategy: StrategyName, stage: number, command: string, agent: CtfAgent): string {
  const thought = mark(stage + 1);
  const claimed = agent === 'claimant' ? { discovered_flags: ['picoCTF{claimed}'] } : {};
  if (strategy === 'state' || strategy === 'state-paper') {
    const patch = { cmd_summary: [`${thought} ${command.slice(0, 20)}`], ...claimed };
    return `Next.\n\n\`\`\`json\n${JSON.stringify({ state_patch: patch, action: command })}\n\`\`\``;
  }
  const line = `${thought}\nAction: ${command}`;
  if (!strategy.startsWith('stateful')) return line;
  return `StateUpdate: ${JSON.stringify({ cmd_summary: [thought], ...claimed })}\n${line}`;
}

function answered(text: string): ModelReply {
  return { ok: true, text, json: null, calls: 0, finish: 'stop', usage: emptyUsage(), retries: [] };
}
