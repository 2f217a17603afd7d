import { checkJson } from '../json/parse.ts';
import { canonicalJson, sha256 } from '../json/text.ts';
import type { Issue, Json, JsonObject, Result, Skill } from '../types.ts';
import { type SkillContract, normaliseContract } from './contract.ts';
import { unknownKey } from './explain.ts';
import { FORMAT_SCHEMA } from './format.ts';
import { failed, skillIssue } from './issue.ts';
import { isObject } from './short.ts';
import { NO_SOURCE } from './source.ts';
import { plainText, trimBlank } from './text.ts';

export type SkillHead = {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
};

/** Puts the normal form together, with its digest, and freezes all of it. The parts must not be used elsewhere. */
export function makeSkill(head: SkillHead, contract: SkillContract): Skill {
  const skill = {
    name: head.name,
    description: head.description,
    instructions: trimBlank(plainText(head.instructions)),
    ...contract,
  };
  return deepFreeze({ ...skill, digest: skillDigest(skill) });
}

/**
 * SHA-256 (hex) over the RFC 8785 text of all members but `digest`. As the normal form is hashed, neither line ends, a BOM,
 * the order of keys in the YAML nor written-out defaults count; the order of state properties does (`x-order`).
 */
export function skillDigest(skill: Omit<Skill, 'digest'>): string {
  const { digest: _, ...rest } = skill as Skill;
  return sha256(canonicalJson(rest as unknown as Json));
}

/**
 * The skill of a stored document (`Skill` is plain JSON), checked in full again. What a newer program stored is refused.
 *
 * Codes: `skill.document`, `skill.newer`, `skill.digest`, and those of the contract.
 */
export function parseSkillDocument(document: unknown): Result<Skill> {
  const checked = checkJson(document);
  if (!checked.ok) return checked;
  const value = checked.value;
  if (!isObject(value)) return failed(skillIssue('document', '', 'a stored skill is an object'));
  const { name, description, instructions, digest, ...rest } = value;
  const issues = [...textIssues({ name, description, instructions, digest }), ...newerIssues(rest)];
  if (issues.length > 0) return { ok: false, issues };
  if (skillDigest(value as unknown as Skill) !== digest) {
    return failed(
      skillIssue(
        'digest',
        '/digest',
        'the stored skill was changed after it was stored: its digest does not match',
      ),
    );
  }
  const contract = normaliseContract(rest, NO_SOURCE);
  if (!contract.ok) return contract;
  const head = { name, description, instructions } as SkillHead;
  return { ok: true, value: deepFreeze({ ...head, ...contract.value, digest: digest as string }) };
}

function textIssues(members: Readonly<Record<string, Json | undefined>>): Issue[] {
  return Object.entries(members)
    .filter(([, value]) => typeof value !== 'string')
    .map(([key]) => skillIssue('document', `/${key}`, `${key} must be text`));
}

function newerIssues(rest: JsonObject): Issue[] {
  const known = Object.keys(FORMAT_SCHEMA['properties'] as JsonObject);
  return Object.keys(rest)
    .filter((key) => !known.includes(key))
    .map((key) =>
      skillIssue('newer', `/${key}`, `${unknownKey(key, known)}; a newer version may have stored this skill`),
    );
}

function deepFreeze<T>(value: T): T {
  if (value === null || typeof value !== 'object' || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
