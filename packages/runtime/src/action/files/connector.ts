import type { JsonObject, Skill, Tool, ToolCall, ToolResult } from '../../types.ts';
import { fingerprintFiles } from '../ledger/fingerprint.ts';
import { type Connector, noTools } from '../source.ts';
import { LIST_SCHEMA, listFiles, SEARCH_SCHEMA, searchFiles } from './look.ts';
import { READ_SCHEMA, readFile } from './read.ts';
import { locate, openRoots, type Root } from './roots.ts';
import { fingerprintTrees, ofTree } from './tree.ts';
import { EDIT_SCHEMA, editFile, WRITE_SCHEMA, writeFile } from './write.ts';

export type FilesOptions = {
  /** Directory that relative roots start from: the skill's folder. */
  readonly base: string;
};

/**
 * File tools inside `skill.actions.files.roots`: `read_file`, `list_files`, `search_files`, and with `write` also
 * `write_file` and `edit_file`. Paths begin with a root as the skill writes it; nothing leads out, links included.
 * Failures, conflicts of versions among them, are results with status `error`. Rejects where a root is no folder.
 */
export function filesConnector({ base }: FilesOptions): Connector {
  return async (skill: Skill) => {
    const { files } = skill.actions;
    if (files === null) return noTools();
    const roots = await openRoots(base, files.roots);
    const tools = files.write ? [...readers(roots), ...writers(roots)] : readers(roots);
    return { tools, facts: {}, close: () => Promise.resolve() };
  };
}

function readers(roots: readonly Root[]): Tool[] {
  const where = roots.map(({ name }) => name).join(', ');
  const read = { readOnly: true, idempotent: true, destructive: false };
  return [
    {
      ...tool(
        'read_file',
        `Reads a file, or lines or bytes of it. Folders: ${where}.`,
        READ_SCHEMA,
        read,
        OF_PATH,
        ({ args }) => readFile(roots, args),
      ),
      fingerprint: (resources) => fingerprintFiles(resources, (path) => realPath(roots, path)),
    },
    {
      ...tool(
        'list_files',
        `Lists files and folders. Folders: ${where}.`,
        LIST_SCHEMA,
        read,
        ofTree(roots),
        ({ args, signal }) => listFiles(roots, args, signal),
      ),
      fingerprint: (resources) => fingerprintTrees(roots, resources, false),
    },
    {
      ...tool(
        'search_files',
        'Finds the lines of files that hold a text.',
        SEARCH_SCHEMA,
        read,
        ofTree(roots),
        ({ args, signal }) => searchFiles(roots, args, signal),
      ),
      fingerprint: (resources) => fingerprintTrees(roots, resources, true),
    },
  ];
}

async function realPath(roots: readonly Root[], path: string): Promise<string | null> {
  const found = await locate(roots, path);
  return found.ok ? found.real : null;
}

/** Both can be repeated: a content that is there already, and an edit that was made already, are found out. */
function writers(roots: readonly Root[]): Tool[] {
  const write = { readOnly: false, idempotent: true, destructive: true };
  return [
    tool(
      'write_file',
      'Writes a whole file; folders are made as needed.',
      WRITE_SCHEMA,
      write,
      OF_PATH,
      ({ args }) => writeFile(roots, args),
    ),
    tool('edit_file', 'Replaces one text in a file that was read.', EDIT_SCHEMA, write, OF_PATH, ({ args }) =>
      editFile(roots, args),
    ),
  ];
}

/** For the ledger: exactly the file of its path. */
const OF_PATH = { resources: '["file:" + args.path]' };

function tool(
  name: string,
  description: string,
  inputSchema: JsonObject,
  hints: Pick<Tool, 'readOnly' | 'idempotent' | 'destructive'>,
  declaration: Tool['declaration'],
  run: (call: ToolCall) => Promise<ToolResult>,
): Tool {
  return {
    name,
    description,
    inputSchema,
    outputSchema: null,
    ...hints,
    timeoutMs: 60_000,
    declaration,
    run,
  };
}
