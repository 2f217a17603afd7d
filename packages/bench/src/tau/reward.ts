import { type CallResult, callTool, contentOf, isFailure, respondAction, type TauAction } from './call.ts';
import { type Database, openDatabase } from './database.ts';
import type { TauDomain } from './load.ts';
import type { PyDict, PyValue } from './python/value.ts';
import type { TauTask } from './task.ts';
import { transferTool } from './tool.ts';

/** A ground-truth action that failed on replay: its place, its name and what it returned. */
export interface GoldError {
  readonly i: number;
  readonly name: string;
  readonly result: string;
}

export interface GoldReplay {
  readonly database: Database;
  readonly hash: string;
  readonly changesData: boolean;
  readonly errors: readonly GoldError[];
}

/** Replays a task's ground-truth actions on a fresh database; hand-offs and messages are left out, as in the original. */
export function replayGold(domain: TauDomain, task: TauTask): GoldReplay {
  const database = openDatabase(domain.snapshot);
  const errors: GoldError[] = [];
  for (const [i, action] of task.actions.entries()) {
    if (action.name === transferTool || action.name === respondAction) continue;
    const result = callTool(domain.name, database, action);
    if (hasFailed(result))
      errors.push({ i, name: action.name, result: result.observation ?? `raises ${result.raises}` });
  }
  const hash = database.hash();
  return { database, hash, changesData: hash !== domain.snapshot.hash, errors };
}

export function hasFailed(result: CallResult): boolean {
  return result.observation === null || isFailure(result.observation);
}

/**
 * The official score. `info` has the original's shape: `{r_outputs, outputs}` where the task has outputs, otherwise
 * `{r_actions, gt_data_hash}`; its numbers are floats, so `writeJson(info)` prints what the original prints.
 */
export interface OfficialReward {
  readonly reward: 0 | 1;
  readonly info: PyDict;
}

/**
 * Scores an episode as the original does: the hash of the database must equal the one after the ground-truth actions,
 * and each output must be in some message to the user (lower case on both sides, commas removed from the message).
 */
export function officialReward(
  domain: TauDomain,
  task: TauTask,
  database: Database,
  actions: readonly TauAction[],
): OfficialReward {
  const gold = replayGold(domain, task).hash;
  const sameData = database.hash() === gold;
  if (task.outputs.length === 0) {
    const info = new Map<string, PyValue>([
      ['r_actions', sameData ? 1 : 0],
      ['gt_data_hash', gold],
    ]);
    return { reward: sameData ? 1 : 0, info };
  }
  const outputs = toldOutputs(task, actions);
  const allTold = [...outputs.values()].every((found) => found === true);
  const info = new Map<string, PyValue>([
    ['r_outputs', allTold ? 1 : 0],
    ['outputs', outputs],
  ]);
  return { reward: sameData && allTold ? 1 : 0, info };
}

function toldOutputs(task: TauTask, actions: readonly TauAction[]): PyDict {
  const messages = actions
    .filter((action) => action.name === respondAction)
    .map((action) => contentOf(action).toLowerCase().replaceAll(',', ''));
  return new Map(
    task.outputs.map((output) => [
      output,
      messages.some((message) => message.includes(output.toLowerCase())),
    ]),
  );
}
