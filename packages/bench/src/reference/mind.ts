import type { JsonDocument } from '../env/environment.ts';

/**
 * What the reader knows of one environment. `facts` is rebuilt for every prompt from that prompt alone: first the
 * state block or the summary, then the text, oldest first.
 */
export type Mind<Facts> = {
  /** Facts of a state block; of nothing where it is null. */
  fromState(state: JsonDocument | null): Facts;
  /**
   * Learns from text in the order in which it stands. With `commands`, a command counts as done until an error takes
   * it back: a transcript may have lost its results. Without, only results and notices count.
   */
  learn(facts: Facts, text: string, commands: boolean): void;
  /** The command for the observation's event. */
  decide(facts: Facts, observation: string): string;
  /** What will hold if the command succeeds. */
  assume(facts: Facts, command: string): void;
  /** Facts as a state document; `like` is the state block and tells which optional fields there are. */
  toState(facts: Facts, like: JsonDocument): JsonDocument;
  /** Summary entries, the least recently changed first; the first to be dropped under a cap. */
  summary(facts: Facts): readonly string[];
  /** A command that is well formed and wrong. */
  blunder(command: string): string;
};
