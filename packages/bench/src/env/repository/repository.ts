import { parseCommand } from '../command.ts';
import type { Episode } from '../environment.ts';
import { createEpisode } from '../episode.ts';
import type { Game } from '../game.ts';
import { type NoiseOptions, withNoise } from '../noise.ts';
import { randomAt } from '../random.ts';
import { type DriftedRepo, driftRepo, type RepositoryDriftSetup } from './drift.ts';
import { type Ask, breakCi, drawAsk, type RepositoryTurn, rightCommand, wording } from './events.ts';
import { repositorySkill } from './skill.ts';
import { applyToRepo, createRepo, type Luck, type Repo } from './world.ts';

export type RepositoryOptions = {
  readonly seed: number;
  readonly horizon: number;
  /** Most live feature branches, 2 to 60. Default 6. */
  readonly branches?: number;
  readonly noise?: NoiseOptions;
  readonly drift?: Partial<RepositoryDriftSetup> & Pick<RepositoryDriftSetup, 'scenario'>;
};

/** Environment 2 (section 4.1 and appendix B.1; the union of their actions). */
export function createRepository(options: RepositoryOptions): Episode {
  const { branches = 6 } = options;
  if (branches < 2 || branches > 60) throw new RangeError(`branches ${branches}`);
  return createEpisode(
    repositoryGame(options, branches),
    options.horizon,
    withNoise('repository', options.seed, options.noise),
  );
}

type Plan = { readonly repo: Repo; features: number; releases: number; fresh: boolean };
const createPlan = (): Plan => ({ repo: createRepo(), features: 0, releases: 0, fresh: false });

type Open = DriftedRepo & { readonly at: number; open: boolean };

function repositoryGame(options: RepositoryOptions, most: number): Game<RepositoryTurn> {
  const setup = options.drift
    ? { at: Math.floor(options.horizon / 2), gap: 0, probes: 20, ...options.drift }
    : null;
  let world = createRepo();
  let plan = createPlan();
  let drifted: Open | null = null;
  let drawn = 0;

  const notice = (turn: number): RepositoryTurn | undefined => {
    if (!setup || drifted || turn < setup.at) return undefined;
    const made = driftRepo(setup.scenario, world, plan.repo, commitId(options.seed, 'force', turn));
    if (!made) return undefined;
    drifted = { ...made, at: turn, open: true };
    return turnOf({ kind: 'notice', text: made.notice }, { alert: true });
  };
  const probe = (turn: number): RepositoryTurn | undefined => {
    if (!setup || !drifted?.open) return undefined;
    const first = drifted.at + setup.gap + 1;
    return turn < first || turn >= first + setup.probes ? undefined : turnOf(drifted.probe, { probe: true });
  };
  const ordinary = (turn: number): RepositoryTurn => {
    const kept = drifted?.open ? drifted.kept : [];
    const context = { ...plan, plan: plan.repo, most, kept };
    return turnOf(drawAsk(context, randomAt(options.seed, 'repository', turn)), {});
  };
  const turnOf = (ask: Ask, flags: { alert?: boolean; probe?: boolean }): RepositoryTurn => {
    for (const repo of [world, plan.repo]) breakCi(ask, repo);
    const actionable = ask.kind !== 'thanks' && ask.kind !== 'notice';
    return { ask, text: wording(ask, world, plan.repo), actionable, ...flags };
  };
  return {
    name: 'repository',
    skill: repositorySkill,
    scenario: setup?.scenario ?? null,
    reset() {
      world = createRepo();
      plan = createPlan();
      drifted = null;
    },
    draw(turn) {
      drawn = turn;
      return notice(turn) ?? probe(turn) ?? ordinary(turn);
    },
    apply: (turn, command) => applyToRepo(world, luckOf(options.seed, turn), command),
    accepts: (event, command) => sameCommand(rightCommand(event.ask, world), command),
    answer: (event) => rightCommand(event.ask, world) ?? 'Wait',
    settle(event, correct) {
      const right = rightCommand(event.ask, plan.repo);
      if (right !== null && (!event.probe || correct))
        applyToRepo(plan.repo, luckOf(options.seed, drawn), right);
      count(plan, event.ask);
      if (event.probe && correct && drifted) drifted.open = false;
    },
  };
}

function count(plan: Plan, ask: Ask): void {
  if (ask.kind === 'commit' && ask.branch === `feature_${plan.features + 1}`) plan.features += 1;
  if (ask.kind === 'release') plan.releases += 1;
  if (ask.kind === 'release' || ask.kind === 'incident') plan.fresh = ask.kind === 'release';
}

function commitId(seed: number, stream: string, turn: number): string {
  return `c${randomAt(seed, stream, turn).below(0x1000_0000).toString(16).padStart(7, '0')}`;
}

/** Issues and PRs share one counter, as on most hosts, so a PR's number is that of its turn. */
function luckOf(seed: number, turn: number): Luck {
  const random = randomAt(seed, 'ci', turn);
  return {
    commit: commitId(seed, 'commit', turn),
    pr: turn + 1,
    pushFails: random.chance(0.3),
    rerunFails: random.chance(0.2),
  };
}

function sameCommand(right: string | null, given: string): boolean {
  if (right === null) return false;
  const canonical = (text: string): string => {
    const command = parseCommand(text);
    return command ? [command.verb, ...command.args.map((arg) => arg.replace(/^#/, ''))].join(' ') : '';
  };
  return canonical(right) === canonical(given);
}
