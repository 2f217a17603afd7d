import { checkJson } from '../json/parse.ts';
import type { Issue, Json, JsonObject, Result, Skill } from '../types.ts';
import { normaliseContract } from './contract.ts';
import { skillIssue } from './issue.ts';
import { isObject } from './short.ts';
import { makeSkill } from './skill.ts';
import { NO_SOURCE } from './source.ts';
import { isSkillName } from './text.ts';

/** A schema of any library that follows Standard JSON Schema (zod 4, and others): it can say itself as JSON Schema. */
export type StandardJsonSchema = {
  readonly '~standard': {
    readonly vendor: string;
    readonly jsonSchema?: { output(options: { target: 'draft-2020-12' }): unknown };
  };
};

type Parts<T> = T extends readonly (infer Item)[]
  ? readonly Parts<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Parts<T[Key]> }
    : T;

/** As SKILL.md and SKILL.state.yaml together: what is left out has the default of docs/skill-format.md. */
export type SkillInput = {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly state: JsonObject | StandardJsonSchema;
  readonly initial?: JsonObject;
  /** For a library without `~standard.jsonSchema`: gives JSON Schema 2020-12 of `state`, e.g. `z.toJSONSchema`. */
  readonly toJSONSchema?: (schema: never) => unknown;
} & Parts<Omit<Skill, 'name' | 'description' | 'instructions' | 'state' | 'initial' | 'digest'>>;

/** A skill definition that is wrong. `issues` says all of it. */
export class SkillError extends Error {
  readonly code: string;
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues.map(({ code, path, hint }) => `${code} ${path}: ${hint}`).join('\n'));
    this.name = 'SkillError';
    this.code = issues[0]?.code ?? 'skill.value';
    this.issues = issues;
  }
}

/**
 * A skill in code: the same frozen object, with the same digest, as a folder with the same content. The input is copied.
 * Throws `SkillError` with every problem.
 */
export function defineSkill(input: SkillInput): Skill {
  const { name, description, instructions, state, toJSONSchema, ...rest } = input;
  const issues = headIssues(input);
  const schema = jsonSchemaOf(state, toJSONSchema as ((schema: unknown) => unknown) | undefined);
  const members: Record<string, unknown> = { ...rest, ...(schema.ok ? { state: schema.value } : {}) };
  const present = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  const checked = checkJson(present);
  if (!schema.ok || !checked.ok) {
    throw new SkillError([
      ...issues,
      ...(schema.ok ? [] : schema.issues),
      ...(checked.ok ? [] : checked.issues),
    ]);
  }
  const contract = normaliseContract(checked.value as JsonObject, NO_SOURCE);
  if (!contract.ok) issues.push(...contract.issues);
  if (!contract.ok || issues.length > 0) throw new SkillError(issues);
  return makeSkill({ name, description: description.trim(), instructions }, contract.value);
}

function headIssues({ name, description, instructions }: SkillInput): Issue[] {
  const issues: Issue[] = [];
  if (typeof name !== 'string' || !isSkillName(name)) {
    issues.push(
      skillIssue('name', '/name', 'name must be 1 to 64 lower-case letters, digits and single hyphens'),
    );
  }
  if (typeof description !== 'string' || description.trim() === '' || description.length > 1024) {
    issues.push(
      skillIssue('description', '/description', 'description must be text of 1 to 1024 characters'),
    );
  }
  if (typeof instructions !== 'string') {
    issues.push(skillIssue('value', '/instructions', 'instructions must be text'));
  }
  return issues;
}

/** The JSON Schema of what `state` was given as. A schema library that throws gives an issue. */
function jsonSchemaOf(state: unknown, convert: ((schema: unknown) => unknown) | undefined): Result<Json> {
  const fail = (hint: string): { ok: false; issues: Issue[] } => ({
    ok: false,
    issues: [skillIssue('schema', '/state', hint)],
  });
  try {
    const value = convert === undefined ? ownJsonSchema(state) : convert(state);
    if (value === undefined) {
      return fail(
        'this schema library gives no JSON Schema itself; pass a toJSONSchema function, or JSON Schema',
      );
    }
    const checked = checkJson(value);
    if (!checked.ok)
      return { ok: false, issues: checked.issues.map((one) => ({ ...one, path: `/state${one.path}` })) };
    return isObject(checked.value) ? checked : fail('the state must be a JSON Schema of an object');
  } catch (error) {
    return fail(
      `the schema cannot be said as JSON Schema: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** JSON Schema is plain data; anything that enumerates `~standard`, or is no plain object, is a schema of a library. */
function ownJsonSchema(state: unknown): unknown {
  if (state === null || (typeof state !== 'object' && typeof state !== 'function')) return state ?? null;
  const plain = typeof state === 'object' && Object.getPrototypeOf(state) === Object.prototype;
  if (plain && !Object.keys(state).includes('~standard')) return state;
  const standard = (state as Partial<StandardJsonSchema>)['~standard'];
  return standard?.jsonSchema?.output({ target: 'draft-2020-12' });
}
