import type { Json, ModelReply, Prompt, Strategy, StrategyInput, Turn } from '@skillstate/runtime';
import { buildSummaryPrompt } from '../reference/summary.ts';
import { type Budget, cutTo, newestThatFit, roomBeside } from './budget.ts';
import { parseAction } from './parse.ts';
import { ASK, instructionsPart, latestPart, observationText, part } from './text.ts';
import { createTranscript, turnText } from './transcript.ts';

/** The paper's rolling window. */
export const RECENT_TURNS = 3;
/** No interval is printed; up to 4, every turn is in the window or in the summary. */
export const DEFAULT_INTERVAL = 3;

/** The strategy's own memory, kept by the runtime: the summary, and how many turns it covers. */
type Memo = { readonly summary: string; readonly covered: number };
type Ask = (prompt: Prompt) => Promise<ModelReply>;

/**
 * A.2: a summary that the same model rewrites every `interval` turns, and the three newest turns. Every rewrite is a
 * call of its own, billed to the step. A summary that cannot be had keeps the old one and is asked for at the next step.
 */
export function createMemory(interval: number = DEFAULT_INTERVAL): Strategy {
  const transcript = createTranscript('Response');
  return {
    name: 'memory',
    history: true,
    observe: observationText,
    async render(input, turns, memo, ask) {
      const known = await brought(input, turns, readMemo(memo), interval, ask, null);
      const recent = transcript(turns).slice(-RECENT_TURNS);
      return { prompt: [...head(input, known, interval), ...recent, latestPart(input, ASK)], memo: known };
    },
    parse: parseAction,
  };
}

/**
 * A.2 under a hard ceiling: the summary gets at most half of the room beside instructions and request, the newest turns
 * (three at most) what is left.
 */
export function createSummaryCapped(budget: Budget, interval = 1): Strategy {
  const transcript = createTranscript('Response');
  return {
    name: 'summary-capped',
    history: true,
    observe: observationText,
    async render(input, turns, memo, ask) {
      const cap = Math.floor(roomBeside(budget, [...head(input, NOTHING, interval), part('user', ASK)]) / 2);
      const known = await brought(input, turns, readMemo(memo), interval, ask, { ...budget, size: cap });
      const fixed = head(input, known, interval);
      const last = latestPart(input, ASK);
      const room = roomBeside(budget, [...fixed, last]);
      const recent = newestThatFit(transcript(turns), room, budget.measure, RECENT_TURNS);
      return { prompt: [...fixed, ...recent, last], memo: known };
    },
    parse: parseAction,
  };
}

const NOTHING: Memo = { summary: '', covered: 0 };

function readMemo(memo: Json): Memo {
  return memo === null ? NOTHING : (memo as Memo);
}

/** Between two rewrites the summary stays, so a cache can break behind it; rewritten at every turn, it cannot. */
function head(input: StrategyInput, { summary }: Memo, interval: number): Prompt {
  const text = `Summarized History:\n${summary === '' ? '(none)' : summary}\n\nRecent History:`;
  return [instructionsPart(input), part('user', text, interval > 1)];
}

/** The memory, brought up to date where `interval` turns are not yet in it. No room: nothing is asked for. */
async function brought(
  input: StrategyInput,
  turns: readonly Turn[],
  memo: Memo,
  interval: number,
  ask: Ask,
  ceiling: Budget | null,
): Promise<Memo> {
  if (turns.length - memo.covered < interval || ceiling?.size === 0) return memo;
  const fresh = turns.slice(memo.covered).map((turn) => turnText(turn, 'Response'));
  const request = {
    instructions: input.skill.instructions,
    previous: memo.summary,
    turns: fresh.join('\n\n'),
    cap: ceiling === null ? null : capInChars(ceiling),
  };
  const reply = await ask([part('user', buildSummaryPrompt(request))]);
  if (!reply.ok) return memo;
  const summary = ceiling === null ? reply.text : cutTo(reply.text, ceiling.size, ceiling.measure);
  return { summary, covered: turns.length };
}

/** Models are asked in characters; a token is about three of them in these texts, and the ceiling is enforced anyway. */
function capInChars({ size, unit }: Budget): number {
  return unit === 'chars' ? size : size * 3;
}
