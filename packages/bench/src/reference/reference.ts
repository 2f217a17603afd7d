import { type FaultRates, faultAt } from './faults.ts';
import type { Mind } from './mind.ts';
import { readPrompt } from './reading.ts';
import { type ReasoningLength, reasoning } from './reasoning.ts';
import { writeReply } from './reply.ts';
import { readSummaryPrompt, type ReadSummaryRequest, writeSummary } from './summary.ts';
import { repositoryMind } from './repository-mind.ts';
import { warehouseMind } from './warehouse-mind.ts';

export type ReferenceOptions = {
  /** Seeds reasoning lengths and faults. Default 1. */
  readonly seed?: number;
  /** `'none'` (default), `'paper'` for 400 to 700 characters, or lengths of your own. */
  readonly reasoning?: 'none' | 'paper' | ReasoningLength;
  readonly faults?: FaultRates;
};

export type Reference = {
  /**
   * The reply to a prompt; a pure function of options, prompt and call index. The index schedules reasoning length and
   * faults and is the caller's count of model calls from 0.
   */
  reply(prompt: string, call: number): string;
};

/**
 * A deterministic reader of prompts, in place of a model. It knows the rules of the environments and nothing of an
 * episode but what the prompt says. Grammar, summary template and drop rule: docs/bench-reference.md.
 */
export function createReference(options: ReferenceOptions = {}): Reference {
  const seed = options.seed ?? 1;
  const length = reasoningLength(options.reasoning ?? 'none');
  return {
    reply(prompt, call) {
      const fault = faultAt(options.faults, seed, call);
      const request = readSummaryPrompt(prompt);
      const mind = mindFor(prompt);
      if (request) return summarise(mind, request, fault === 'overwrite');
      return answer(mind, prompt, reasoning(length, seed, call), fault, call);
    },
  };
}

function reasoningLength(asked: 'none' | 'paper' | ReasoningLength): ReasoningLength {
  if (asked === 'none') return { least: 0, most: 0 };
  return asked === 'paper' ? { least: 400, most: 700 } : asked;
}

function mindFor(prompt: string): Mind<unknown> {
  return (/pull request|feature_\d/i.test(prompt) ? repositoryMind : warehouseMind) as Mind<unknown>;
}

function answer(
  mind: Mind<unknown>,
  prompt: string,
  thought: string,
  fault: ReturnType<typeof faultAt>,
  call: number,
): string {
  const reading = readPrompt(prompt);
  const before = reading.state ?? {};
  const facts = mind.nothing();
  mind.learn(facts, reading.past, true);
  if (reading.state) mind.absorb(facts, reading.state);
  mind.learn(facts, reading.observation, false);
  const right = /End of episode/.test(reading.observation)
    ? 'finish'
    : mind.decide(facts, reading.observation, reading.instructions);
  const command = fault === 'action' ? mind.blunder(right) : right;
  mind.assume(facts, command);
  return writeReply(reading, { command, before, after: mind.toState(facts, before) }, thought, fault, call);
}

/** An overwrite fault forgets what the summary knew before. */
function summarise(mind: Mind<unknown>, request: ReadSummaryRequest, forget: boolean): string {
  const facts = mind.nothing();
  if (!forget) mind.learn(facts, request.previous, true);
  mind.learn(facts, request.turns, true);
  return writeSummary(mind.summary(facts), request.cap);
}
