import { emptyUsage, type Usage } from '@skillstate/runtime';
import { scriptedUser, stopMark, type TauUser } from '../environment.ts';
import type { TauTask } from '../task.ts';

/** How a user model makes its messages; `scripted` asks no model. */
export const USER_STRATEGIES = ['llm', 'react', 'verify', 'reflection'] as const;
export type UserStrategy = (typeof USER_STRATEGIES)[number] | 'scripted';

/** What a report says of the simulated user (P82). `seed`: of the trial; null where the provider takes none. */
export type UserFacts = {
  readonly model: string;
  readonly strategy: UserStrategy;
  readonly seed: number | null;
};

/** The user of one episode, and what its messages cost. */
export type EpisodeUser = TauUser & { spent(): Usage };

/** Opens a user for each episode, so that nothing is shared between episodes. */
export type UserSource = {
  facts(trial: number): UserFacts;
  open(task: TauTask, trial: number): EpisodeUser;
};

/** Whose fault it is that the user said nothing usable: the provider's, or the simulating model's. */
export type UserProblem = Error & { readonly who: 'provider' | 'simulator' };

export function userProblem(who: UserProblem['who'], why: string): UserProblem {
  return Object.assign(new Error(why), { who });
}

export function isUserProblem(error: unknown): error is UserProblem {
  return error instanceof Error && 'who' in error && (error.who === 'provider' || error.who === 'simulator');
}

/** A user that opens with the task's instruction, answers with fixed messages, and then ends the conversation. */
export function scriptedUsers(answers: (task: TauTask) => readonly string[] = () => []): UserSource {
  return {
    facts: () => ({ model: 'scripted', strategy: 'scripted', seed: null }),
    open: (task) => ({
      ...scriptedUser([task.instruction, ...answers(task), stopMark]),
      spent: emptyUsage,
    }),
  };
}
