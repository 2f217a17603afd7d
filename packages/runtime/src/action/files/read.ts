import type { JsonObject, ToolResult } from '../../types.ts';
import { showBytes } from '../shell/bytes.ts';
import { readWhole, versionOf } from './disk.ts';
import { locate, type Root } from './roots.ts';

export const READ_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string', maxLength: 4096 },
    from_line: { type: 'integer', minimum: 1, description: 'First line; 1 by default.' },
    lines: { type: 'integer', minimum: 1, description: 'How many; all by default.' },
    from_byte: { type: 'integer', minimum: 0, description: 'In place of lines: first byte.' },
    bytes: { type: 'integer', minimum: 1, description: 'How many; all by default.' },
  },
  required: ['path'],
  additionalProperties: false,
};

type Range = {
  readonly unit: 'lines' | 'bytes';
  readonly from: number;
  readonly to: number;
  readonly total: number;
  readonly bytes: Buffer;
};

/** A file or a range of it, after one line that says which part this is and the version of the whole. */
export async function readFile(roots: readonly Root[], args: JsonObject): Promise<ToolResult> {
  const path = args['path'] as string;
  const found = await locate(roots, path);
  if (!found.ok) return { status: 'error', text: found.why };
  const content = await readWhole(found.real, found.root.real);
  if (content.kind === 'absent') return { status: 'error', text: `${path} does not exist` };
  if (content.kind === 'unusable') return { status: 'error', text: `${path} cannot be read: ${content.why}` };
  const range = rangeOf(content.bytes, args);
  if (typeof range === 'string') return { status: 'error', text: `${path}: ${range}` };
  const { text, escaped } = showBytes(range.bytes);
  const version = versionOf(content.bytes);
  const part = range.total === 0 ? 'empty' : `${range.unit} ${range.from}-${range.to} of ${range.total}`;
  const head = `[${path}: ${part}; version ${version}${escaped ? '; not UTF-8, such bytes as \\xHH' : ''}]`;
  const { unit, from, to, total } = range;
  return {
    status: 'ok',
    text: `${head}\n${text}`,
    structured: { path, version, unit, from, to, total, size: content.bytes.length },
  };
}

function rangeOf(bytes: Buffer, args: JsonObject): Range | string {
  const {
    from_line: line,
    lines,
    from_byte: byte,
    bytes: count,
  } = args as Record<string, number | undefined>;
  const byBytes = byte !== undefined || count !== undefined;
  if (byBytes && (line !== undefined || lines !== undefined))
    return 'give a range of lines or of bytes, not both';
  return byBytes ? byteRange(bytes, byte ?? 0, count) : lineRange(bytes, line ?? 1, lines);
}

function byteRange(bytes: Buffer, from: number, count = bytes.length): Range | string {
  if (from > 0 && from >= bytes.length) return `it has ${bytes.length} bytes; there is none at ${from}`;
  const to = Math.min(bytes.length, from + count);
  return {
    unit: 'bytes',
    from,
    to: Math.max(from, to - 1),
    total: bytes.length,
    bytes: bytes.subarray(from, to),
  };
}

/** Lines end with their line feed; a last line without one counts. */
function lineRange(bytes: Buffer, from: number, count = Number.MAX_SAFE_INTEGER): Range | string {
  const starts = [0];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) starts.push(at + 1);
  if (starts.at(-1) === bytes.length) starts.pop();
  const total = starts.length;
  if (from > Math.max(total, 1)) return `it has ${total} lines; there is no line ${from}`;
  const to = Math.min(total, from - 1 + count);
  return {
    unit: 'lines',
    from,
    to,
    total,
    bytes: bytes.subarray(starts[from - 1] ?? 0, starts[to] ?? bytes.length),
  };
}
