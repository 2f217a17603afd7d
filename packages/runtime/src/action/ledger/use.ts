import { compileExpression } from '../../json/expression.ts';
import { canonicalJson, sha256 } from '../../json/text.ts';
import type { Intent, Json, JsonObject, Tool } from '../../types.ts';
import { type Command, readCommand } from './command.ts';

/** What a call means for the ledger. */
export type Use = {
  /** The same for calls that ask for the same. */
  readonly key: string;
  readonly label: string;
  /** Whether it may change something. */
  readonly writes: boolean;
  /** What it reads or changes; null: nobody knows. */
  readonly resources: readonly string[] | null;
  readonly command: Command | null;
};

/** `commands`: the tools whose `{command}` is a shell command. */
export function useOf(intent: Intent, tool: Tool, commands: ReadonlySet<string>): Use {
  const { args } = intent.action;
  const text = args['command'];
  if (commands.has(tool.name) && typeof text === 'string' && Object.keys(args).length === 1)
    return commandUse(tool, text);
  const ordered = withSets(args, tool.declaration.sets ?? []);
  const resources = tool.declaration.polling === true ? null : declaredResources(tool, args);
  return {
    key: sha256(canonicalJson({ tool: tool.name, args: ordered })).slice(0, 16),
    label: labelOf(tool.name, args, resources),
    writes: !tool.readOnly,
    resources,
    command: null,
  };
}

/** What was read; where that is more than the files themselves, what was asked of them. */
function labelOf(name: string, args: JsonObject, resources: readonly string[] | null): string {
  if (resources === null) return name;
  if (resources.some((one) => one.startsWith('tree:'))) return `${name} ${canonicalJson(args)}`;
  return resources.map((one) => one.replace(/^file:/, '')).join(' ');
}

function commandUse(tool: Tool, text: string): Use {
  const command = readCommand(text);
  const resources = command.files?.map((file) => `file:${plainPath(file)}`) ?? null;
  const key = sha256(canonicalJson({ tool: tool.name, command: command.form })).slice(0, 16);
  return { key, label: command.form, writes: !command.readOnly, resources, command };
}

/** Arguments that mean sets, in one order (P81). */
function withSets(args: JsonObject, sets: readonly string[]): JsonObject {
  const changed: Record<string, Json> = {};
  for (const name of sets) {
    const value = args[name];
    if (Array.isArray(value)) changed[name] = sorted(value as readonly Json[]);
  }
  return { ...args, ...changed };
}

function sorted(items: readonly Json[]): readonly Json[] {
  return items
    .map((item) => [canonicalJson(item), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item);
}

const MOST_RESOURCES = 20;

/** The declared resources of a call; null where none are declared or they cannot be told. */
function declaredResources(tool: Tool, args: JsonObject): readonly string[] | null {
  const source = tool.declaration.resources;
  if (source === undefined) return null;
  const expression = compileExpression(source);
  const value = expression.ok ? expression.value.evaluate({ args }) : expression;
  if (!value.ok || !Array.isArray(value.value)) return null;
  const names = value.value as readonly Json[];
  if (names.length === 0 || names.length > MOST_RESOURCES) return null;
  return names.every((name) => typeof name === 'string' && name !== '' && name.length <= 1024)
    ? (names as readonly string[]).map((name) =>
        isFile(name) ? `${name.slice(0, 5)}${plainPath(name.slice(5))}` : name,
      )
    : null;
}

/** `file:PATH` is one file, `tree:PATH` a file or folder with all below it. */
export function isFile(resource: string): boolean {
  return resource.startsWith('file:') || resource.startsWith('tree:');
}

/** Without `.` and doubled slashes; `..` stays, for a link may stand before it. */
function plainPath(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '.' || (part === '' && kept.length > 0)) continue;
    kept.push(part);
  }
  return kept.length === 0 ? '.' : kept.join('/');
}
