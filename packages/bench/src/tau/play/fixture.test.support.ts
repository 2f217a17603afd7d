import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataPlaces } from '../../data/places.ts';
import type { StrategyName } from '../../harness/result.ts';
import { loadTau, type TauDomain } from '../load.ts';
import type { Split, TauTask } from '../task.ts';
import type { DomainName } from '../tool.ts';
import { playTau, type TauOptions } from './episode.ts';
import type { TauResult } from './result.ts';
import { type ScriptedAgent, scriptedAgent, scriptedAnswers } from './scripted.ts';
import { scriptedUsers } from './user.ts';

/** The small data of our own tests. */
export const ownRetail = loadTau(fileURLToPath(new URL('../fixtures/tau', import.meta.url)), 'retail');

const shared = dataPlaces().find((place) => existsSync(join(place, 'tau', 'retail', 'users.json')));
export const hasShared = shared !== undefined;

const loaded = new Map<DomainName, TauDomain>();

/** The benchmark's own data; for tests that are skipped where there is none. */
export function sharedDomain(name: DomainName): TauDomain {
  const domain = loaded.get(name) ?? loadTau(shared ?? '', name);
  loaded.set(name, domain);
  return domain;
}

export function tasksOf(domain: TauDomain, split: Split = 'test'): readonly TauTask[] {
  return domain.tasks.get(split) ?? [];
}

export type About = {
  readonly domain: TauDomain;
  readonly task: TauTask;
  readonly split?: Split;
  readonly agent?: ScriptedAgent;
  readonly strategy?: StrategyName;
  readonly budget?: number;
};

/** An episode of a scripted agent and a scripted user, with what a test wants otherwise. */
export function play(about: About, other: Partial<TauOptions> = {}): Promise<TauResult> {
  const { domain, task, split = 'test', agent = 'gold', strategy = 'state', budget } = about;
  return playTau({
    domain,
    split,
    task,
    trial: 0,
    arm: { id: strategy, strategy, ...(budget !== undefined && { budget }) },
    steps: 30,
    retries: 2,
    model: scriptedAgent(agent, domain, task, strategy),
    user: scriptedUsers(scriptedAnswers),
    tokens: (text) => Math.ceil(text.length / 4),
    tokensBy: 'estimated',
    ...other,
  });
}

export async function playAll(domain: TauDomain, tasks: readonly TauTask[], about: Partial<About> = {}) {
  const results: TauResult[] = [];
  for (const task of tasks) results.push(await play({ ...about, domain, task }));
  return results;
}
