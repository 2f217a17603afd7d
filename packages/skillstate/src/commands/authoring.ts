import type { Command } from 'commander';
import type { Outcome } from '../output.ts';

/** Verbs for the author of a skill. */
export function addAuthoring(program: Command, _outcome: Outcome): void {
  void program;
}
