import type { Tool, ToolResult } from '@skillstate/runtime';
import { composeObservation, type Episode, type Verdict } from '../env/environment.ts';
import type { Recorder } from './recorder.ts';
import type { StepRecord } from './result.ts';
import { ACT } from './skill.ts';

/** An environment's only tool. It changes the world: a call is an effect, never repeated in silence. */
export type ActTool = Tool & {
  /** Steps in a row that left the open turn open. */
  idle(): number;
};

export type Groups = Record<string, { asked: number; right: number }>;

/** `act {command}`: its result is the environment's, then the next event; `over` is told when there is none. */
export function createActTool(
  episode: Episode,
  recorder: () => Recorder | null,
  groups: Groups,
  over: (run: string) => Promise<void>,
): ActTool {
  const { environment, truth } = episode;
  let idle = 0;
  return {
    name: ACT,
    description: 'Carries out one command.',
    inputSchema: {
      type: 'object',
      properties: { command: { type: 'string', maxLength: 200 } },
      required: ['command'],
      additionalProperties: false,
    },
    outputSchema: null,
    readOnly: false,
    idempotent: false,
    destructive: false,
    timeoutMs: 60_000,
    declaration: { polling: true },
    idle: () => idle,
    async run({ args, run }): Promise<ToolResult> {
      const { ok, text, advanced } = environment.act(
        typeof args['command'] === 'string' ? args['command'] : '',
      );
      idle = advanced ? 0 : idle + 1;
      if (advanced) judge(truth.last(), recorder()?.steps.at(-1), groups);
      const turn = environment.turn();
      if (turn >= environment.horizon) await over(run);
      return { status: ok ? 'ok' : 'error', text: composeObservation(text, environment.event(turn)) };
    },
  };
}

function judge(
  verdict: Verdict | null,
  step: { -readonly [K in keyof StepRecord]: StepRecord[K] } | undefined,
  groups: Groups,
): void {
  if (verdict === null) return;
  if (step !== undefined) {
    Object.assign(step, { actionable: verdict.actionable, correct: verdict.correct, probe: verdict.probe });
  }
  if (verdict.group === null) return;
  const group = (groups[verdict.group] ??= { asked: 0, right: 0 });
  group.asked += 1;
  group.right += Number(verdict.correct);
}
