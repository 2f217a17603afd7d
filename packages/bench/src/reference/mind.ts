import type { JsonDocument, JsonValue } from '../env/environment.ts';

/**
 * What the reader knows of one environment. Facts are rebuilt for every prompt from that prompt alone: summary and
 * transcript, oldest first, then the state block, then the latest observation.
 */
export type Mind<Facts> = {
  nothing(): Facts;
  /** Takes over a state block: what it holds counts more than what was learned from a transcript. */
  absorb(facts: Facts, state: JsonDocument): void;
  /**
   * Learns from text in the order in which it stands. With `commands`, a command counts as done until an error takes
   * it back: a transcript may have lost its results. Without, only results and notices count.
   */
  learn(facts: Facts, text: string, commands: boolean): void;
  /** The command for the observation's event. The instructions tell which commands there are. */
  decide(facts: Facts, observation: string, instructions: string): string;
  /** What will hold if the command succeeds. */
  assume(facts: Facts, command: string): void;
  /** Facts as a state document; `like` is the state block and tells which optional fields there are. */
  toState(facts: Facts, like: JsonDocument): JsonDocument;
  /** Summary entries, the least recently changed first; the first to be dropped under a cap. */
  summary(facts: Facts): readonly string[];
  /** A command that is well formed and wrong. */
  blunder(command: string): string;
};

/** Members of an object; none of anything else. */
export function entries(value: JsonValue | undefined): [string, JsonValue][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
