/**
 * What a SkillExecBench environment is (paper, section 4.1 and appendix B).
 *
 * One model call per event. In turn t the agent sees the result of its last command and the text of event t, answers
 * with one command, and turn t + 1 begins. The `Environment` is all that an agent may be given; the ground truth is a
 * separate object that holds no more than a harness needs and that no text shown to the agent is made from.
 */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonDocument;
export type JsonDocument = { readonly [key: string]: JsonValue };

/** P and the contract of Σ as data; the same instructions go to every strategy. */
export type BenchSkill = {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  /** JSON Schema 2020-12 with `x-merge`. */
  readonly state: JsonDocument;
  readonly initial: JsonDocument;
};

export type ActResult = {
  /** Whether the world accepted the command. False: a local error, and nothing changed. */
  readonly ok: boolean;
  /** One line: what happened. */
  readonly text: string;
  /** False for a command that looks something up and leaves the event open (`Recall`). */
  readonly advanced: boolean;
};

export type Environment = {
  readonly name: string;
  readonly horizon: number;
  /** The open turn, 0-based; equals `horizon` when the episode is over. */
  turn(): number;
  /** Text of the open turn's event. Throws RangeError for any other turn. */
  event(turn: number): string;
  /** Carries out one command and opens the next turn. Throws RangeError when the episode is over. */
  act(command: string): ActResult;
  /** Back to turn 0 of the same episode. */
  reset(): void;
};

/** What became of one turn. */
export type Verdict = {
  readonly turn: number;
  /** An event that asks for something other than Wait; only these are in the score's denominator. */
  readonly actionable: boolean;
  /** The command was accepted by the world and is one of those that ground truth takes as right. */
  readonly correct: boolean;
  /** A probe of the fact that drifted. */
  readonly probe: boolean;
  /** What a report groups the turn by (`delay 25`); null for ordinary turns. */
  readonly group: string | null;
};

/** Score = successful / actionable (paper, section 4.3); 1 where nothing was actionable. */
export type Score = { readonly successful: number; readonly actionable: number; readonly score: number };

/** Experiment 3. Steps count from the first probe, so 0 means that the first probe was answered right. */
export type Recovery = {
  readonly scenario: string;
  /** Turn of the alert that tells of the change; null while there was none. */
  readonly alert: number | null;
  readonly firstProbe: number | null;
  /** null: not recovered ("N/A"). */
  readonly steps: number | null;
};

/** For the harness alone. */
export type Truth = {
  /** One command that is right for the open turn. */
  answer(): string;
  /** The verdict on the turn that was closed last. */
  last(): Verdict | null;
  score(): Score;
  recovery(): Recovery | null;
};

export type Episode = {
  readonly environment: Environment;
  readonly truth: Truth;
  readonly skill: BenchSkill;
};

/** Event text once the horizon is reached. */
export const END_OF_EPISODE = 'End of episode: there are no more events.';

/** O of a turn: the last command's result, then the event. The first turn has no result. */
export function composeObservation(result: string | null, event: string): string {
  return result === null ? event : `${result}\n${event}`;
}
