import fc from 'fast-check';
import { expect, test } from 'vitest';
import { perform } from '../perform.ts';
import { createIntent } from '../intent.ts';
import type { Tool } from '../../types.ts';
import { toToolResult } from './content.ts';

test('P54: isError is status error, whatever else is in the result; a body that speaks of errors is not', () => {
  const text = (words: string) => [{ type: 'text', text: words }];
  expect(toToolResult({ isError: true, content: text('quota exceeded') })).toEqual({
    status: 'error',
    text: 'quota exceeded',
  });
  expect(toToolResult({ isError: true, content: text('x'), structuredContent: { ok: true } }).status).toBe(
    'error',
  );
  expect(
    toToolResult({ isError: false, content: text('{"status":"error","reason":"bad phase"}') }).status,
  ).toBe('ok');
});

test('P55: text, embedded text, structured content, binary parts and links all arrive', () => {
  const result = toToolResult({
    content: [
      { type: 'text', text: 'downloaded ok' },
      { type: 'resource', resource: { uri: 'repo://a.md', text: 'BODY' } },
      { type: 'resource', resource: { uri: 'repo://b', mimeType: 'application/x-b', blob: 'AAEC' } },
      { type: 'image', mimeType: 'image/png', data: 'iVBORw==' },
      { type: 'resource_link', uri: 'repo://c.md', name: 'c.md', size: 7 },
    ],
    structuredContent: { rows: [1, 2] },
  });
  expect(result.text.split('\n')).toEqual([
    'downloaded ok',
    '[resource repo://a.md]',
    'BODY',
    '[link to resource repo://c.md: c.md, 7 bytes]',
    '[structured content]',
    '{"rows":[1,2]}',
  ]);
  expect(result.structured).toEqual({ rows: [1, 2] });
  expect(result.blobs).toEqual([
    { name: 'repo://b', mimeType: 'application/x-b', bytes: new Uint8Array([0, 1, 2]) },
    { name: 'image 4', mimeType: 'image/png', bytes: new Uint8Array([137, 80, 78, 71]) },
  ]);
});

test('P55: a structured result that a text part repeats is shown once', () => {
  const structuredContent = { b: 2, a: [1.0] };
  const content = [{ type: 'text', text: '{ "a": [1], "b": 2 }' }];
  expect(toToolResult({ content, structuredContent }).text).toBe(content[0]?.text);
  expect(toToolResult({ content: [{ type: 'text', text: '7' }], structuredContent: 7 }).text).toBe('7');
});

test('P55: an unknown kind, a broken known kind and an unknown member are kept as they are', () => {
  const content = [
    { type: 'hologram', depth: 3 },
    { type: 'image', data: 'not base64!' },
    { type: 'text' },
    'bare',
    null,
  ];
  const { text } = toToolResult({ content, toolResult: { old: true } });
  for (const block of content) expect(text).toContain(JSON.stringify(block));
  expect(text).toContain('{"old":true}');
});

test('P55: whatever strings a server puts into parts of any kind, they arrive in the text or as bytes', () => {
  const word = fc.string({
    minLength: 4,
    maxLength: 12,
    unit: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  });
  const block = fc.oneof(
    word.map((text) => ({ type: 'text', text })),
    word.map((text) => ({ type: 'resource', resource: { uri: 'u://x', text } })),
    word.map((data) => ({
      type: 'image',
      mimeType: 'image/png',
      data: Buffer.from(data).toString('base64'),
    })),
    fc.record({ type: word, payload: word }),
    word,
  );
  const wordsOf = (value: unknown): string[] =>
    typeof value === 'string'
      ? [value]
      : value !== null && typeof value === 'object'
        ? Object.values(value).flatMap(wordsOf)
        : [];
  fc.assert(
    fc.property(fc.array(block, { maxLength: 6 }), fc.option(word), (content, structured) => {
      const raw = structured === null ? { content } : { content, structuredContent: { structured } };
      const { text, blobs = [] } = toToolResult(raw);
      const bytes = blobs.map((blob) => Buffer.from(blob.bytes).toString('base64'));
      const ignored = ['image/png', 'u://x', 'text', 'resource', 'image'];
      for (const found of wordsOf(raw).filter((entry) => !ignored.includes(entry))) {
        expect(text.includes(found) || bytes.includes(found)).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

test('P07: a number that JSON cannot hold is named and refused, and never becomes null', async () => {
  const raw = JSON.parse('{"content":[],"structuredContent":{"rows":[{"limit":1e400}]}}') as unknown;
  const tool: Tool = {
    name: 'stats',
    description: '',
    inputSchema: { type: 'object' },
    outputSchema: null,
    readOnly: true,
    idempotent: true,
    destructive: false,
    timeoutMs: 1000,
    declaration: {},
    run: () => Promise.resolve(toToolResult(raw)),
  };
  const intent = createIntent('r', 1, { tool: 'stats', args: {} }, tool, null, Date.now());
  const result = await perform(tool, intent, 'r', new AbortController().signal, () => Date.now());
  expect(result.status).toBe('error');
  expect(result.text).toContain('/rows/0/limit');
  expect(result.text).not.toContain('null');
  expect(result.structured).toBeUndefined();
  expect(toToolResult({ content: [{ type: 'chart', top: Infinity }] }).text).toContain('/top');
});

test('a result that is none is told as it came', () => {
  expect(toToolResult('nonsense')).toEqual({
    status: 'error',
    text: '[the server answered with no result object] "nonsense"',
  });
  expect(toToolResult({}).text).toBe('');
  expect(toToolResult({ content: 'words' }).text).toContain('"words"');
});
