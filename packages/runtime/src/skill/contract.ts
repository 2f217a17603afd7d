import { formatPointer, parsePointer } from '../json/pointer.ts';
import type { Issue, Json, JsonObject, Pointer, Result, Skill } from '../types.ts';
import { expressionIssues } from './expressions.ts';
import { FORMAT } from './format.ts';
import { skillIssue } from './issue.ts';
import { settleFormat } from './parts.ts';
import { isObject, listOf, textOf, writeOut } from './short.ts';
import { initialIssues, normaliseState, stateIssues } from './state.ts';
import type { Source } from './source.ts';

/** What SKILL.state.yaml gives to a skill. */
export type SkillContract = Omit<Skill, 'name' | 'description' | 'instructions' | 'digest'>;

/**
 * From a checked document in the format of SKILL.state.yaml to the normal form: short forms written out, defaults filled
 * in, the state schema normalised. Reports every problem at once. The document is not changed; a normal form comes out as
 * it went in.
 */
export function normaliseContract(raw: JsonObject, source: Source): Result<SkillContract> {
  const format = raw['format'];
  if (typeof format === 'number' && format > FORMAT) {
    const hint = `${source.where('/format')}format ${format} is newer than this program knows (${FORMAT}); update it`;
    return { ok: false, issues: [skillIssue('newer', '/format', hint)] };
  }
  const document = structuredClone(writeOut(raw)) as Record<string, Json>;
  const state = isObject(document['state']) ? stateParts(document, document['state'], source) : [];
  const issues = settleFormat(document, source);
  const sound = (path: Pointer): boolean =>
    !issues.some((issue) => issue.path === path || issue.path.startsWith(`${path}/`));
  issues.push(
    ...state,
    ...serverIssues(document, sound, source),
    ...confirmationIssues(document, sound, source),
  );
  issues.push(...expressionIssues(document, sound, source), ...migrationIssues(document, sound, source));
  if (issues.length > 0) return { ok: false, issues };
  delete document['format'];
  return { ok: true, value: document as unknown as SkillContract };
}

/** Normalises `document.state` in place and checks it and `initial`. */
function stateParts(document: Record<string, Json>, schema: JsonObject, source: Source): Issue[] {
  const faults = stateIssues(schema, source);
  if (faults.length > 0) return faults;
  const state = normaliseState(schema);
  document['state'] = state;
  const initial = document['initial'] ?? {};
  if (isObject(initial)) return initialIssues(state, initial, source);
  return initialIssues(state, {}, source).filter(({ code }) => code === 'skill.schema');
}

type Sound = (path: Pointer) => boolean;

function serverIssues(document: JsonObject, sound: Sound, source: Source): Issue[] {
  const actions = document['actions'];
  if (!isObject(actions) || !isObject(actions['servers'])) return [];
  return Object.entries(actions['servers']).flatMap(([name, server]) => {
    const path = formatPointer(['actions', 'servers', name]);
    if (!sound(path) || !isObject(server)) return [];
    const http = server['transport'] === 'http';
    const [wanted, foreign] = http
      ? ['url', ['command', 'args', 'env', 'cwd']]
      : ['command', ['url', 'headers']];
    const issues = foreign
      .filter((key) => key in server)
      .map((key) =>
        report(
          'value',
          `${path}/${key}`,
          `${key} does not belong to a server over ${http ? 'HTTP' : 'stdio'}`,
          source,
        ),
      );
    if (!(wanted in server))
      issues.push(
        report('missing_key', `${path}/${wanted}`, `a server needs command (stdio) or url (HTTP)`, source),
      );
    if (http && typeof server['url'] === 'string' && !/^https?:\/\//.test(server['url'])) {
      issues.push(report('value', `${path}/url`, 'the url must begin with http:// or https://', source));
    }
    return issues;
  });
}

function confirmationIssues(document: JsonObject, sound: Sound, source: Source): Issue[] {
  const issues: Issue[] = [];
  const seen = new Set<Json>();
  listOf(document['confirmations']).forEach((entry, i) => {
    const path = `/confirmations/${i}`;
    if (!sound(path) || !isObject(entry)) return;
    if (seen.has(entry['name'] as Json))
      issues.push(report('value', `${path}/name`, 'another confirmation has this name', source));
    seen.add(entry['name'] as Json);
    const names = listOf(entry['reads']).map((read) => (isObject(read) ? textOf(read['as']) : ''));
    if (new Set(names).size < names.length)
      issues.push(report('value', `${path}/reads`, 'each read needs its own name (as)', source));
    listOf(entry['checks']).forEach((check, at) => {
      const fault = isObject(check) ? checkFault(check) : null;
      if (fault !== null) issues.push(report('value', `${path}/checks/${at}`, fault, source));
    });
    const set = entry['set'];
    if (isObject(set) && parsePointer(textOf(set['path'])) === null) {
      issues.push(
        report(
          'value',
          `${path}/set/path`,
          'must be a JSON Pointer such as /orders/=args.id/confirmed',
          source,
        ),
      );
    }
  });
  return issues;
}

/** A check is one of three: `cel`; `schema` with `on`; `is` with `of` and `want`. */
function checkFault(check: JsonObject): string | null {
  const kinds = ['cel', 'schema', 'is'].filter((key) => key in check);
  if (kinds.length !== 1) return 'a check has exactly one of cel, schema and is';
  const wanted: Record<string, string[]> = { cel: [], schema: ['on'], is: ['of', 'want'] };
  const kind = kinds[0] as string;
  const keys = wanted[kind] as string[];
  const missing = keys.find((key) => !(key in check));
  if (missing !== undefined) return `a check with ${kind} needs ${missing}`;
  const foreign = Object.keys(check).find((key) => key !== kind && key !== 'hint' && !keys.includes(key));
  return foreign === undefined ? null : `${foreign} does not belong to a check with ${kind}`;
}

function migrationIssues(document: JsonObject, sound: Sound, source: Source): Issue[] {
  const seen = new Set<Json>();
  return listOf(document['migrations']).flatMap((entry, i) => {
    const path = `/migrations/${i}`;
    if (!sound(path) || !isObject(entry)) return [];
    const from = entry['from'] as Json;
    const again = seen.has(from);
    seen.add(from);
    if (again) return [report('value', `${path}/from`, 'another migration starts from this version', source)];
    return from === document['version']
      ? [report('value', `${path}/from`, 'is this version; a migration starts from an older one', source)]
      : [];
  });
}

function report(name: string, path: Pointer, hint: string, source: Source): Issue {
  return skillIssue(name, path, source.where(path) + hint);
}
