import { callTool, contentOf, respondAction, type TauAction } from './call.ts';
import { type Database, openDatabase } from './database.ts';
import type { TauDomain } from './load.ts';
import { type OfficialReward, officialReward } from './reward.ts';
import type { TauTask } from './task.ts';
import { transferTool } from './tool.ts';

/** The original's tool-calling agent gives up after this many steps, with reward 0. */
export const originalStepLimit = 30;
/** The user ends the conversation by having this anywhere in a message. */
export const stopMark = '###STOP###';

/** The other side of the conversation: a model, a script or a person. */
export interface TauUser {
  /** Starts over with the task's instruction and gives the first message to the agent. */
  reset(instruction: string): string | Promise<string>;
  /** Answers a message of the agent. */
  reply(content: string): string | Promise<string>;
}

/** One action of the agent and what came back; `observation` is null where the original's step raises. */
export interface TraceEntry {
  readonly action: TauAction;
  readonly observation: string | null;
}

/** What a step gives. `raises` names the exception where the original's whole step would raise. */
export interface TauStep {
  readonly observation: string | null;
  readonly raises?: string;
  /** `user`, or the name of the tool. */
  readonly source: string;
  readonly done: boolean;
  /** Only when done. */
  readonly score?: OfficialReward;
}

export interface TauEnvironment {
  readonly task: TauTask;
  /** The episode's database. It keeps the agent's state after scoring, unlike the original's. */
  database(): Database;
  trace(): readonly TraceEntry[];
  /** Starts the episode over on an untouched database; gives the user's first message. */
  reset(): Promise<string>;
  /** Throws if the episode is over or was not reset, and Python's error for a `respond` without text. */
  step(action: TauAction): Promise<TauStep>;
  /** The official score of the episode as it stands, over or not. */
  score(): OfficialReward;
}

/** The environment of one task: tools on the episode's database, the user, the ending and the official reward. */
export function openTau(domain: TauDomain, task: TauTask, user: TauUser): TauEnvironment {
  let database = openDatabase(domain.snapshot);
  let trace: TraceEntry[] = [];
  let running = false;
  const score = () =>
    officialReward(
      domain,
      task,
      database,
      trace.map((entry) => entry.action),
    );
  const answer = async (
    action: TauAction,
  ): Promise<{ observation: string | null; raises?: string | undefined }> =>
    action.name === respondAction
      ? { observation: await user.reply(contentOf(action)) }
      : callTool(domain.name, database, action);
  return {
    task,
    database: () => database,
    trace: () => trace,
    score,
    reset: async () => {
      database = openDatabase(domain.snapshot);
      trace = [];
      running = true;
      return user.reset(task.instruction);
    },
    step: async (action) => {
      if (!running) throw new Error('the episode is over or was never reset: call reset() first');
      const { observation, raises } = await answer(action);
      trace.push({ action, observation });
      const spoke = action.name === respondAction;
      const done = spoke ? (observation ?? '').includes(stopMark) : action.name === transferTool;
      running = !done;
      return {
        observation,
        source: spoke ? 'user' : action.name,
        done,
        ...(raises === undefined ? {} : { raises }),
        ...(done ? { score: score() } : {}),
      };
    },
  };
}

/** A user that says fixed messages one after the other and then ends the conversation. */
export function scriptedUser(messages: readonly string[]): TauUser {
  let next = 0;
  const say = () => messages[next++] ?? stopMark;
  return {
    reset: () => {
      next = 0;
      return say();
    },
    reply: say,
  };
}
