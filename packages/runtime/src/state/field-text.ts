import type { Json } from '../types.ts';
import { type Field, itemField } from './field.ts';
import { formOf } from './contract-examples.ts';
import { isObject } from './shape.ts';
import { show } from './show.ts';

const MOST_LINES = 120;
const DESCRIPTION = 90;

/** One line a field: where it is, what it holds, how it merges, who writes it. Members that were listed are not listed again. */
export function fieldLines(root: Field): readonly string[] {
  const lines: string[] = [];
  const listed = new Map<unknown, string>();
  const visit = (field: Field, path: string, optional: boolean, above: Field): void => {
    if (lines.length >= MOST_LINES) return;
    const [prefix, holder] = recordOf(field);
    const mark = holder.properties.values().next().value?.schema;
    const same = mark === undefined ? undefined : listed.get(mark);
    const like = same === undefined ? '' : `, like those of ${same}`;
    lines.push(`- ${path}${optional ? '?' : ''}: ${fieldText(field, above, like)}`);
    if (mark === undefined || same !== undefined) return;
    listed.set(mark, `${path}${prefix}`);
    for (const [key, below] of holder.properties) {
      visit(below, `${path}${prefix}/${key}`, !holder.required.has(key), holder === field ? field : holder);
    }
  };
  for (const [key, field] of root.properties) visit(field, `/${key}`, !root.required.has(key), root);
  if (root.additional !== null) lines.push(`- /<any key>?: ${fieldText(root.additional, root, '')}`);
  if (lines.length >= MOST_LINES) lines.push('- … more fields: see the state');
  return lines;
}

/** Whose members a field has: its own, or those of the records in its map or list. */
function recordOf(field: Field): readonly [prefix: string, holder: Field] {
  if (field.properties.size > 0) return ['', field];
  const value = field.additional ?? field.patterns[0]?.field;
  if (value !== undefined && value !== null && value.properties.size > 0) return ['/<key>', value];
  return field.items === null ? ['', field] : [`/<${field.key ?? 'item'}>`, field.items];
}

function fieldText(field: Field, above: Field, like: string): string {
  const parts = [typeText(field) + like];
  const form = formOf(field);
  if (form !== 'set' && form !== 'object' && form !== 'map') {
    parts.push(form === 'keyed' ? `[keyed by ${field.key ?? 'id'}]` : `[${form}]`);
  }
  if (field.overflow === 'drop-oldest') parts.push('when full the oldest goes');
  if (field.owner !== 'model' && field.owner !== above.owner) {
    parts.push(field.owner === 'runtime' ? 'only the runtime writes it' : 'only people write it');
  }
  if (field.commit === 'success' && above.commit !== 'success')
    parts.push('counts only when the action succeeds');
  const { description } = field.words;
  if (typeof description === 'string') parts.push(oneLine(description));
  return parts.join('; ').replaceAll('; [', ' [');
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= DESCRIPTION ? line : `${line.slice(0, DESCRIPTION)}…`;
}

/** `list of text, at most 20`; `one of "open", "closed"`; `number from 0 to 5 or null`. */
function typeText(field: Field): string {
  const { words, types } = field;
  if ('const' in words) return show(words['const'] ?? null);
  const values = words['enum'];
  if (Array.isArray(values))
    return `one of ${(values as readonly Json[])
      .slice(0, 24)
      .map((one) => show(one))
      .join(', ')}`;
  if (types.size >= 7) return 'any value';
  const names = [...types].flatMap((type) => (type === 'null' ? [] : namesOf(type, field)));
  return [...new Set(names), ...(types.has('null') ? ['null'] : [])].join(' or ') + bytesText(field);
}

function namesOf(type: string, field: Field): readonly string[] {
  const { words } = field;
  if (type === 'string') return [`text${textLimits(words)}`];
  if (type === 'number' || (type === 'integer' && !field.types.has('number'))) {
    return [`${type === 'integer' ? 'whole number' : 'number'}${range(words['minimum'], words['maximum'])}`];
  }
  if (type === 'integer') return [];
  if (type === 'boolean') return ['true or false'];
  if (type === 'array') {
    const most = field.maxItems === null ? '' : `, at most ${field.maxItems}`;
    const item = field.items === null ? 'any value' : itemName(itemField(field));
    return [`list of ${item}${most}`];
  }
  if (field.properties.size > 0) return ['object'];
  const value = field.additional ?? field.patterns[0]?.field ?? null;
  const pattern = isObject(words['propertyNames']) ? words['propertyNames']['pattern'] : undefined;
  const key = typeof pattern === 'string' ? ` by key like ${show(pattern, 40)}` : ' by key';
  return [`map${key}${value === null ? '' : ` of ${itemName(value)}`}`];
}

function itemName(field: Field): string {
  return field.properties.size > 0 ? 'records' : typeText(field);
}

function textLimits(words: Field['words']): string {
  const { format, pattern, maxLength } = words;
  const form =
    typeof format === 'string'
      ? ` (${format})`
      : typeof pattern === 'string'
        ? ` like ${show(pattern, 40)}`
        : '';
  return typeof maxLength === 'number' ? `${form} up to ${maxLength} characters` : form;
}

function range(minimum: Json | undefined, maximum: Json | undefined): string {
  const low = typeof minimum === 'number' ? ` from ${minimum}` : '';
  return typeof maximum === 'number' ? `${low} to ${maximum}` : low;
}

function bytesText(field: Field): string {
  return field.bound === 'declared' ? ` up to ${field.maxBytes} bytes` : '';
}
