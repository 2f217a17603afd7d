import { type Command, parseCommand, quoteCommand } from '../command.ts';
import type { Applied } from '../game.ts';

export type Ci = 'passing' | 'failing' | 'stale';
export type Branch = { head: string; commits: string[]; ci: Ci; pr: number | null; flaky: boolean };

/** The repository as it is. Constant size: a branch remembers its last 10 commits, releases the last one before. */
export type Repo = { readonly branches: Map<string, Branch>; live: string | null; before: string | null };

export const createRepo = (): Repo => ({ branches: new Map(), live: null, before: null });

/** What chance decides in a turn; the same for every agent. */
export type Luck = {
  readonly commit: string;
  readonly pr: number;
  readonly pushFails: boolean;
  readonly rerunFails: boolean;
};

export function branchOfPr(repo: Repo, pr: number): string | undefined {
  for (const [name, branch] of repo.branches) if (branch.pr === pr) return name;
  return undefined;
}

type Refusal = { readonly refused: string };
const refuse = (refused: string): Refusal => ({ refused });

type Rule = {
  readonly arity: number;
  readonly run: (repo: Repo, luck: Luck, args: readonly string[]) => string | Refusal;
};

/** Carries out one command. An error names the command and the reason, and changes nothing. */
export function applyToRepo(repo: Repo, luck: Luck, text: string): Applied {
  const fail = (reason: string): Applied => ({
    ok: false,
    text: `Error: ${quoteCommand(text)} failed: ${reason}.`,
  });
  const command = parseCommand(text);
  const rule = command && ruleFor(command);
  if (!command || rule?.arity !== command.args.length) return fail('not a command of this repository');
  const done = rule.run(repo, luck, command.args);
  return typeof done === 'string' ? { ok: true, text: `Success: ${done}.` } : fail(done.refused);
}

const ruleFor = ({ verb }: Command): Rule | undefined =>
  Object.hasOwn(RULES, verb) ? RULES[verb] : undefined;

const RULES: Readonly<Record<string, Rule>> = {
  Commit: { arity: 2, run: (repo, luck, [name = '', file = '']) => commit(repo, luck, name, file) },
  CreatePR: { arity: 1, run: (repo, luck, [name = '']) => createPr(repo, luck, name) },
  Merge: { arity: 1, run: (repo, luck, [pr = '']) => merge(repo, luck, pr) },
  FixCI: { arity: 1, run: (repo, luck, [name = '']) => fixCi(repo, luck, name) },
  RunTests: { arity: 1, run: (repo, luck, [name = '']) => runTests(repo, luck, name) },
  CherryPick: { arity: 2, run: (repo, luck, [id = '', name = '']) => cherryPick(repo, luck, id, name) },
  CreateRelease: { arity: 1, run: (repo, _luck, [name = '']) => release(repo, name) },
  Rollback: { arity: 1, run: (repo, _luck, [name = '']) => rollback(repo, name) },
  Wait: { arity: 0, run: () => 'Waited' },
};

const noBranch = (name: string): Refusal => refuse(`there is no branch ${name.slice(0, 24)}`);

function push(branch: Branch, id: string, ci: Ci): string {
  branch.head = id;
  branch.commits = [...branch.commits.slice(-9), id];
  branch.ci = ci;
  return ci === 'passing' ? 'CI passed' : 'CI failed';
}

const pushed = (luck: Luck): Ci => (luck.pushFails ? 'failing' : 'passing');

function commit(repo: Repo, luck: Luck, name: string, file: string): string | Refusal {
  if (!/^feature_[1-9]\d{0,8}$/.test(name)) return refuse('only feature branches take commits');
  const branch = repo.branches.get(name) ?? {
    head: '',
    commits: [],
    ci: 'passing' as Ci,
    pr: null,
    flaky: false,
  };
  repo.branches.set(name, branch);
  return `Committed ${file} to ${name} as ${luck.commit}; ${push(branch, luck.commit, pushed(luck))}`;
}

function createPr(repo: Repo, luck: Luck, name: string): string | Refusal {
  const branch = repo.branches.get(name);
  if (!branch) return noBranch(name);
  if (branch.pr !== null) return refuse(`${name} has PR #${branch.pr}`);
  branch.pr = luck.pr;
  return `Opened PR #${luck.pr} for ${name}`;
}

function merge(repo: Repo, luck: Luck, text: string): string | Refusal {
  const pr = Number(text.replace(/^#/, ''));
  const name = branchOfPr(repo, pr);
  const branch = name === undefined ? undefined : repo.branches.get(name);
  if (name === undefined || !branch) return refuse(`PR #${text.replace(/^#/, '').slice(0, 9)} is not open`);
  if (branch.ci !== 'passing') return refuse(`CI of ${name} is ${branch.ci}`);
  repo.branches.delete(name);
  for (const other of repo.branches.values()) {
    if (other.pr !== null && other.ci === 'passing') other.ci = 'stale';
  }
  return `Merged PR #${pr} (${name}) into master as ${luck.commit}; ${name} is deleted`;
}

function fixCi(repo: Repo, luck: Luck, name: string): string | Refusal {
  const branch = repo.branches.get(name);
  if (!branch) return noBranch(name);
  if (branch.ci !== 'failing') return refuse(`CI of ${name} is ${branch.ci}`);
  if (branch.flaky) return refuse(`the failing test of ${name} is flaky`);
  push(branch, luck.commit, 'passing');
  return `Fixed CI of ${name} with ${luck.commit}; CI passed`;
}

function runTests(repo: Repo, luck: Luck, name: string): string | Refusal {
  const branch = repo.branches.get(name);
  if (!branch) return noBranch(name);
  if (branch.flaky) branch.ci = 'passing';
  else if (branch.ci !== 'failing') branch.ci = luck.rerunFails ? 'failing' : 'passing';
  return `Ran the tests of ${name}; CI ${branch.ci === 'passing' ? 'passed' : 'failed'}`;
}

function cherryPick(repo: Repo, luck: Luck, id: string, name: string): string | Refusal {
  const branch = repo.branches.get(name);
  if (!branch) return noBranch(name);
  const known = [...repo.branches].some(([source, { commits }]) => source !== name && commits.includes(id));
  if (!known) return refuse(`no other branch has commit ${id.slice(0, 12)}`);
  return `Cherry-picked ${id} to ${name} as ${luck.commit}; ${push(branch, luck.commit, pushed(luck))}`;
}

function release(repo: Repo, name: string): string | Refusal {
  if (!/^v\d{1,9}$/.test(name)) return refuse('a release is named v and a number');
  if (name === repo.live) return refuse(`${name} is live already`);
  repo.before = repo.live;
  repo.live = name;
  return `Released ${name}; it is live`;
}

function rollback(repo: Repo, name: string): string | Refusal {
  if (repo.live === null || name !== repo.live) return refuse(`the live release is ${repo.live ?? 'none'}`);
  repo.live = repo.before;
  repo.before = null;
  return `Rolled back ${name}; the live release is ${repo.live ?? 'none'}`;
}
