import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { byCodePoint } from '../json/text.ts';
import type { Issue, Result, Skill } from '../types.ts';
import { type SkillContract, normaliseContract } from './contract.ts';
import { readInside } from './file.ts';
import { failed, skillIssue } from './issue.ts';
import { isObject } from './short.ts';
import { makeSkill } from './skill.ts';
import { isSkillName } from './text.ts';

/** `warnings`: what loading forgives and a strict check does not. */
export type LoadedSkill = { readonly skill: Skill; readonly warnings: readonly Issue[] };

export type SkippedSkill = { readonly folder: string; readonly issues: readonly Issue[] };

export type SkillList = {
  readonly skills: readonly (LoadedSkill & { readonly folder: string })[];
  readonly skipped: readonly SkippedSkill[];
  /** `3 skills, 1 skipped`. */
  readonly summary: string;
};

const SKILL_FILE = 'SKILL.md';
const STATE_FILE = 'SKILL.state.yaml';
const MOST_BYTES = 512 * 1024;

/**
 * Reads a skill folder: SKILL.md by the Agent Skills specification, SKILL.state.yaml by docs/skill-format.md. Both files
 * are read as data, at most 512 KiB each, and never through a link. Reports the problems of both files at once, each with
 * file and line in its hint.
 */
export async function loadSkill(folder: string): Promise<Result<LoadedSkill>> {
  const path = resolve(folder);
  const place = await folderIssue(path);
  if (place !== null) return failed(place);
  const [skillText, stateText] = await Promise.all([
    readInside(path, SKILL_FILE, MOST_BYTES),
    readInside(path, STATE_FILE, MOST_BYTES),
  ]);
  // A skill made in code needs no YAML, which takes 25 ms to load.
  const { parseSkillText } = await import('./frontmatter.ts');
  const head = skillText.ok ? parseSkillText(skillText.value, basename(path)) : skillText;
  const contract = stateText.ok ? await parseContract(stateText.value) : stateMissing(stateText, folder);
  if (!head.ok || !contract.ok) {
    return { ok: false, issues: [...(head.ok ? [] : head.issues), ...(contract.ok ? [] : contract.issues)] };
  }
  return { ok: true, value: { skill: makeSkill(head.value, contract.value), warnings: head.value.warnings } };
}

async function folderIssue(path: string): Promise<Issue | null> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) return null;
    if (!found.isSymbolicLink())
      return skillIssue('path', '', `${path} is no folder; give the folder that holds ${SKILL_FILE}`);
    return skillIssue(
      'path',
      '',
      `${path} is a symbolic link; give the folder itself: ${await realpath(path)}`,
    );
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return skillIssue('missing', '', `${path} cannot be opened: ${code}`);
  }
}

async function parseContract(text: string): Promise<Result<SkillContract>> {
  const { parseYaml } = await import('./yaml.ts');
  const parsed = parseYaml(text, { file: STATE_FILE, firstLine: 1, strings: false });
  if (!parsed.ok) return parsed;
  const { value, source } = parsed.value;
  if (!isObject(value)) {
    return failed(
      skillIssue('value', '', `${STATE_FILE} line 1: must be a map that begins with version and state`),
    );
  }
  return normaliseContract(value, source);
}

function stateMissing(read: { ok: false; issues: readonly Issue[] }, folder: string): Result<SkillContract> {
  if (read.issues[0]?.code !== 'skill.missing') return read;
  const hint = `${STATE_FILE} does not exist, so this skill has no state; create one with: skillstate init ${folder}`;
  return failed(skillIssue('state_missing', '', hint));
}

/** The skill in a folder of the given name below `parent`; a name that is none (`../x`, an absolute path) opens nothing. */
export async function loadNamedSkill(parent: string, name: string): Promise<Result<LoadedSkill>> {
  if (!isSkillName(name)) {
    const hint = `${JSON.stringify(name.slice(0, 80))} is no skill name: lower-case letters, digits and single hyphens`;
    return failed(skillIssue('name', '', hint));
  }
  return loadSkill(join(parent, name));
}

/**
 * Loads every skill folder directly below `parent`, sorted by folder name. A folder that cannot be loaded, a link, and a
 * second skill of the same name are skipped with the reason; folders without a SKILL.md are no skills.
 */
export async function loadSkills(parent: string): Promise<SkillList> {
  const entries = await readdir(parent, { withFileTypes: true });
  const skills: (LoadedSkill & { folder: string })[] = [];
  const skipped: SkippedSkill[] = [];
  const folders = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => name);
  for (const folder of folders.sort(byCodePoint)) {
    const loaded = await loadSkill(join(parent, folder));
    const issues = loaded.ok ? duplicate(loaded.value.skill, skills) : loaded.issues;
    if (isNoSkill(issues)) continue;
    if (loaded.ok && issues.length === 0) skills.push({ ...loaded.value, folder });
    else skipped.push({ folder, issues });
  }
  return { skills, skipped, summary: `${plural(skills.length, 'skill')}, ${skipped.length} skipped` };
}

function duplicate(skill: Skill, skills: SkillList['skills']): Issue[] {
  const other = skills.find((one) => one.skill.name === skill.name);
  if (other === undefined) return [];
  return [skillIssue('name', '/name', `the folder ${other.folder} already has a skill named ${skill.name}`)];
}

function isNoSkill(issues: readonly Issue[]): boolean {
  return issues.some(({ code, hint }) => code === 'skill.missing' && hint.startsWith(SKILL_FILE));
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
