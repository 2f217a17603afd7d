import type { Turn } from '../game.ts';
import type { Random } from '../random.ts';
import type { Repo } from './world.ts';

/** What an event asks for, apart from how it is worded. */
export type Ask =
  | { readonly kind: 'commit'; readonly branch: string; readonly file: string; readonly review: boolean }
  | { readonly kind: 'complete' | 'failed' | 'approved'; readonly branch: string }
  | { readonly kind: 'hotfix'; readonly source: string; readonly branch: string }
  | { readonly kind: 'release'; readonly name: string }
  | { readonly kind: 'incident' }
  | { readonly kind: 'thanks'; readonly branch: string }
  | { readonly kind: 'notice'; readonly text: string };

export type RepositoryTurn = Turn & { readonly ask: Ask };

/** The event's text. A PR's number is the one that the world knows, else the plan's. */
export function wording(ask: Ask, world: Repo, plan: Repo): string {
  const pr = (branch: string): string =>
    `PR #${world.branches.get(branch)?.pr ?? plan.branches.get(branch)?.pr ?? 0}`;
  switch (ask.kind) {
    case 'commit':
      return ask.review
        ? `Review comment on ${pr(ask.branch)}: please change ${ask.file}.`
        : `Issue assigned: change ${ask.file} on branch ${ask.branch}.`;
    case 'complete':
      return `Work on ${ask.branch} is complete.`;
    case 'failed':
      return `CI Pipeline Failed for ${pr(ask.branch)}.`;
    case 'approved':
      return `Code review approved ${ask.branch}.`;
    case 'hotfix':
      return `Hotfix request: ${ask.branch} needs the latest commit of ${ask.source}.`;
    case 'release':
      return `Release due: ${ask.name}.`;
    case 'incident':
      return 'Production incident: the live release must be taken back.';
    case 'thanks':
      return `Review comment on ${pr(ask.branch)}: looks good so far.`;
    case 'notice':
      return ask.text;
  }
}

/** The one command that the rules give for an event in a repository; null where its subject does not exist there. */
export function rightCommand(ask: Ask, repo: Repo): string | null {
  switch (ask.kind) {
    case 'commit':
      return ask.review && !repo.branches.has(ask.branch) ? null : `Commit(${ask.branch}, ${ask.file})`;
    case 'complete':
      return repo.branches.has(ask.branch) ? `CreatePR(${ask.branch})` : null;
    case 'failed':
    case 'approved':
      return onReview(ask.kind, ask.branch, repo);
    case 'hotfix': {
      const head = repo.branches.get(ask.source)?.head;
      return head === undefined || !repo.branches.has(ask.branch)
        ? null
        : `CherryPick(${head}, ${ask.branch})`;
    }
    case 'release':
      return `CreateRelease(${ask.name})`;
    case 'incident':
      return repo.live === null ? null : `Rollback(${repo.live})`;
    case 'thanks':
    case 'notice':
      return 'Wait';
  }
}

function onReview(kind: 'failed' | 'approved', name: string, repo: Repo): string | null {
  const branch = repo.branches.get(name);
  if (!branch) return null;
  if (kind === 'approved' && branch.pr === null) return `CreatePR(${name})`;
  if (kind === 'approved' && branch.ci === 'passing') return `Merge(${branch.pr})`;
  return branch.ci === 'stale' || branch.flaky ? `RunTests(${name})` : `FixCI(${name})`;
}

export type DrawContext = {
  readonly plan: Repo;
  /** Features and releases begun so far. */
  readonly features: number;
  readonly releases: number;
  /** Most live branches. */
  readonly most: number;
  /** A release was made and not yet rolled back. */
  readonly fresh: boolean;
  /** Branches that ordinary events leave alone. */
  readonly kept: readonly string[];
};

/** Draws one event from what the plan allows; the number of repeats is the weight. */
export function drawAsk(context: DrawContext, random: Random): Ask {
  const names = [...context.plan.branches.keys()].filter((name) => !context.kept.includes(name));
  const isOpen = (name: string): boolean => context.plan.branches.get(name)?.pr !== null;
  const open = names.filter(isOpen);
  const unopened = names.filter((name) => !isOpen(name));
  const kinds: string[] = ['release'];
  if (context.plan.branches.size < context.most) kinds.push('start', 'start', 'start');
  if (unopened.length > 0) kinds.push('more', 'complete', 'complete');
  if (open.length > 0) kinds.push('failed', 'approved', 'approved', 'approved', 'review', 'thanks');
  if (names.length > 1) kinds.push('hotfix', 'hotfix');
  if (context.fresh) kinds.push('incident');
  return ask(random.pick(kinds), context, names, open, unopened, random);
}

function ask(
  kind: string,
  { features, releases }: DrawContext,
  names: readonly string[],
  open: readonly string[],
  unopened: readonly string[],
  random: Random,
): Ask {
  const file = `src/file_${random.below(40)}.ts`;
  switch (kind) {
    case 'start':
      return { kind: 'commit', branch: `feature_${features + 1}`, file, review: false };
    case 'more':
      return { kind: 'commit', branch: random.pick(unopened), file, review: false };
    case 'review':
      return { kind: 'commit', branch: random.pick(open), file, review: true };
    case 'complete':
      return { kind: 'complete', branch: random.pick(unopened) };
    case 'failed':
    case 'approved':
    case 'thanks':
      return { kind, branch: random.pick(open) };
    case 'hotfix': {
      const source = random.pick(names);
      return { kind: 'hotfix', source, branch: random.pick(names.filter((name) => name !== source)) };
    }
    case 'incident':
      return { kind: 'incident' };
    default:
      return { kind: 'release', name: `v${releases + 1}` };
  }
}

/** The branch that a `failed` event breaks, in one repository. */
export function breakCi(ask: Ask, repo: Repo): void {
  const branch = ask.kind === 'failed' ? repo.branches.get(ask.branch) : undefined;
  if (branch) branch.ci = 'failing';
}
