import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadSkill, openSqliteStore, type Skill, type Store, type Tool } from '@skillstate/runtime';
import { IssuesError, issueLine } from './output.ts';

/** Opens the database, makes its folder, and closes it again whatever happens. */
export async function withStore<T>(
  file: string,
  use: (store: Store) => Promise<T>,
  durability: 'full' | 'process' = 'full',
): Promise<T> {
  const path = resolve(file);
  await mkdir(dirname(path), { recursive: true });
  const store = await openSqliteStore(path, { durability });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
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
