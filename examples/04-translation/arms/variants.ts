/** This runtime with one of its validations switched off at a time. */
import { defineSkill, type JsonObject, type Skill, type SkillInput } from '@skillstate/runtime';

export type Variant = {
  readonly name: string;
  /** The fault that the validation stops. */
  readonly stops: string;
  readonly change: (skill: Skill) => Skill;
  /** Whether arguments go to the server unchecked. */
  readonly loose: boolean;
};

function change(edit: (skill: Omit<Skill, 'digest'>) => SkillInput): (skill: Skill) => Skill {
  return (whole) => {
    const { digest: _, ...skill } = whole;
    return defineSkill(edit(skill));
  };
}

type Confirmation = Skill['confirmations'][number];

function confirmations(edit: (confirmation: Confirmation) => Confirmation): (skill: Skill) => Skill {
  return change((skill) => ({ ...skill, confirmations: skill.confirmations.map(edit) }));
}

function withoutCheck(is: string): (skill: Skill) => Skill {
  return confirmations((one) => ({
    ...one,
    checks: one.checks.filter((check) => !('is' in check && check.is === is)),
  }));
}

function tools(edit: (declaration: JsonObject) => JsonObject): (skill: Skill) => Skill {
  return change((skill) => {
    const entries = Object.entries(skill.actions.tools).map(
      ([name, tool]) => [name, edit(tool as JsonObject)] as const,
    );
    return { ...skill, actions: { ...skill.actions, tools: Object.fromEntries(entries) } } as SkillInput;
  });
}

function field(state: JsonObject, name: string, edit: (schema: JsonObject) => JsonObject): JsonObject {
  const properties = state['properties'] as JsonObject;
  return { ...state, properties: { ...properties, [name]: edit(properties[name] as JsonObject) } };
}

const without =
  (...names: readonly string[]) =>
  (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Without the chapter that says who fills `verified_fr`. */
export function jobOnly(instructions: string): string {
  return instructions.split('## How the work is checked')[0]?.trim() ?? '';
}

/** The model writes `verified_fr` itself; what the read-back finds goes to a field that nothing looks at. */
function ownerOff(skill: Omit<Skill, 'digest'>): SkillInput {
  const open = field(skill.state, 'verified_fr', without('x-owner'));
  const read: JsonObject = {
    type: 'object',
    'x-owner': 'runtime',
    maxProperties: 20,
    additionalProperties: { type: 'integer' },
  };
  const state = {
    ...open,
    properties: { ...(open['properties'] as JsonObject), read_back: read },
    required: ['wanted', 'verified_fr', 'verified_empty', 'articles', 'read_back'],
  };
  const kept = skill.confirmations.map((one) =>
    one.name === 'fr-draft'
      ? { ...one, required: false, set: { ...one.set, path: '/read_back/=article.translation_of' } }
      : one,
  );
  return {
    ...skill,
    instructions: jobOnly(skill.instructions),
    state: withoutOrder(state),
    initial: { ...skill.initial, read_back: {} },
    confirmations: kept,
  };
}

const withoutOrder = without('x-order');

const CLAIMS =
  'size(state.articles) == state.wanted && state.articles.all(id, state.articles[id].status == "done")';

export const RUNTIME: Variant = { name: 'this runtime', stops: '', change: (skill) => skill, loose: false };

export const VARIANTS: readonly Variant[] = [
  { name: '− argument check', stops: 'invented arguments', change: (skill) => skill, loose: true },
  {
    name: '− coercion',
    stops: 'a string for an integer',
    change: change((skill) => ({ ...skill, coerce: false })),
    loose: false,
  },
  { name: '− owner', stops: 'writing a verified field', change: change(ownerOff), loose: false },
  {
    name: '− read-back',
    stops: 'a 200 taken for a commit',
    change: change((skill) => ({ ...ownerOff(skill), confirmations: [], done: CLAIMS })),
    loose: false,
  },
  {
    name: '− freshness',
    stops: 'a cached read taken for the world',
    change: confirmations((one) => {
      const { when: _, ...fresh } = one.fresh;
      return { ...one, reads: articleFirst(one), fresh: { ...fresh, deadlineMs: 0 } };
    }),
    loose: false,
  },
  { name: '− business key', stops: 're-creating', change: tools(without('key')), loose: false },
  {
    name: '− precondition',
    stops: 'publishing by default',
    change: tools(without('preconditions')),
    loose: false,
  },
  {
    name: '− delimiter check',
    stops: 'a residual delimiter',
    change: withoutCheck('no-residual'),
    loose: false,
  },
  { name: '− length check', stops: 'half a translation', change: withoutCheck('length-ratio'), loose: false },
  {
    name: '− finish gate',
    stops: 'claiming done',
    change: change((skill) => ({
      ...skill,
      done: null,
      confirmations: skill.confirmations.map((one) => ({ ...one, required: false })),
    })),
    loose: false,
  },
];

/** The author's mistake: the article is read first, so the list of its paragraphs comes from the cache. */
function articleFirst({ name, reads }: Confirmation): Confirmation['reads'] {
  if (name !== 'fr-draft') return reads;
  const [paragraphs, article, ...rest] = reads;
  if (paragraphs === undefined || article === undefined) return reads;
  return [{ ...article, args: { id: paragraphs.args['article_id'] ?? null } }, paragraphs, ...rest];
}
