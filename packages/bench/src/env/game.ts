import type { BenchSkill } from './environment.ts';

/** One event of a game. The text is all that the agent learns of it. */
export type Turn = {
  readonly text: string;
  readonly actionable: boolean;
  /** This event tells of the drift. */
  readonly alert?: boolean;
  /** This event can only be answered with the fact that drifted. */
  readonly probe?: boolean;
  readonly group?: string;
};

export type Applied = { readonly ok: boolean; readonly text: string; readonly advanced?: boolean };

/**
 * The rules of one environment: a world that commands change, and a plan, which is the world as it would be if every
 * event had been answered right. Events are drawn from the plan and from the turn's own random stream, so every agent
 * meets the same events whatever it does; only names that are the agent's own choice (its shelves) can differ.
 */
export type Game<T extends Turn = Turn> = {
  readonly name: string;
  readonly skill: BenchSkill;
  reset(): void;
  /** Called once a turn, in order. Out-of-band changes of the world happen here. */
  draw(turn: number): T;
  /** Changes the world or returns an error; `ok: false` has changed nothing. */
  apply(turn: number, command: string): Applied;
  /** Whether an accepted command is right for the event. Called before `apply`. */
  accepts(event: T, command: string): boolean;
  /** One right command. */
  answer(event: T): string;
  /** Closes the turn in the plan. */
  settle(event: T, correct: boolean): void;
  /** Name of the drift scenario, if the episode has one. */
  readonly scenario: string | null;
};
