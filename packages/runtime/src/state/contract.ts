import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { canonicalJson, sha256 } from '../json/text.ts';
import type { Issue, Json, JsonObject, Result } from '../types.ts';
import { closedSchema } from './closed-schema.ts';
import { buildFields, type Field } from './field.ts';
import { FORMATS } from './formats.ts';
import { isObject, schemaShapes } from './shape.ts';
import { type WorstCase, worstCase } from './worst-case.ts';

/** What a skill's state schema means: how to navigate, merge, validate and bound Σ. Immutable, shared by digest. */
export type Contract = {
  /** SHA-256 of the schema's RFC 8785 text. */
  readonly digest: string;
  readonly schema: JsonObject;
  readonly root: Field;
  /** Compiled once. Objects that name properties are closed unless the schema says otherwise. */
  readonly validate: ValidateFunction;
  readonly worstCaseBytes: WorstCase;
};

const MOST_CONTRACTS = 32;
const BY_SCHEMA = new WeakMap<JsonObject, Contract>();
const BY_DIGEST = new Map<string, Contract>();

/** The contract of a state schema (JSON Schema 2020-12). Throws with every issue where it is none; see `checkContract`. */
export function compileContract(schema: JsonObject): Contract {
  const result = checkContract(schema);
  if (result.ok) return result.value;
  const lines = result.issues.map(({ path, hint }) => `${path === '' ? '/' : path}: ${hint}`);
  throw new Error(`The state schema is no contract:\n${lines.join('\n')}`);
}

/**
 * Compiles a state schema, or says what is wrong with it: `skill.schema` (not JSON Schema, dangling references, a root that
 * is no object) and `skill.contract` (annotations that do not fit). Cached; compiling takes some 10 ms, a second time none.
 */
export function checkContract(schema: JsonObject): Result<Contract> {
  const cached = BY_SCHEMA.get(schema);
  if (cached !== undefined) return { ok: true, value: cached };
  const digest = sha256(canonicalJson(schema));
  const known = BY_DIGEST.get(digest);
  const result: Result<Contract> = known === undefined ? compile(schema, digest) : { ok: true, value: known };
  if (!result.ok) return result;
  BY_SCHEMA.set(schema, result.value);
  BY_DIGEST.delete(digest);
  BY_DIGEST.set(digest, result.value);
  const oldest = BY_DIGEST.size > MOST_CONTRACTS ? BY_DIGEST.keys().next().value : undefined;
  if (oldest !== undefined) BY_DIGEST.delete(oldest);
  return result;
}

function compile(schema: JsonObject, digest: string): Result<Contract> {
  const shapes = schemaShapes(schema);
  const { root, issues } = buildFields(schema, shapes);
  const faults: Issue[] = [...issues];
  for (const reference of shapes.faults) {
    faults.push(schemaIssue('', `${reference} leads nowhere; only references inside the schema (#/…) work`));
  }
  if (root.types.size !== 1 || !root.types.has('object')) {
    faults.push(schemaIssue('', 'the state is one object: say type: object'));
  }
  const closed = validator(closedSchema(schema, shapes));
  if (!closed.ok && shapes.faults.size === 0) faults.push(...closed.issues);
  if (!closed.ok || faults.length > 0) return { ok: false, issues: faults };
  const worstCaseBytes = worstCase(root);
  return { ok: true, value: { digest, schema, root, validate: closed.value, worstCaseBytes } };
}

/** The compiled schema. Its keywords are checked by compiling them: the meta-schema would double the cost. */
function validator(schema: JsonObject): Result<ValidateFunction> {
  const ajv = new Ajv2020({
    allErrors: true,
    strictRequired: false,
    strictTypes: false,
    strictTuples: false,
    allowUnionTypes: true,
    logger: false,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
  });
  ajv.addVocabulary(annotations(schema));
  for (const name of formatNames(schema)) ajv.addFormat(name, FORMATS[name] ?? true);
  try {
    return { ok: true, value: ajv.compile(schema) };
  } catch (error) {
    const hint = error instanceof Error ? error.message : String(error);
    return { ok: false, issues: [schemaIssue('', hint)] };
  }
}

/** Every `x-…` word of the schema: annotations of ours and of others. */
function annotations(schema: JsonObject): string[] {
  const words = new Set<string>();
  visit(schema, (key) => {
    if (key.startsWith('x-')) words.add(key);
  });
  return [...words];
}

function formatNames(schema: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  visit(schema, (key, value) => {
    if (key === 'format' && typeof value === 'string') names.add(value);
  });
  return names;
}

function visit(root: JsonObject, see: (key: string, value: Json) => void): void {
  const open: Json[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) open.push(...(node as Json[]));
    else if (isObject(node)) {
      for (const [key, value] of Object.entries(node)) {
        see(key, value);
        open.push(value);
      }
    }
  }
}

function schemaIssue(path: string, hint: string): Issue {
  return { code: 'skill.schema', path, hint };
}
