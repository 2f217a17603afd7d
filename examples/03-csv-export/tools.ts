/** Four tools on a real folder: search, read, edit, and run its tests in a process of their own. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, Tool, ToolResult, ToolSpec } from '@skillstate/runtime';

const TEXT = { type: 'string', maxLength: 4000 } as const;
const PATHS = {
  type: 'array',
  maxItems: 10,
  items: { type: 'string', pattern: '^[a-z-]+/[a-z.-]+$' },
} as const;

function tool(
  name: string,
  description: string,
  properties: JsonObject,
  more: Partial<ToolSpec>,
  run: (args: JsonObject) => ToolResult,
): Tool {
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    },
    outputSchema: null,
    readOnly: true,
    idempotent: true,
    destructive: false,
    timeoutMs: 20_000,
    declaration: {},
    ...more,
    run: ({ args }) => Promise.resolve(run(args)),
  };
}

/** The tools of the example, on a copy of the project. */
export function projectTools(project: string): Tool[] {
  const read = (path: string): string => readFileSync(join(project, path), 'utf8');
  return [
    tool('search_code', 'Find files that hold any of the words.', { query: TEXT }, {}, ({ query }) => {
      const words = String(query).toLowerCase().split(/\s+/);
      const hits = globSync('*/*.ts', { cwd: project }).sort();
      const found = hits.filter((file) =>
        words.some((word) => `${file} ${read(file)}`.toLowerCase().includes(word)),
      );
      return { status: 'ok', text: found.join('\n') };
    }),
    tool('read_files', 'Read files.', { paths: PATHS }, {}, ({ paths }) => ({
      status: 'ok',
      text: (paths as string[]).map((path) => `--- ${path}\n${read(path)}`).join('\n'),
    })),
    tool(
      'edit_files',
      'Write whole files.',
      { files: { type: 'object', additionalProperties: TEXT, maxProperties: 5 } },
      { readOnly: false },
      ({ files }) => {
        for (const [path, text] of Object.entries(files as Record<string, string>)) {
          if (!/^[a-z-]+\/[a-z.-]+$/.test(path))
            return { status: 'error', text: `${path} is no path of the project` };
          writeFileSync(join(project, path), text);
        }
        return { status: 'ok', text: `wrote ${Object.keys(files as object).join(', ')}` };
      },
    ),
    tool(
      'run_tests',
      'Run the tests of the project.',
      {},
      { readOnly: true, declaration: { polling: true } },
      () => {
        const { status, stderr } = spawnSync(process.execPath, [join(project, 'tests/orders.test.ts')], {
          encoding: 'utf8',
        });
        return {
          status: status === 0 ? 'ok' : 'error',
          text: status === 0 ? 'all tests pass' : stderr.slice(0, 2000),
        };
      },
    ),
  ];
}
