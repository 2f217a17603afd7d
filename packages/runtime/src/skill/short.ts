import type { Json, JsonObject } from '../types.ts';

/**
 * Writes out the short forms that SKILL.state.yaml allows. What has another form than expected stays as it is, for the
 * format check to name. The input is not changed.
 *
 * - `approvals: [tool, …]` is `approvals: {tools: […]}`
 * - `actions.files: [folder, …]` is `files: {roots: […]}`; `actions.shell: true` is `shell: {}`
 * - a server's `transport` follows from `command` or `url`
 * - in a confirmation: `after: tool`, `read: {…}` for one read (as `read`), `checks: [cel, …]`
 */
export function writeOut(raw: JsonObject): JsonObject {
  const next: Record<string, Json> = { ...raw };
  if (Array.isArray(raw['approvals'])) next['approvals'] = { tools: raw['approvals'] };
  if (isObject(raw['actions'])) next['actions'] = writeOutActions(raw['actions']);
  if (Array.isArray(raw['confirmations'])) {
    const confirmations: readonly Json[] = raw['confirmations'];
    next['confirmations'] = confirmations.map((entry) =>
      isObject(entry) ? writeOutConfirmation(entry) : entry,
    );
  }
  return next;
}

function writeOutActions(actions: JsonObject): JsonObject {
  const next: Record<string, Json> = { ...actions };
  if (Array.isArray(actions['files'])) next['files'] = { roots: actions['files'] };
  if (typeof actions['shell'] === 'boolean') next['shell'] = actions['shell'] ? {} : null;
  if (isObject(actions['servers'])) next['servers'] = mapMembers(actions['servers'], writeOutServer);
  return next;
}

function writeOutServer(server: Json): Json {
  if (!isObject(server)) return server;
  const http = server['transport'] === 'http' || (server['transport'] === undefined && 'url' in server);
  return http
    ? { transport: 'http', headers: {}, ...server }
    : { transport: 'stdio', args: [], env: {}, cwd: null, ...server };
}

function writeOutConfirmation(confirmation: JsonObject): JsonObject {
  const { read, ...rest } = confirmation;
  const next: Record<string, Json> = { ...rest };
  if (read !== undefined)
    next['reads'] = confirmation['reads'] === undefined ? [read] : [read, ...listOf(confirmation['reads'])];
  if (typeof next['after'] === 'string') next['after'] = [next['after']];
  if (Array.isArray(next['reads'])) {
    const reads: readonly Json[] = next['reads'];
    next['reads'] = reads.map((entry, i) =>
      isObject(entry) ? { as: i === 0 ? 'read' : `read${i + 1}`, ...entry } : entry,
    );
  }
  if (Array.isArray(next['checks'])) {
    const checks: readonly Json[] = next['checks'];
    next['checks'] = checks.map(writeOutCheck);
  }
  return next;
}

function writeOutCheck(check: Json): Json {
  if (typeof check === 'string') return { cel: check, hint: `does not hold: ${check}` };
  if (!isObject(check)) return check;
  const what =
    check['cel'] ??
    (check['is'] === undefined ? check['on'] : `${textOf(check['is'])} of ${textOf(check['of'])}`);
  const next: Record<string, Json> = { hint: `does not hold: ${textOf(what)}`, ...check };
  if (check['schema'] !== undefined && check['on'] === undefined) next['on'] = 'read';
  if (check['is'] === 'exists' && check['want'] === undefined) next['want'] = true;
  return next;
}

function mapMembers(object: JsonObject, map: (member: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, map(member)]));
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
