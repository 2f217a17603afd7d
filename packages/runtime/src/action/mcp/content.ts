import { checkJson } from '../../json/check.ts';
import { jsonEqual } from '../../json/equal.ts';
import { parseJson } from '../../json/parse.ts';
import { wellFormed } from '../../json/wellformed.ts';
import type { Blob, Json, ToolResult } from '../../types.ts';

type Wide = Readonly<Record<string, unknown>>;
type Part = { readonly text: string } | { readonly blob: Blob };

/** Members of a result that are not content. */
const KNOWN = new Set(['content', 'structuredContent', 'isError', '_meta', 'resultType']);

/**
 * The result of an MCP tool call as it came, nothing dropped without a line (P55): text and embedded text in order,
 * binary parts as blobs, links as one line, kinds that this program does not know as their JSON. `isError` is status
 * `error` (P54). Structured content stands in the text too, unless a text part already is its JSON.
 */
export function toToolResult(raw: unknown): ToolResult {
  if (!isObject(raw))
    return { status: 'error', text: `[the server answered with no result object] ${asJson(raw)}` };
  const { content, structuredContent, isError } = raw;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const parts = blocks.map(toPart);
  if (content !== undefined && !Array.isArray(content)) parts.push(unknownPart('content', content));
  if (structuredContent !== undefined && !repeated(structuredContent, parts))
    parts.push(...structuredPart(structuredContent));
  for (const [key, value] of Object.entries(raw)) if (!KNOWN.has(key)) parts.push(unknownPart(key, value));
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
  const blobs = parts.flatMap((part) => ('blob' in part ? [part.blob] : []));
  return {
    status: isError === true ? 'error' : 'ok',
    text: wellFormed(text),
    ...(structuredContent === undefined ? {} : { structured: structuredContent as Json }),
    ...(blobs.length === 0 ? {} : { blobs }),
  };
}

function toPart(block: unknown, index: number): Part {
  if (!isObject(block)) return unknownPart('content', block);
  const { type, text, data, mimeType, resource } = block;
  if (type === 'text' && typeof text === 'string') return { text };
  if ((type === 'image' || type === 'audio') && typeof data === 'string')
    return binaryPart(`${type} ${index + 1}`, mimeType, data) ?? unknownPart(type, block);
  if (type === 'resource' && isObject(resource)) return resourcePart(resource) ?? unknownPart(type, block);
  if (type === 'resource_link' && typeof block['uri'] === 'string') return { text: linkLine(block) };
  return unknownPart(typeof type === 'string' ? type : 'content', block);
}

function resourcePart({ uri, mimeType, text, blob }: Wide): Part | null {
  const name = typeof uri === 'string' ? oneLine(uri) : 'resource';
  if (typeof text === 'string')
    return {
      text: `[resource ${name}${typeof mimeType === 'string' ? ` ${oneLine(mimeType)}` : ''}]\n${text}`,
    };
  return typeof blob === 'string' ? binaryPart(name, mimeType, blob) : null;
}

/** Null for data that is no Base64: it must not become fewer bytes in silence. */
function binaryPart(name: string, mimeType: unknown, data: string): Part | null {
  const compact = data.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(compact)) return null;
  const bytes = new Uint8Array(Buffer.from(compact, 'base64'));
  const type =
    typeof mimeType === 'string' && mimeType !== '' ? oneLine(mimeType) : 'application/octet-stream';
  return { blob: { name, mimeType: type, bytes } };
}

function linkLine(block: Wide): string {
  const { uri, name, mimeType, size, description } = block;
  const about = [name, mimeType, typeof size === 'number' ? `${size} bytes` : undefined, description];
  const said = about
    .filter((part) => typeof part === 'string' && part !== '')
    .map((part) => oneLine(String(part)));
  return `[link to resource ${oneLine(String(uri))}${said.length === 0 ? '' : `: ${said.join(', ')}`}]`;
}

function unknownPart(kind: string, value: unknown): Part {
  return { text: `[${oneLine(kind)} part, as sent]\n${asJson(value)}` };
}

/** Nothing where it is no JSON (a number that no double holds): the runtime refuses it and names the place (P07). */
function structuredPart(value: unknown): Part[] {
  return checkJson(value).ok ? [{ text: `[structured content]\n${JSON.stringify(value)}` }] : [];
}

function repeated(value: unknown, parts: readonly Part[]): boolean {
  return parts.some((part) => {
    if (!('text' in part) || !/^\s*[[{"\d-]/.test(part.text)) return false;
    const parsed = parseJson(part.text);
    return parsed.ok && checkJson(value).ok && jsonEqual(parsed.value, value as Json);
  });
}

function asJson(value: unknown): string {
  const checked = checkJson(value);
  if (checked.ok) return JSON.stringify(checked.value);
  return `[not shown: ${checked.issues.map(({ path, hint }) => `${path} ${hint}`.trim()).join('; ')}]`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function isObject(value: unknown): value is Wide {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
