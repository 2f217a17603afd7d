import type { Issue, JsonObject, Result } from '../types.ts';
import { failed, skillIssue } from './issue.ts';
import type { Source } from './source.ts';
import { isSkillName, trimBlank } from './text.ts';
import { parseYaml } from './yaml.ts';

export type SkillText = {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  /** What the Agent Skills specification forbids and loading forgives. */
  readonly warnings: readonly Issue[];
};

const FILE = 'SKILL.md';
const MOST_FRONTMATTER = 64 * 1024;
const KEYS = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];

/**
 * Reads the text of a SKILL.md (already without BOM and CR): frontmatter between `---` lines, then the instructions, which
 * are trimmed of blank lines around them. Follows the Agent Skills specification: what it forbids is a warning, but no
 * description, a name that could act as a path, and YAML that cannot be read are errors.
 *
 * Codes: `skill.frontmatter`, `skill.yaml`, `skill.name`, `skill.description`, `skill.convention`.
 */
export function parseSkillText(text: string, folderName: string): Result<SkillText> {
  const parts = splitFrontmatter(text);
  if (!parts.ok) return parts;
  const parsed = parseYaml(parts.value.frontmatter, { file: FILE, firstLine: 2, strings: true });
  if (!parsed.ok) return parsed;
  const { value, source } = parsed.value;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    return failed(
      skillIssue(
        'frontmatter',
        '',
        `${FILE} line 2: the frontmatter must be a map with name and description`,
      ),
    );
  }
  const meta = value as JsonObject;
  const errors = [...nameErrors(meta, source), ...descriptionErrors(meta, source)];
  if (errors.length > 0) return { ok: false, issues: errors };
  const name = typeof meta['name'] === 'string' ? meta['name'].trim() : folderName;
  const description = (meta['description'] as string).trim();
  const warnings = conventionWarnings(meta, name, folderName, source);
  return { ok: true, value: { name, description, instructions: trimBlank(parts.value.body), warnings } };
}

/** Splits off the frontmatter: the first line is exactly `---`; a language behind it (`---js`) is refused, never run (P66). */
function splitFrontmatter(text: string): Result<{ frontmatter: string; body: string }> {
  const firstEnd = text.indexOf('\n');
  const first = (firstEnd < 0 ? text : text.slice(0, firstEnd)).trimEnd();
  if (first !== '---') {
    const hint = first.startsWith('---')
      ? `${FILE} line 1: ${JSON.stringify(first.slice(0, 20))} is not allowed; only plain YAML frontmatter between --- lines is read`
      : `${FILE} line 1: the file must begin with --- and YAML that gives name and description`;
    return failed(skillIssue('frontmatter', '', hint));
  }
  const close = /^---[ \t]*$/m.exec(text.slice(firstEnd + 1, firstEnd + 1 + MOST_FRONTMATTER));
  if (firstEnd < 0 || close === null) {
    return failed(
      skillIssue('frontmatter', '', `${FILE} line 1: no closing --- line within ${MOST_FRONTMATTER} bytes`),
    );
  }
  const start = firstEnd + 1;
  return {
    ok: true,
    value: {
      frontmatter: text.slice(start, start + close.index),
      body: text.slice(start + close.index + close[0].length),
    },
  };
}

function nameErrors(meta: JsonObject, source: Source): Issue[] {
  const name = meta['name'];
  const at = source.where('/name');
  if (name === undefined) return [];
  if (typeof name !== 'string' || name.trim() === '')
    return [skillIssue('name', '/name', `${at}name must be text`)];
  const fault = nameFault(name.trim());
  return fault === null ? [] : [skillIssue('name', '/name', at + fault)];
}

/** Why a name is refused even where naming is forgiven: it could be taken for a path, or breaks a line; null where it is not. */
export function nameFault(name: string): string | null {
  if (/[/\\:%\p{Cc}]/u.test(name) || /^\.+$/.test(name) || name.length > 256) {
    return `the name ${JSON.stringify(name.slice(0, 60))} could act as a path; use lower-case letters, digits and hyphens`;
  }
  return null;
}

function descriptionErrors(meta: JsonObject, source: Source): Issue[] {
  const description = meta['description'];
  if (typeof description === 'string' && description.trim() !== '') return [];
  const came =
    description === undefined || description === null || description === ''
      ? 'it is missing'
      : 'it is not text';
  return [
    skillIssue(
      'description',
      '/description',
      `${source.where('/description')}description must be text of 1 to 1024 characters; ${came}`,
    ),
  ];
}

function conventionWarnings(meta: JsonObject, name: string, folderName: string, source: Source): Issue[] {
  const warnings: Issue[] = [];
  const warn = (key: string, hint: string): void => {
    warnings.push(skillIssue('convention', `/${key}`, source.where(`/${key}`) + hint));
  };
  if (meta['name'] === undefined) warn('name', `name is missing; the folder's name ${folderName} is used`);
  if (!isSkillName(name))
    warn('name', 'name should be 1 to 64 lower-case letters, digits and single hyphens');
  if (name !== folderName) warn('name', `name should equal the folder's name ${folderName}`);
  if ((meta['description'] as string).length > 1024)
    warn('description', 'description should have at most 1024 characters');
  const compatibility = meta['compatibility'];
  if (
    compatibility !== undefined &&
    !(typeof compatibility === 'string' && /^[^]{1,500}$/.test(compatibility))
  ) {
    warn('compatibility', 'compatibility should be text of 1 to 500 characters');
  }
  if (meta['metadata'] !== undefined && !isTextMap(meta['metadata']))
    warn('metadata', 'metadata should map text to text');
  for (const key of ['license', 'allowed-tools']) {
    if (meta[key] !== undefined && typeof meta[key] !== 'string') warn(key, `${key} should be text`);
  }
  for (const key of Object.keys(meta)) {
    if (!KEYS.includes(key)) warn(key, `unknown key ${key}; put own entries under metadata`);
  }
  return warnings;
}

function isTextMap(value: unknown): boolean {
  return (
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.values(value).every((member) => typeof member === 'string')
  );
}
