import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type Connector,
  filesConnector,
  type LoadedRun,
  loadSkill,
  makeFolder,
  mcpConnector,
  openSqliteStore,
  RunError,
  shellConnector,
  type Skill,
  type Store,
  StoreError,
  type Tool,
} from '@skillstate/runtime';
import { IssuesError, issueLine } from './output.ts';

type Opening = { readonly durability?: 'full' | 'process'; readonly create?: boolean };

/** Opens the database and closes it again whatever happens. Only `create` makes a new one, with its folder. */
export async function withStore<T>(
  file: string,
  use: (store: Store) => Promise<T>,
  { durability = 'full', create = false }: Opening = {},
): Promise<T> {
  const path = resolve(file);
  if (create) makeDatabaseFolder(dirname(path));
  else if (!existsSync(path))
    throw new StoreError(
      'store.missing',
      path,
      'there is no such database; skillstate run makes one, --db names another',
    );
  const store = await openSqliteStore(path, { durability });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function makeDatabaseFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const hint = `the folder of the database cannot be made (${code}); choose another with --db`;
    throw new StoreError('store.readonly', folder, hint, error);
  }
}

/** A run as it is stored. Throws RunError where there is none. */
export async function needRun(store: Store, run: string): Promise<LoadedRun> {
  const loaded = await store.load(run);
  if (loaded !== null) return loaded;
  throw new RunError({ code: 'run.missing', path: '', hint: `no run ${run}; skillstate runs lists them` });
}

/** What opens the tool servers, files and shell that a skill in `base` declares. */
export function connectorsFor(base: string, unsafe = false): readonly Connector[] {
  return [mcpConnector({ base }), filesConnector({ base }), shellConnector({ base, unsafe })];
}

/** A skill from its folder; warnings go to standard error, problems are one error that lists them all. */
export async function readSkill(folder: string): Promise<Skill> {
  const loaded = await loadSkill(resolve(folder));
  if (!loaded.ok) throw new IssuesError(`${folder} is no usable skill:`, loaded.issues);
  for (const warning of loaded.value.warnings) process.stderr.write(`warning: ${issueLine(warning)}\n`);
  return loaded.value.skill;
}

/**
 * Function tools from a module that the person names: `export const tools: Tool[]`, or `export function openTools(run)`
 * for tools that keep a world per run. Never loaded from a skill folder by itself.
 */
export async function readTools(file: string | undefined, run: string): Promise<readonly Tool[]> {
  if (file === undefined) return [];
  if (!existsSync(file)) throw new Error(`--tools ${file}: there is no such file`);
  const module = (await import(pathToFileURL(resolve(file)).href)) as {
    tools?: readonly Tool[];
    openTools?: (run: string) => readonly Tool[] | Promise<readonly Tool[]>;
  };
  if (module.openTools !== undefined) return module.openTools(run);
  if (Array.isArray(module.tools)) return module.tools;
  throw new Error(`${file} exports neither \`tools\` nor \`openTools\``);
}

/** `NAME` takes the value from the environment variable of that name, `NAME=VARIABLE` from another. Never from the line itself. */
export function readSecrets(specs: readonly string[]): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const spec of specs) {
    const [name = '', variable = name] = spec.split('=', 2);
    const value = process.env[variable];
    if (value === undefined || value === '')
      throw new Error(`secret ${name}: the environment variable ${variable} is not set`);
    secrets[name] = value;
  }
  return secrets;
}
