import { findTool } from './call.ts';
import type { TauDomain } from './load.ts';
import { type GoldError, replayGold } from './reward.ts';
import type { Split, TauTask } from './task.ts';
import { type DomainName, transferTool } from './tool.ts';

/**
 * Tasks of the pinned revision whose ground truth cannot be right: one of its writes fails on replay, so that an agent
 * that does what the user wants scores 0. Reports give scores with and without them.
 */
export const knownBadTasks: Readonly<Record<DomainName, Partial<Record<Split, readonly number[]>>>> = {
  retail: {
    test: [12, 13, 64, 106],
    train: [24, 27, 81, 148, 161, 214, 229, 252, 253, 288, 314, 349, 351, 369, 376, 427, 431, 441, 469],
  },
  airline: {},
};

/** What the replay of one task's ground truth shows. */
export interface GoldRow {
  readonly index: number;
  readonly hash: string;
  readonly changesData: boolean;
  /** All actions that fail, reads too. */
  readonly errors: readonly GoldError[];
  /** A write fails: the task is bad. */
  readonly writeFails: boolean;
  /** Listed in `knownBadTasks`. */
  readonly knownBad: boolean;
  /** The hand-off is all that is required; the official reward does not look for it. */
  readonly handOffOnly: boolean;
  /** Nothing is required: no change, no output, no hand-off. Doing nothing gets the official reward. */
  readonly nothingRequired: boolean;
}

export interface GoldReport {
  readonly domain: DomainName;
  readonly split: Split;
  readonly revision: string;
  readonly rows: readonly GoldRow[];
  /** The tasks with any failing action, and those that are bad (by replay or by the list). */
  readonly withErrors: readonly number[];
  readonly bad: readonly number[];
}

/** Replays the ground truth of every task of a split and lists what is wrong with it. */
export function goldReport(domain: TauDomain, split: Split): GoldReport {
  const rows = (domain.tasks.get(split) ?? []).map((task) => goldRow(domain, split, task));
  return {
    domain: domain.name,
    split,
    revision: domain.revision,
    rows,
    withErrors: rows.filter((row) => row.errors.length > 0).map((row) => row.index),
    bad: rows.filter((row) => row.writeFails || row.knownBad).map((row) => row.index),
  };
}

function goldRow(domain: TauDomain, split: Split, task: TauTask): GoldRow {
  const { hash, changesData, errors } = replayGold(domain, task);
  const handsOff = task.actions.some((action) => action.name === transferTool);
  const silent = !changesData && task.outputs.length === 0;
  return {
    index: task.index,
    hash,
    changesData,
    errors,
    writeFails: errors.some((error) => findTool(domain.name, error.name)?.effect === 'write'),
    knownBad: knownBadTasks[domain.name][split]?.includes(task.index) ?? false,
    handOffOnly: silent && handsOff,
    nothingRequired: silent && !handsOff,
  };
}
