import { canonicalJson, sha256 } from '../json/text.ts';
import type { Issue, Json, Skill, Tool, ToolDeclaration, ToolSpec } from '../types.ts';
import { builtinSpecs, isBuiltin } from './builtin.ts';
import { checkInputSchema } from './check.ts';

/** The resolved tools of a run: sorted by name, bound to the run by `digest`. */
export type Toolset = {
  /** What the model is offered, built-ins included. */
  readonly specs: readonly ToolSpec[];
  readonly digest: string;
  /** Tools that could not be offered, and why; the rest work. */
  readonly disabled: readonly Issue[];
  find(name: string): Tool | undefined;
};

/** Merges what the skill declares about a tool over what its source says. Unknown counts as not safe to repeat (R11). */
export function declareTool(tool: Tool, declaration: ToolDeclaration | undefined): Tool {
  if (declaration === undefined) return tool;
  return {
    ...specOf(tool),
    readOnly: declaration.readOnly ?? tool.readOnly,
    idempotent: declaration.idempotent ?? tool.idempotent,
    destructive: declaration.destructive ?? tool.destructive,
    timeoutMs: declaration.timeoutMs ?? tool.timeoutMs,
    declaration: { ...tool.declaration, ...declaration },
    run: (call) => tool.run(call),
    ...(tool.fingerprint === undefined
      ? {}
      : { fingerprint: (resources) => tool.fingerprint?.(resources) ?? Promise.resolve(null) }),
  };
}

function refusal(tool: Tool, seen: ReadonlySet<string>): Issue | null {
  const path = `/tools/${tool.name}`;
  if (isBuiltin(tool.name))
    return { code: 'action.reserved_name', path, hint: `${tool.name} is a built-in; rename the tool` };
  if (seen.has(tool.name))
    return { code: 'action.duplicate_tool', path, hint: `two sources offer ${tool.name}; allow one of them` };
  return checkInputSchema(tool, path);
}

/**
 * Puts the tools of all sources together: allow-list, declarations, built-ins; sorted by name so that the prompt is
 * the same whatever order servers answer in (R2). A tool that cannot be used is left out and named in `disabled`.
 */
export function createToolset(skill: Skill, sources: readonly Tool[]): Toolset {
  const { allow, tools: declarations, functions, recall, command } = skill.actions;
  const usable = new Map<string, Tool>();
  const disabled: Issue[] = [];
  for (const source of sources) {
    if (allow !== null && !allow.includes(source.name)) continue;
    const issue = refusal(source, new Set(usable.keys()));
    if (issue !== null) disabled.push(issue);
    else usable.set(source.name, declareTool(source, declarations[source.name]));
  }
  for (const name of new Set([...(allow ?? []), ...functions, ...(command === null ? [] : [command])])) {
    if (usable.has(name) || isBuiltin(name) || disabled.some((issue) => issue.path === `/tools/${name}`))
      continue;
    disabled.push({ code: 'action.missing_tool', path: `/tools/${name}`, hint: `no source offers ${name}` });
  }
  const specs = [...usable.values()].map(specOf).concat(builtinSpecs(recall)).sort(byName);
  const digest = sha256(canonicalJson(specs as unknown as Json));
  return { specs, digest, disabled, find: (name) => usable.get(name) };
}

/** The toolset as a run stored it, with nothing behind the names: for looking, never for running. */
export function storedToolset(specs: readonly ToolSpec[], digest: string): Toolset {
  return { specs, digest, disabled: [], find: () => undefined };
}

/** What a tool says of itself, without what performs it. */
export function specOf(tool: Tool): ToolSpec {
  const {
    name,
    description,
    inputSchema,
    outputSchema,
    readOnly,
    idempotent,
    destructive,
    timeoutMs,
    declaration,
  } = tool;
  return {
    name,
    description,
    inputSchema,
    outputSchema,
    readOnly,
    idempotent,
    destructive,
    timeoutMs,
    declaration,
  };
}

function byName(a: ToolSpec, b: ToolSpec): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** What changed between the tool list a run is bound to and the one found now, in words. */
export function diffToolSpecs(before: readonly ToolSpec[], after: readonly ToolSpec[]): readonly string[] {
  const old = new Map(before.map((spec) => [spec.name, spec]));
  const changes: string[] = [];
  for (const spec of after) {
    const previous = old.get(spec.name);
    old.delete(spec.name);
    if (previous === undefined) changes.push(`tool ${spec.name} added`);
    else if (canonicalJson(previous as unknown as Json) !== canonicalJson(spec as unknown as Json))
      changes.push(`tool ${spec.name} changed`);
  }
  for (const name of old.keys()) changes.push(`tool ${name} removed`);
  return changes;
}
