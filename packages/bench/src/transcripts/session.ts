import { median } from 'simple-statistics';
import type { TurnCounters } from './turn.ts';

/** The counters of one chain of calls: a session, or a sub-agent of one. */
export type Session = {
  readonly source: TurnCounters['source'];
  /** Of the last call. */
  readonly model: string;
  readonly subagent: boolean;
  readonly turns: number;
  readonly promptTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly firstPrompt: number;
  readonly lastPrompt: number;
  readonly maxPrompt: number;
  /** Calls whose prompt was less than half of the one before: the transcript was compacted or cleared. */
  readonly drops: number;
  /** Median prompt of the first five calls: the size that a prompt of constant size would have kept. */
  readonly basePrompt: number;
};

export type SessionCounter = { add(turn: TurnCounters): void; end(): Session | null };

const BASE_TURNS = 5;

/** Counts calls in order. Several lines about one call count once, as the last of them says. */
export function createSessionCounter(): SessionCounter {
  let open: TurnCounters | null = null;
  const base: number[] = [];
  const sums = { turns: 0, promptTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 };
  const prompts = { firstPrompt: 0, lastPrompt: 0, maxPrompt: 0, drops: 0 };
  let last: TurnCounters | null = null;

  const close = (): void => {
    if (open === null) return;
    sums.turns += 1;
    sums.promptTokens += open.prompt;
    sums.cacheReadTokens += open.cacheRead;
    sums.cacheWriteTokens += open.cacheWrite;
    sums.outputTokens += open.output;
    if (base.length < BASE_TURNS) base.push(open.prompt);
    if (sums.turns === 1) prompts.firstPrompt = open.prompt;
    else if (open.prompt * 2 < prompts.lastPrompt) prompts.drops += 1;
    prompts.lastPrompt = open.prompt;
    prompts.maxPrompt = Math.max(prompts.maxPrompt, open.prompt);
    last = open;
    open = null;
  };

  return {
    add(turn) {
      if (open !== null && (turn.id === '' || turn.id !== open.id)) close();
      open = turn;
    },
    end() {
      close();
      if (last === null) return null;
      const { source, model, chain } = last;
      return { source, model, subagent: chain !== 'main', ...sums, ...prompts, basePrompt: median(base) };
    },
  };
}
