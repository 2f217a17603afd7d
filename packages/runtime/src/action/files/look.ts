import { lstat } from 'node:fs/promises';
import type { JsonObject, ToolResult } from '../../types.ts';
import { showBytes } from '../shell/bytes.ts';
import { readWhole } from './disk.ts';
import { locate, type Root } from './roots.ts';
import { type Entry, walk } from './walk.ts';

const MOST_ENTRIES = 2000;
const MOST_LOOKED_AT = 50_000;
const MOST_HITS = 200;
const LINE_CHARS = 240;
const DEPTH = 64;

const folder = { type: 'string', maxLength: 4096, description: 'Folder or file; all by default.' };

export const LIST_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    path: folder,
    depth: { type: 'integer', minimum: 1, maximum: DEPTH, description: 'Levels; all by default.' },
  },
  additionalProperties: false,
};

export const SEARCH_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    text: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      description: 'Found exactly as written; no pattern.',
    },
    path: folder,
    ignore_case: { type: 'boolean' },
  },
  required: ['text'],
  additionalProperties: false,
};

/** Files and folders, one a line with its size; a line says where there are more than are shown. */
export async function listFiles(
  roots: readonly Root[],
  args: JsonObject,
  signal: AbortSignal,
): Promise<ToolResult> {
  const lines: string[] = [];
  let total = 0;
  const entries = await entriesBelow(
    roots,
    args['path'] as string | undefined,
    args['depth'] as number | undefined,
  );
  if (typeof entries === 'string') return { status: 'error', text: entries };
  for await (const entry of entries) {
    signal.throwIfAborted();
    total += 1;
    if (lines.length < MOST_ENTRIES) lines.push(entryLine(entry));
    if (total >= MOST_LOOKED_AT) break;
  }
  const more =
    total > lines.length
      ? [
          `[${lines.length} of ${total}${total >= MOST_LOOKED_AT ? ' or more' : ''} shown; list a folder further down]`,
        ]
      : [];
  return { status: 'ok', text: [...lines, ...more].join('\n') || '[empty]' };
}

/** Lines that hold a text, as `path:line: text`; what was not looked at is named at the end. */
export async function searchFiles(
  roots: readonly Root[],
  args: JsonObject,
  signal: AbortSignal,
): Promise<ToolResult> {
  const entries = await entriesBelow(roots, args['path'] as string | undefined);
  if (typeof entries === 'string') return { status: 'error', text: entries };
  const fold = args['ignore_case'] === true ? (text: string) => text.toLowerCase() : (text: string) => text;
  const wanted = fold(args['text'] as string);
  const hits: string[] = [];
  const notes: string[] = [];
  let looked = 0;
  for await (const entry of entries) {
    signal.throwIfAborted();
    if (entry.kind !== 'file') continue;
    const content = await readWhole(entry.real, entry.root.real);
    if (content.kind === 'unusable') notes.push(`[${entry.path} was not searched: ${content.why}]`);
    if (content.kind === 'file')
      hits.push(...hitsIn(entry.path, showBytes(content.bytes).text, wanted, fold));
    looked += 1;
    if (hits.length > MOST_HITS || looked >= MOST_LOOKED_AT) break;
  }
  if (hits.length > MOST_HITS)
    notes.push(`[more than ${MOST_HITS} lines; search a folder further down or a longer text]`);
  if (looked >= MOST_LOOKED_AT) notes.push(`[stopped after ${looked} files]`);
  const text = [...hits.slice(0, MOST_HITS), ...notes.slice(0, 20)].join('\n');
  return { status: 'ok', text: text === '' ? `[not found in ${looked} files]` : text };
}

function hitsIn(path: string, text: string, wanted: string, fold: (text: string) => string): string[] {
  if (!fold(text).includes(wanted)) return [];
  const lines = text.split('\n');
  const hits = lines.flatMap((line, i) =>
    fold(line).includes(wanted) ? [`${path}:${i + 1}: ${line.slice(0, LINE_CHARS)}`] : [],
  );
  return hits.length > 0 ? hits : [`${path}: holds it across lines`];
}

/** What is at or below a path, or below every root where none is given; or why that cannot be said. */
export async function entriesBelow(
  roots: readonly Root[],
  path: string | undefined,
  depth = DEPTH,
): Promise<AsyncIterable<Entry> | string> {
  if (path === undefined)
    return below(
      roots.map((root) => ({ path: root.name, real: root.real, root })),
      depth,
    );
  const found = await locate(roots, path);
  if (!found.ok) return found.why;
  const info = await lstat(found.real).catch(() => null);
  if (info === null) return `${path} does not exist`;
  const place = { path, real: found.real, root: found.root };
  return info.isDirectory()
    ? below([place], depth)
    : one({ ...place, kind: info.isFile() ? 'file' : 'other', size: info.size });
}

async function* one(entry: Entry): AsyncGenerator<Entry> {
  yield await Promise.resolve(entry);
}

async function* below(
  places: readonly { path: string; real: string; root: Root }[],
  depth: number,
): AsyncGenerator<Entry> {
  for (const place of places) yield* walk(place, depth);
}

function entryLine({ path, kind, size }: Entry): string {
  if (kind === 'file') return `${path} ${size}`;
  return kind === 'folder' ? `${path}/` : `${path} [${kind}]`;
}
