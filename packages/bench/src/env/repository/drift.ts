import type { Ask } from './events.ts';
import type { Repo } from './world.ts';

/** Experiment 3, repository. */
export type RepositoryDrift = 'force-push' | 'flaky-test' | 'closed-pr';

export type RepositoryDriftSetup = {
  readonly scenario: RepositoryDrift;
  readonly at: number;
  readonly gap: number;
  readonly probes: number;
};

export type DriftedRepo = {
  readonly notice: string;
  /** Branches that must stay as they are until the probe is answered. */
  readonly kept: readonly string[];
  readonly probe: Ask;
};

/** Changes both repositories alike; undefined while the world has no fitting branches. */
export function driftRepo(
  scenario: RepositoryDrift,
  world: Repo,
  plan: Repo,
  fresh: string,
): DriftedRepo | undefined {
  const both = [...plan.branches.keys()].filter((name) => world.branches.has(name));
  const open = (name: string): boolean =>
    plan.branches.get(name)?.pr !== null && world.branches.get(name)?.pr !== null;
  const branch = scenario === 'force-push' ? both[0] : both.find(open);
  const target = both.find((name) => name !== branch);
  if (branch === undefined || (scenario === 'force-push' && target === undefined)) return undefined;
  const pr = world.branches.get(branch)?.pr;
  for (const repo of [world, plan]) change(scenario, repo, branch, fresh);
  const kept = target === undefined ? [branch] : [branch, target];
  switch (scenario) {
    case 'force-push':
      return {
        kept,
        notice: `Push notice: ${branch} was force-pushed; its latest commit is now ${fresh}.`,
        probe: { kind: 'hotfix', source: branch, branch: target ?? branch },
      };
    case 'flaky-test':
      return {
        kept,
        notice: `CI notice: the failing test of ${branch} is flaky.`,
        probe: { kind: 'failed', branch },
      };
    case 'closed-pr':
      return {
        kept,
        notice: `Review notice: PR #${pr} was closed by its author.`,
        probe: { kind: 'approved', branch },
      };
  }
}

function change(scenario: RepositoryDrift, repo: Repo, name: string, fresh: string): void {
  const branch = repo.branches.get(name);
  if (!branch) return;
  if (scenario === 'flaky-test') branch.flaky = true;
  else if (scenario === 'closed-pr') branch.pr = null;
  else {
    branch.head = fresh;
    branch.commits = [fresh];
  }
}
