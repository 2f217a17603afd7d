import type { Dialect, Json, JsonObject, ReplyMode } from '../types.ts';
import type { Contract } from './contract.ts';
import { type ContractExample, contractExamples, type FormName, formOf, spots } from './contract-examples.ts';
import { ANY, type Field, childFields } from './field.ts';
import { fieldLines } from './field-text.ts';
import { PATCH_KEY } from './reply-format.ts';

const MADE = new WeakMap<Contract, Map<string, string>>();

/**
 * The state contract in the words of the prompt (R4): what to keep, every field with its merge rule and owner, and one proven
 * example for each form that this contract uses. The same text in every process.
 */
export function contractText(
  contract: Contract,
  { dialect, mode }: { readonly dialect: Dialect; readonly mode: ReplyMode },
): string {
  const made = MADE.get(contract) ?? new Map<string, string>();
  MADE.set(contract, made);
  const key = `${dialect} ${mode}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const text = write(contract, dialect, mode);
  made.set(key, text);
  return text;
}

const MEMORY = [
  'The state is all that you will remember. This observation disappears after this step:',
  `what later steps need must be in ${PATCH_KEY} now. Send only what changes; what you leave out stays as it is.`,
].join(' ');

function write(contract: Contract, dialect: Dialect, mode: ReplyMode): string {
  const used = usedForms(contract.root);
  const examples = contractExamples(contract, dialect);
  const rules = [...used]
    .map((form) => (dialect === 'merge' ? MERGE_RULES[form] : OPERATION_RULES[form]))
    .filter((rule) => rule !== '');
  const opening = dialect === 'merge' ? [] : [operationsIntro(mode)];
  return [
    MEMORY,
    'Fields (? means optional):',
    ...fieldLines(contract.root),
    `How ${PATCH_KEY} changes them:`,
    ...opening,
    ...rules.map((rule) => `- ${rule}`),
    ...(examples.length > 0 ? ['Examples:', ...examples.map(exampleText)] : []),
  ].join('\n');
}

const MERGE_RULES: Readonly<Record<FormName, string>> = {
  set: 'a plain value replaces the old one.',
  delete: 'null removes an optional field.',
  object: 'in an object send only the members that change.',
  map: 'in a map send only the keys that change; null removes a key.',
  list: '[list]: send the whole list with what stays in it; {"$append": […]} adds, {"$remove": […]} removes, {"$set": […]} replaces even if items get lost.',
  replace: '[replace]: what you send replaces the whole list.',
  append:
    '[append]: send only the new items, they go to the end; {"$append": […]} repeats one that is there already; {"$remove": […]} removes.',
  union: '[union]: a set; send only items to add; {"$remove": […]} removes.',
  keyed:
    '[keyed]: send only the records that change, each with its key and the members that change; new keys are added; {"$remove": [key]} removes.',
  sum: '[sum]: {"$add": n} adds n; nothing else changes it.',
  max: '[max]: the larger value stays.',
};

const OPERATION_RULES: Readonly<Record<FormName, string>> = {
  set: 'set puts a value in place of the old one.',
  delete: 'delete removes an optional field.',
  object: 'a path leads into objects; set on an object changes only the members that you give.',
  map: 'set and delete work on the keys of a map.',
  list: '[list]: add and remove, one item each; set with {"$set": […]} replaces the whole list.',
  replace: '[replace]: set replaces the whole list; add and remove, one item each.',
  append: '[append]: add puts one item at the end; remove takes one out.',
  union: '[union]: a set; add and remove, one item each.',
  keyed: '[keyed]: a path names a record by its key; add with a whole record adds one; delete removes one.',
  sum: '[sum]: add with a number; nothing else changes it.',
  max: '[max]: set; the larger value stays.',
};

function operationsIntro(mode: ReplyMode): string {
  const text = `A list of operations {"op", "path", "value"}; [] changes nothing. What no operation names stays.`;
  return mode === 'structured' ? `${text} A list or object as value may be given as JSON text.` : text;
}

/** Forms of all fields that the model writes, in a fixed order. */
function usedForms(root: Field): readonly FormName[] {
  const used = new Set<FormName>();
  const seen = new Set<Field>();
  const open = [root];
  for (let field = open.pop(); field !== undefined; field = open.pop()) {
    if (seen.has(field)) continue;
    seen.add(field);
    open.push(...childFields(field));
    if (field !== root && field !== ANY && field.owner === 'model') used.add(formOf(field));
  }
  if (spots(root).some(({ required, field }) => !required && field.owner === 'model')) used.add('delete');
  return (Object.keys(MERGE_RULES) as FormName[]).filter((form) => used.has(form));
}

/** The part of the state that the example is about, before and after. */
function exampleText({ path, before, patch, after }: ContractExample): string {
  const keys = path.split('/').slice(1);
  const at = (state: JsonObject): string => {
    const value = keys.reduce<Json | undefined>(
      (here, key) => (here as JsonObject | undefined)?.[key],
      state,
    );
    return value === undefined ? 'nothing' : JSON.stringify(value);
  };
  return `- ${path} ${at(before)}, ${PATCH_KEY} ${JSON.stringify(patch.value)} → ${at(after)}`;
}
