import type { JsonObject, ToolResult } from '../../types.ts';
import { type Content, FILE_BYTES, readWhole, replaceWhole, versionOf } from './disk.ts';
import { locate, type Located, type Root } from './roots.ts';

const path = { type: 'string', maxLength: 4096 };

export const WRITE_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    path,
    content: { type: 'string' },
    version: {
      type: 'string',
      pattern: '^(new|[0-9a-f]{16})$',
      description: 'Write only over this version (read_file tells it); "new": only where no file is.',
    },
  },
  required: ['path', 'content'],
  additionalProperties: false,
};

export const EDIT_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    path,
    old: { type: 'string', minLength: 1, description: 'Text that stands in the file exactly once.' },
    new: { type: 'string' },
    version: { type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Of the file as it was read.' },
  },
  required: ['path', 'old', 'new', 'version'],
  additionalProperties: false,
};

/** Writes a whole file. Over another version than the named one nothing is written; the same content again is success. */
export async function writeFile(roots: readonly Root[], args: JsonObject): Promise<ToolResult> {
  const { path: name, content: text } = args as Readonly<Record<'path' | 'content', string>>;
  const bytes = Buffer.from(text, 'utf8');
  const found = await locate(roots, name);
  if (!found.ok) return failure(found.why);
  const content = await readWhole(found.real, found.root.real);
  if (content.kind === 'unusable') return failure(`${name} cannot be written: ${content.why}`);
  if (content.kind === 'file' && content.bytes.equals(bytes))
    return written(name, bytes, 'has this content already');
  const conflict = conflictOf(name, args['version'] as string | undefined, content);
  if (conflict !== null) return failure(conflict);
  return put(name, found, content, bytes, args['version'] === 'new');
}

/**
 * Replaces one text in a file. Bound to the version that was read, so that it can be repeated after a kill: where the
 * file is what this very edit makes of that version, it is done already.
 */
export async function editFile(roots: readonly Root[], args: JsonObject): Promise<ToolResult> {
  const {
    path: name,
    old,
    new: next,
    version,
  } = args as Readonly<Record<'path' | 'old' | 'new' | 'version', string>>;
  const found = await locate(roots, name);
  if (!found.ok) return failure(found.why);
  const content = await readWhole(found.real, found.root.real);
  if (content.kind === 'absent') return failure(`${name} does not exist; write_file makes new files`);
  if (content.kind === 'unusable') return failure(`${name} cannot be edited: ${content.why}`);
  const { bytes } = content;
  const [before, after] = [Buffer.from(old, 'utf8'), Buffer.from(next, 'utf8')];
  if (versionOf(bytes) !== version) {
    const done = places(bytes, after).some(
      (at) => versionOf(splice(bytes, at, after.length, before)) === version,
    );
    return done
      ? written(name, bytes, 'has this edit already')
      : failure(conflictOf(name, version, content) ?? '');
  }
  const at = places(bytes, before);
  if (at.length === 0)
    return failure(`${name}: the old text does not stand in it; read it again and copy exactly`);
  if (at.length > 1)
    return failure(`${name}: the old text stands in it more than once; take more of its surroundings`);
  return put(name, found, content, splice(bytes, at[0] as number, before.length, after), false);
}

async function put(
  name: string,
  found: Located & { ok: true },
  old: Content,
  bytes: Buffer,
  fresh: boolean,
): Promise<ToolResult> {
  if (bytes.length > FILE_BYTES)
    return failure(`${name}: ${bytes.length} bytes; at most ${FILE_BYTES} are written`);
  try {
    await replaceWhole(found.real, bytes, old.kind === 'file' ? old.mode : 0o644, fresh);
  } catch (error) {
    return failure(`${name} was not written: ${error instanceof Error ? error.message : String(error)}`);
  }
  return written(name, bytes, old.kind === 'file' ? 'written' : 'created');
}

function conflictOf(name: string, version: string | undefined, content: Content): string | null {
  if (version === undefined) return null;
  const now = content.kind === 'file' ? versionOf(content.bytes) : null;
  if (version === 'new') return now === null ? null : `${name} exists (version ${now}); nothing was written`;
  if (now === version) return null;
  const is = now === null ? 'does not exist any more' : `is now version ${now}`;
  return `${name} ${is}, not ${version}: someone changed it since it was read. Nothing was written; read it again`;
}

/** The first places of `part`, at most 1000; an empty part is everywhere and nowhere. */
function places(bytes: Buffer, part: Buffer): number[] {
  const found: number[] = [];
  if (part.length === 0) return found;
  for (let at = bytes.indexOf(part); at >= 0 && found.length < 1000; at = bytes.indexOf(part, at + 1))
    found.push(at);
  return found;
}

function splice(bytes: Buffer, at: number, length: number, next: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), next, bytes.subarray(at + length)]);
}

function written(name: string, bytes: Buffer, what: string): ToolResult {
  const version = versionOf(bytes);
  return {
    status: 'ok',
    text: `${name} ${what}: ${bytes.length} bytes, version ${version}`,
    structured: { path: name, version, size: bytes.length },
  };
}

function failure(text: string): ToolResult {
  return { status: 'error', text };
}
