import { FORBIDDEN_KEYS } from '../json/rules.ts';
import type { Issue, Json, JsonObject, Merge, Overflow, Owner } from '../types.ts';
import { ALL_TYPES, type JsonType, type Shape, type Shapes, typeOf } from './shape.ts';

/**
 * One place of the state contract. Fields form a graph: a recursive schema links back to an earlier field, so walks over
 * fields must follow a value or remember what they have seen.
 */
export type Field = {
  readonly schema: JsonObject;
  readonly types: ReadonlySet<JsonType>;
  /** As declared by `x-merge`; null: objects merge deeply, lists are replaced under guard, the rest is replaced. */
  readonly merge: Merge | null;
  /** `x-key`: the member that identifies a record of a keyed list. */
  readonly key: string | null;
  readonly owner: Owner;
  readonly commit: 'accept' | 'success';
  readonly overflow: Overflow;
  /** Largest JSON text of the value in UTF-8 bytes: `x-max-bytes`, else derived or defaulted; null: bounded by what holds it. */
  readonly maxBytes: number | null;
  readonly bound: 'declared' | 'derived' | 'default' | null;
  readonly maxItems: number | null;
  readonly properties: ReadonlyMap<string, Field>;
  readonly required: ReadonlySet<string>;
  readonly patterns: readonly { readonly test: RegExp; readonly field: Field }[];
  /** For keys that are not named; null: there are none. */
  readonly additional: Field | null;
  readonly items: Field | null;
  /** The keywords of the schema that the contract's text and examples show. */
  readonly words: Readonly<Record<string, Json>>;
  /** Whether this field or one below it is not the model's, waits for success, has a byte bound, or can be nearly full. */
  readonly foreign: boolean;
  readonly waits: boolean;
  readonly bounded: boolean;
  readonly fillable: boolean;
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Draft = Mutable<Field>;
type Inherited = { readonly owner: Owner; readonly commit: Field['commit']; readonly inside: boolean };

/** Shorter texts are often full by nature (codes, ids): nobody needs to be told. */
export const LONG_TEXT = 256;

/** Bytes of a field for which the schema sets no limit (R3). */
export const DEFAULT_BYTES = { text: 2048, container: 16_384 };
const MOST_FIELDS = 2000;
const MERGES: readonly string[] = ['replace', 'append', 'union', 'keyed', 'sum', 'max'];

/** A value about which the schema says nothing. */
export const ANY: Field = anyField();

/** The graph of fields of a schema, and what is wrong with its annotations. */
export function buildFields(
  schema: JsonObject,
  shapes: Shapes,
): { readonly root: Field; readonly issues: readonly Issue[] } {
  const build = new Build(shapes);
  const root = build.field(schema, { owner: 'model', commit: 'accept', inside: false }, '');
  build.settle();
  return { root, issues: build.issues };
}

class Build {
  readonly issues: Issue[] = [];
  private readonly shapes: Shapes;
  private readonly known = new Map<JsonObject, Map<string, Draft>>();
  private readonly drafts: Draft[] = [];
  private readonly open = new Set<Draft>();

  constructor(shapes: Shapes) {
    this.shapes = shapes;
  }

  field(schema: JsonObject, above: Inherited, path: string): Draft {
    const shape = this.shapes.of(schema);
    const owner = this.word(shape, 'x-owner', ['model', 'runtime', 'user'], path) ?? above.owner;
    const commit = this.word(shape, 'x-commit', ['accept', 'success'], path) ?? above.commit;
    const variants = this.known.get(schema) ?? new Map<string, Draft>();
    this.known.set(schema, variants);
    const variant = `${owner} ${commit} ${above.inside}`;
    const known = variants.get(variant);
    if (known !== undefined) {
      if (this.open.has(known) && !above.inside && known.maxBytes === null) byDefault(known);
      return known;
    }
    const draft = this.draft(schema, shape, { ...above, owner, commit }, path);
    variants.set(variant, draft);
    this.drafts.push(draft);
    if (this.drafts.length > MOST_FIELDS) {
      if (this.drafts.length === MOST_FIELDS + 1) {
        this.fault(path, `more than ${MOST_FIELDS} fields; use a map (additionalProperties) instead`);
      }
      return draft;
    }
    this.open.add(draft);
    this.members(draft, shape, above.inside || draft.bound !== null, path);
    this.open.delete(draft);
    return draft;
  }

  private draft(schema: JsonObject, shape: Shape, above: Inherited, path: string): Draft {
    const { words } = shape;
    const merge = this.word(shape, 'x-merge', MERGES, path) as Merge | null;
    const key = typeof words['x-key'] === 'string' ? words['x-key'] : null;
    const draft: Draft = {
      schema,
      types: shape.types,
      merge: merge ?? (shape.tuple ? 'replace' : null),
      key: merge === 'keyed' ? (key ?? 'id') : null,
      owner: above.owner,
      commit: above.commit,
      overflow: this.word(shape, 'x-overflow', ['reject', 'drop-oldest'], path) ?? 'reject',
      maxBytes: null,
      bound: null,
      maxItems: whole(words['maxItems']),
      properties: new Map(),
      required: shape.required,
      patterns: [],
      additional: null,
      items: null,
      words,
      foreign: above.owner !== 'model',
      waits: above.commit === 'success',
      bounded: false,
      fillable: whole(words['maxItems']) !== null || (whole(words['maxLength']) ?? 0) >= LONG_TEXT,
    };
    setBound(draft, shape, above.inside);
    draft.fillable ||= draft.bounded;
    this.checkMerge(draft, path);
    return draft;
  }

  private members(draft: Draft, shape: Shape, inside: boolean, path: string): void {
    const below: Inherited = { owner: draft.owner, commit: draft.commit, inside };
    const properties = new Map<string, Field>();
    for (const [key, schema] of shape.properties) {
      const at = `${path}/${key}`;
      if (key.startsWith('$') || FORBIDDEN_KEYS.has(key))
        this.fault(at, `a state key may not be called ${key}`);
      properties.set(key, this.field(schema, below, at));
    }
    draft.properties = properties;
    draft.patterns = shape.patterns.flatMap(([pattern, schema]) => {
      const test = compile(pattern);
      if (test === null) this.fault(path, `patternProperties: ${pattern} is no regular expression`);
      return test === null ? [] : [{ test, field: this.field(schema, below, `${path}/*`) }];
    });
    const { additional } = shape;
    if (additional) draft.additional = this.field(additional, below, `${path}/*`);
    else if (additional === null && isOpenMap(shape) && shape.types.has('object')) draft.additional = ANY;
    if (shape.items !== null) draft.items = this.field(shape.items, below, `${path}/*`);
  }

  /** Carries the four flags up until nothing changes; the graph may have cycles. */
  settle(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const draft of this.drafts) {
        for (const below of childFields(draft)) {
          for (const flag of ['foreign', 'waits', 'bounded', 'fillable'] as const) {
            if (draft[flag] || !below[flag]) continue;
            draft[flag] = true;
            changed = true;
          }
        }
      }
    }
  }

  private checkMerge(draft: Draft, path: string): void {
    const { merge, types } = draft;
    const lists = merge === 'append' || merge === 'union' || merge === 'keyed';
    if (lists && !types.has('array')) this.fault(path, `x-merge: ${merge} is for lists`);
    if (merge === 'sum' && !types.has('integer')) this.fault(path, 'x-merge: sum is for numbers');
    if (merge === 'max' && !types.has('integer') && !types.has('string')) {
      this.fault(path, 'x-merge: max is for numbers and texts');
    }
  }

  private word<T extends string>(shape: Shape, name: string, allowed: readonly T[], path: string): T | null {
    const value = shape.words[name];
    if (value === undefined) return null;
    const found = allowed.find((one) => one === value);
    if (found === undefined) this.fault(path, `${name} is one of ${allowed.join(', ')}`);
    return found ?? null;
  }

  private fault(path: string, hint: string): void {
    this.issues.push({ code: 'skill.contract', path, hint });
  }
}

function setBound(draft: Draft, shape: Shape, inside: boolean): void {
  const declared = whole(shape.words['x-max-bytes']);
  if (declared !== null) {
    Object.assign(draft, { maxBytes: declared, bound: 'declared', bounded: true });
    return;
  }
  if (inside || 'enum' in shape.words || 'const' in shape.words) return;
  const has = (type: JsonType): boolean => shape.types.has(type);
  const openObject = has('object') && (shape.additional || shape.patterns.length > 0 || isOpenMap(shape));
  const openList = has('array') && (draft.maxItems === null || shape.items === null);
  if (openObject || openList) byDefault(draft);
  else if (has('string')) {
    const longest = whole(shape.words['maxLength']);
    const bytes = longest === null ? DEFAULT_BYTES.text : longest * 4 + 2;
    if (!has('object') && !has('array')) {
      Object.assign(draft, {
        maxBytes: bytes,
        bound: longest === null ? 'default' : 'derived',
        bounded: true,
      });
    } else byDefault(draft);
  }
}

function byDefault(draft: Draft): void {
  Object.assign(draft, {
    maxBytes: DEFAULT_BYTES.container,
    bound: 'default',
    bounded: true,
    fillable: true,
  });
}

/** An object about whose keys nothing is said is a map; one that names some is closed. */
function isOpenMap(shape: Shape): boolean {
  return shape.additional === null && shape.properties.size === 0 && shape.patterns.length === 0;
}

/** The field of a member; null where the contract has no such key. */
export function memberField(field: Field, key: string): Field | null {
  const named = field.properties.get(key);
  if (named !== undefined) return named;
  const matched = field.patterns.find(({ test }) => test.test(key));
  return matched?.field ?? field.additional;
}

export function itemField(field: Field): Field {
  return field.items ?? ANY;
}

/** All fields directly below, without repetition. */
export function childFields(field: Field): readonly Field[] {
  const more = [...field.patterns.map(({ field: below }) => below), field.additional, field.items];
  return [...field.properties.values(), ...more.filter((below) => below !== null)];
}

/** Whether the schema takes values of this JSON type here (nothing else is checked). */
export function accepts(field: Field, value: Json): boolean {
  return field.types.has(typeOf(value));
}

function compile(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return null;
  }
}

function whole(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

function anyField(): Field {
  const field: Draft = {
    schema: {},
    types: new Set(ALL_TYPES),
    merge: null,
    key: null,
    owner: 'model',
    commit: 'accept',
    overflow: 'reject',
    maxBytes: null,
    bound: null,
    maxItems: null,
    properties: new Map(),
    required: new Set(),
    patterns: [],
    additional: null,
    items: null,
    words: {},
    foreign: false,
    waits: false,
    bounded: false,
    fillable: false,
  };
  field.additional = field;
  field.items = field;
  return field;
}
