import type { JsonDocument, JsonValue } from '../env/environment.ts';
import { entries, type Mind } from './mind.ts';

type Ci = 'passing' | 'failing' | 'stale';
type Branch = { head?: string; ci?: Ci; pr?: number; flaky?: boolean };

/** Insertion order is order of last change. */
export type RepositoryFacts = { readonly branches: Map<string, Branch>; release: string | undefined };

const BRANCH = '(?<branch>feature_\\d+)';
const COMMIT = '(?<commit>c[0-9a-f]{7})';
const PR = '#(?<pr>\\d+)';

type Learn = (facts: RepositoryFacts, groups: Readonly<Record<string, string>>) => void;

const ciWord = (word: string | undefined): Ci =>
  word === 'passed' || word === 'passing' ? 'passing' : 'failing';

/** One line per sentence form that tells a fact. */
const FORMS: readonly (readonly [RegExp, Learn])[] = (
  [
    [
      `(?:Committed \\S+|Cherry-picked \\S+) to ${BRANCH} as ${COMMIT}; CI (?<ci>passed|failed)`,
      (facts, { branch = '', commit = '', ci }) => update(facts, branch, { head: commit, ci: ciWord(ci) }),
    ],
    [
      `Fixed CI of ${BRANCH} with ${COMMIT}`,
      (facts, { branch = '', commit = '' }) => update(facts, branch, { head: commit, ci: 'passing' }),
    ],
    [
      `Ran the tests of ${BRANCH}; CI (?<ci>passed|failed)`,
      (facts, { branch = '', ci }) => update(facts, branch, { ci: ciWord(ci) }),
    ],
    [
      `Opened PR ${PR} for ${BRANCH}|${BRANCH} has PR ${PR}`,
      (facts, { branch = '', pr }) => update(facts, branch, { pr: Number(pr) }),
    ],
    [`Merged PR #\\d+ \\(${BRANCH}\\)`, (facts, { branch = '' }) => merged(facts, branch)],
    [`there is no branch ${BRANCH}`, (facts, { branch = '' }) => facts.branches.delete(branch)],
    [
      `CI of ${BRANCH} is (?<ci>passing|failing|stale)`,
      (facts, { branch = '', ci }) => update(facts, branch, { ci: ci as Ci }),
    ],
    [`CI Pipeline Failed for PR ${PR}`, (facts, { pr }) => updateByPr(facts, Number(pr), { ci: 'failing' })],
    [`PR ${PR} (?:was closed|is not open)`, (facts, { pr }) => closed(facts, Number(pr))],
    [
      `${BRANCH} was force-pushed; its latest commit is now ${COMMIT}`,
      (facts, { branch = '', commit = '' }) => update(facts, branch, { head: commit }),
    ],
    [
      `failing test of ${BRANCH} is flaky`,
      (facts, { branch = '' }) => update(facts, branch, { flaky: true }),
    ],
    [
      `(?:Released|the live release is) (?<release>v\\d+|none)`,
      (facts, { release }) => {
        facts.release = release === 'none' ? undefined : release;
      },
    ],
    [
      `${BRANCH}: head (?<head>\\S+), CI (?<ci>\\w+), PR (?<number>#\\d+|none)(?<flaky>, flaky)?`,
      (facts, { branch = '', head, ci, number, flaky }) => {
        facts.branches.set(branch, {
          ...(head !== 'unknown' && head !== undefined && { head }),
          ...(ci !== 'unknown' && { ci: ci as Ci }),
          ...(number !== 'none' && { pr: Number(number?.slice(1)) }),
          ...(flaky !== undefined && { flaky: true }),
        });
      },
    ],
  ] satisfies [string, Learn][]
).map(([source, learn]) => [new RegExp(source, 'g'), learn]);

/** Knows the repository's rules. Results tell what commits and PRs are called, so nothing is assumed before them. */
export const repositoryMind: Mind<RepositoryFacts> = {
  nothing: () => ({ branches: new Map(), release: undefined }),
  absorb(facts, { branches, release }) {
    if (typeof release === 'string') facts.release = release === 'none' ? undefined : release;
    for (const [name, record] of entries(branches)) facts.branches.set(name, readBranch(record));
  },
  learn(facts, text) {
    const found = FORMS.flatMap(([form, learn]) =>
      [...text.matchAll(form)].map((match) => ({ match, learn })),
    );
    found.sort((a, b) => a.match.index - b.match.index);
    for (const { match, learn } of found) learn(facts, match.groups as Record<string, string>);
  },
  decide: (facts, observation) => decide(facts, observation),
  assume() {},
  toState({ branches, release }) {
    return { branches: Object.fromEntries(branches), release: release ?? 'none' };
  },
  summary({ branches, release }) {
    const lines = [...branches].map(
      ([name, { head, ci, pr, flaky }]) =>
        `${name}: head ${head ?? 'unknown'}, CI ${ci ?? 'unknown'}, PR ${pr === undefined ? 'none' : `#${pr}`}${flaky ? ', flaky' : ''}`,
    );
    return release === undefined ? lines : [...lines, `the live release is ${release}`];
  },
  blunder: (command) => (command.startsWith('FixCI') ? command.replace('FixCI', 'RunTests') : 'Wait'),
};

const EVENTS: readonly (readonly [RegExp, (facts: RepositoryFacts, match: RegExpMatchArray) => string])[] = [
  [
    /Issue assigned: change (\S+) on branch (feature_\d+)/g,
    (_, [, file, name]) => `Commit(${name}, ${file})`,
  ],
  [/Work on (feature_\d+) is complete/g, (_, [, name]) => `CreatePR(${name})`],
  [/CI Pipeline Failed for PR #(\d+)/g, (facts, [, pr]) => repair(facts, branchOfPr(facts, Number(pr)))],
  [/Code review approved (feature_\d+)/g, (facts, [, name = '']) => approve(facts, name)],
  [
    /Review comment on PR #(\d+): please change (\S+?)\.(?=[\s"]|$)/g,
    (facts, [, pr, file]) => {
      const name = branchOfPr(facts, Number(pr));
      return name === undefined ? 'Wait' : `Commit(${name}, ${file})`;
    },
  ],
  [
    /Hotfix request: (feature_\d+) needs the latest commit of (feature_\d+)/g,
    (facts, [, target, source = '']) => {
      const head = facts.branches.get(source)?.head;
      return head === undefined ? 'Wait' : `CherryPick(${head}, ${target})`;
    },
  ],
  [/Release due: (v\d+)/g, (_, [, name]) => `CreateRelease(${name})`],
  [/Production incident/g, ({ release }) => (release === undefined ? 'Wait' : `Rollback(${release})`)],
];

function decide(facts: RepositoryFacts, observation: string): string {
  const found = EVENTS.flatMap(([form, act]) =>
    [...observation.matchAll(form)].map((match) => ({ match, act })),
  );
  const last = found.sort((a, b) => a.match.index - b.match.index).at(-1);
  return last ? last.act(facts, last.match) : 'Wait';
}

function approve(facts: RepositoryFacts, name: string): string {
  const branch = facts.branches.get(name);
  if (!branch) return 'Wait';
  if (branch.pr === undefined) return `CreatePR(${name})`;
  return branch.ci === 'stale' || branch.ci === 'failing' ? repair(facts, name) : `Merge(${branch.pr})`;
}

function repair(facts: RepositoryFacts, name: string | undefined): string {
  if (name === undefined) return 'Wait';
  const branch = facts.branches.get(name);
  return branch?.flaky || branch?.ci === 'stale' ? `RunTests(${name})` : `FixCI(${name})`;
}

function update(facts: RepositoryFacts, name: string, change: Branch): void {
  const before = facts.branches.get(name) ?? {};
  facts.branches.delete(name);
  facts.branches.set(name, { ...before, ...change });
}

function branchOfPr(facts: RepositoryFacts, pr: number): string | undefined {
  for (const [name, branch] of facts.branches) if (branch.pr === pr) return name;
  return undefined;
}

function updateByPr(facts: RepositoryFacts, pr: number, change: Branch): void {
  const name = branchOfPr(facts, pr);
  if (name !== undefined) update(facts, name, change);
}

function closed(facts: RepositoryFacts, pr: number): void {
  const name = branchOfPr(facts, pr);
  if (name === undefined) return;
  const { pr: _closed, ...rest } = facts.branches.get(name) ?? {};
  facts.branches.set(name, rest);
}

function merged(facts: RepositoryFacts, name: string): void {
  facts.branches.delete(name);
  for (const branch of facts.branches.values()) {
    if (branch.pr !== undefined && branch.ci === 'passing') branch.ci = 'stale';
  }
}

function readBranch(record: JsonValue): Branch {
  const fields = Object.fromEntries(entries(record)) as JsonDocument;
  const { head, ci, pr, flaky } = fields;
  return {
    ...(typeof head === 'string' && { head }),
    ...((ci === 'passing' || ci === 'failing' || ci === 'stale') && { ci }),
    ...(typeof pr === 'number' && { pr }),
    ...(flaky === true && { flaky }),
  };
}
