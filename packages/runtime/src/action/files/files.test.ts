import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compileExpression } from '../../json/expression.ts';
import { defineSkill } from '../../skill/define.ts';
import type { JsonObject, ToolResult } from '../../types.ts';
import { filesConnector } from './connector.ts';
import { versionOf } from './disk.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'skillstate-files-'));
  mkdirSync(join(base, 'docs/sub'), { recursive: true });
  writeFileSync(join(base, 'docs/a.md'), 'one\ntwo\nthree');
  writeFileSync(join(base, 'docs/sub/b.txt'), 'needle here\nNEEDLE there\n');
  writeFileSync(join(base, 'secret.txt'), 'outside');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function skillOf(roots: readonly string[], write: boolean) {
  return defineSkill({
    name: 'files',
    description: 'Works on files.',
    instructions: 'Work.',
    state: { type: 'object', properties: {} },
    actions: { files: { roots, write } },
  });
}

type Call = (name: string, args: JsonObject) => Promise<ToolResult>;

async function tools(
  roots: readonly string[] = ['docs'],
  write = true,
): Promise<{ names: string[]; call: Call; resources: (name: string, args: JsonObject) => unknown }> {
  const source = await filesConnector({ base })(skillOf(roots, write), {});
  const find = (name: string) => {
    const tool = source.tools.find((found) => found.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  };
  const call: Call = (name, args) =>
    find(name).run({ args, key: 'k', run: 'r', step: 1, signal: new AbortController().signal, deadline: 0 });
  const resources = (name: string, args: JsonObject): unknown => {
    const compiled = compileExpression(find(name).declaration.resources ?? '');
    const result = compiled.ok ? compiled.value.evaluate({ args }) : null;
    return result?.ok === true ? result.value : null;
  };
  return { names: source.tools.map(({ name }) => name), call, resources };
}

const text = async (result: Promise<ToolResult>): Promise<string> => (await result).text;

describe('reading', () => {
  test('a whole file, lines and bytes of it, each with its place and the version of the whole', async () => {
    const { call } = await tools();
    const version = versionOf(readFileSync(join(base, 'docs/a.md')));
    expect(await call('read_file', { path: 'docs/a.md' })).toEqual({
      status: 'ok',
      text: `[docs/a.md: lines 1-3 of 3; version ${version}]\none\ntwo\nthree`,
      structured: { path: 'docs/a.md', version, unit: 'lines', from: 1, to: 3, total: 3, size: 13 },
    });
    expect(await text(call('read_file', { path: 'docs/a.md', from_line: 2, lines: 1 }))).toBe(
      `[docs/a.md: lines 2-2 of 3; version ${version}]\ntwo\n`,
    );
    expect(await text(call('read_file', { path: 'docs/a.md', from_byte: 4, bytes: 3 }))).toBe(
      `[docs/a.md: bytes 4-6 of 13; version ${version}]\ntwo`,
    );
    expect(await text(call('read_file', { path: 'docs/a.md', from_line: 9 }))).toContain(
      'it has 3 lines; there is no line 9',
    );
    expect(await text(call('read_file', { path: 'docs/none.md' }))).toBe('docs/none.md does not exist');
    expect(await text(call('read_file', { path: 'docs/sub' }))).toContain('it is a folder');
  });

  test('lines put together give the file, whatever is in it', async () => {
    const { call } = await tools();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', '\n', 'é', '\r', ' '), { maxLength: 30 }),
        async (parts) => {
          const whole = parts.join('');
          writeFileSync(join(base, 'docs/p'), whole);
          const first = await call('read_file', { path: 'docs/p' });
          const { total } = first.structured as { total: number };
          let joined = '';
          for (let line = 1; line <= total; line++) {
            const part = await call('read_file', { path: 'docs/p', from_line: line, lines: 1 });
            joined += part.text.slice(part.text.indexOf('\n') + 1);
          }
          expect(joined).toBe(whole);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('P84: bytes that are not UTF-8 are shown escaped, and that is said', async () => {
    writeFileSync(join(base, 'docs/x.bin'), Buffer.from([0x61, 0xff, 0x62]));
    const { call } = await tools();
    expect(await text(call('read_file', { path: 'docs/x.bin' }))).toMatch(/not UTF-8.*\na\\xffb$/s);
  });
});

describe('staying inside', () => {
  test('paths out, absolute paths and other spellings are refused', async () => {
    const { call } = await tools();
    for (const path of [
      'secret.txt',
      'docs/../secret.txt',
      '../x',
      '/etc/passwd',
      join(base, 'docs/a.md'),
      'docsx/a',
    ])
      expect(await call('read_file', { path })).toMatchObject({ status: 'error' });
    expect(await text(call('read_file', { path: './docs//a.md' }))).toBe('write the path as docs/a.md');
  });

  test('links that lead out are refused for reading, writing and searching; links inside work', async () => {
    symlinkSync(join(base, 'secret.txt'), join(base, 'docs/out.txt'));
    symlinkSync(base, join(base, 'docs/up'));
    symlinkSync(join(base, 'missing'), join(base, 'docs/broken'));
    symlinkSync('a.md', join(base, 'docs/in.md'));
    const { call } = await tools();
    for (const path of ['docs/out.txt', 'docs/up/secret.txt', 'docs/broken', 'docs/up/new.txt']) {
      expect((await call('read_file', { path })).status).toBe('error');
      expect((await call('write_file', { path, content: 'x' })).status).toBe('error');
    }
    expect(readFileSync(join(base, 'secret.txt'), 'utf8')).toBe('outside');
    expect(existsSync(join(base, 'missing')) || existsSync(join(base, 'new.txt'))).toBe(false);
    expect(await text(call('search_files', { text: 'outside' }))).not.toContain('secret');
    expect((await call('read_file', { path: 'docs/in.md' })).status).toBe('ok');
    expect(await text(call('list_files', { path: 'docs' }))).toContain('docs/up [link]');
  });

  test('a pipe does not hang a read', async () => {
    execFileSync('mkfifo', [join(base, 'docs/pipe')]);
    const { call } = await tools();
    expect(await text(call('read_file', { path: 'docs/pipe' }))).toContain('no regular file');
  });

  test('without write there is no writing tool; a root that is missing is named', async () => {
    expect((await tools(['docs'], false)).names).toEqual(['read_file', 'list_files', 'search_files']);
    await expect(tools(['nowhere'])).rejects.toThrow('/actions/files/roots: nowhere is no folder');
  });
});

describe('writing', () => {
  test('a new file with its folders, and over an old one with its mode kept', async () => {
    const { call } = await tools();
    expect(await text(call('write_file', { path: 'docs/n/e/w.txt', content: 'hi' }))).toMatch(
      /created: 2 bytes, version [0-9a-f]{16}$/,
    );
    chmodSync(join(base, 'docs/a.md'), 0o600);
    expect((await call('write_file', { path: 'docs/a.md', content: 'new' })).status).toBe('ok');
    expect(statSync(join(base, 'docs/a.md')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(base, 'docs')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('over another version than was read nothing is written, and the conflict says what is there', async () => {
    const { call } = await tools();
    const read = (await call('read_file', { path: 'docs/a.md' })).structured as { version: string };
    writeFileSync(join(base, 'docs/a.md'), 'changed by someone');
    const now = versionOf(Buffer.from('changed by someone'));
    for (const [name, args] of [
      ['write_file', { path: 'docs/a.md', content: 'mine', version: read.version }],
      ['edit_file', { path: 'docs/a.md', old: 'two', new: '2', version: read.version }],
    ] as const) {
      const result = await call(name, args);
      expect(result.status).toBe('error');
      expect(result.text).toContain(`is now version ${now}, not ${read.version}`);
    }
    expect(readFileSync(join(base, 'docs/a.md'), 'utf8')).toBe('changed by someone');
    expect(await text(call('write_file', { path: 'docs/a.md', content: 'x', version: 'new' }))).toContain(
      'exists',
    );
    expect((await call('write_file', { path: 'docs/z', content: 'x', version: 'new' })).status).toBe('ok');
    expect(await text(call('write_file', { path: 'docs/gone', content: 'x', version: now }))).toContain(
      'does not exist any more',
    );
  });

  test('an edit needs its text exactly once', async () => {
    const { call } = await tools();
    writeFileSync(join(base, 'docs/a.md'), 'x aa y aaa');
    const version = versionOf(Buffer.from('x aa y aaa'));
    const edit = (old: string) => call('edit_file', { path: 'docs/a.md', old, new: 'B', version });
    expect(await text(edit('aa'))).toContain('more than once');
    expect(await text(edit('zz'))).toContain('does not stand in it');
    expect((await edit('x aa')).status).toBe('ok');
    expect(readFileSync(join(base, 'docs/a.md'), 'utf8')).toBe('B y aaa');
  });

  test('P29: a write and an edit that are repeated after a kill change nothing more', async () => {
    const { call } = await tools();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('a', 'b', 'ab'),
        fc.constantFrom('', 'a', 'aa', 'ba', 'bab'),
        fc.constantFrom('-a-', '-b-', '-ab-', 'xaby'),
        async (old, next, content) => {
          writeFileSync(join(base, 'docs/e'), content);
          const args = { path: 'docs/e', old, new: next, version: versionOf(Buffer.from(content)) };
          const first = await call('edit_file', args);
          const after = readFileSync(join(base, 'docs/e'), 'utf8');
          const again = await call('edit_file', args);
          expect(readFileSync(join(base, 'docs/e'), 'utf8')).toBe(after);
          if (first.status === 'ok' && next !== '') expect(again.status).toBe('ok');
        },
      ),
      { numRuns: 60 },
    );
    const version = versionOf(readFileSync(join(base, 'docs/a.md')));
    for (let i = 0; i < 2; i++)
      expect((await call('write_file', { path: 'docs/a.md', content: 'mine', version })).status).toBe('ok');
  });

  test('P25: a write that fails leaves the old content and nothing beside it', async () => {
    const { call } = await tools();
    mkdirSync(join(base, 'docs/.skillstate-write-blocked'));
    const long = 'x'.repeat(17 * 1024 * 1024);
    expect(await text(call('write_file', { path: 'docs/a.md', content: long }))).toContain('at most');
    expect(readFileSync(join(base, 'docs/a.md'), 'utf8')).toBe('one\ntwo\nthree');
    expect((await call('write_file', { path: 'docs/a.md/x', content: 'y' })).status).toBe('error');
    expect(readdirSync(join(base, 'docs')).filter((name) => name.startsWith('.skillstate-write-'))).toEqual([
      '.skillstate-write-blocked',
    ]);
  });

  test('P25: a reader sees the old content or the new one, whole, and another name of the file keeps the old', async () => {
    const { call } = await tools();
    const [before, after] = ['b'.repeat(200_000), 'a'.repeat(300_000)];
    writeFileSync(join(base, 'docs/big'), before);
    linkSync(join(base, 'docs/big'), join(base, 'kept'));
    let done = false;
    const seen = new Set<string>();
    const look = async (): Promise<void> => {
      while (!done) {
        seen.add(readFileSync(join(base, 'docs/big'), 'utf8'));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const looking = look();
    await call('write_file', { path: 'docs/big', content: after });
    done = true;
    await looking;
    expect([...seen].filter((content) => content !== before && content !== after)).toEqual([]);
    expect(readFileSync(join(base, 'kept'), 'utf8')).toBe(before);
  });
});

describe('looking around', () => {
  test('a list with sizes, by folder and depth; hidden temporary files are left out', async () => {
    writeFileSync(join(base, 'docs/.skillstate-write-0'), '');
    const { call } = await tools();
    expect(await text(call('list_files', {}))).toBe('docs/a.md 13\ndocs/sub/\ndocs/sub/b.txt 25');
    expect(await text(call('list_files', { path: 'docs', depth: 1 }))).toBe('docs/a.md 13\ndocs/sub/');
    expect(await text(call('list_files', { path: 'docs/none' }))).toBe('docs/none does not exist');
    const dot = await tools(['.']);
    expect(await text(dot.call('list_files', { path: 'docs/sub' }))).toBe('docs/sub/b.txt 25');
    expect((await dot.call('read_file', { path: 'docs/a.md' })).status).toBe('ok');
  });

  test('a search for a text as it is, not as a pattern', async () => {
    writeFileSync(join(base, 'docs/re'), '(a+)+$ is text\n');
    const { call } = await tools();
    expect(await text(call('search_files', { text: 'needle' }))).toBe('docs/sub/b.txt:1: needle here');
    expect(await text(call('search_files', { text: 'needle', ignore_case: true }))).toContain(
      'docs/sub/b.txt:2: NEEDLE there',
    );
    expect(await text(call('search_files', { text: '(a+)+$' }))).toBe('docs/re:1: (a+)+$ is text');
    expect(await text(call('search_files', { text: 'needle', path: 'docs/sub/b.txt' }))).toContain(':1:');
    expect(await text(call('search_files', { text: 'here\nNEEDLE' }))).toBe(
      'docs/sub/b.txt: holds it across lines',
    );
    expect(await text(call('search_files', { text: 'absent' }))).toBe('[not found in 3 files]');
  });

  test('the ledger is told exactly which file a call is about', async () => {
    const { resources } = await tools();
    for (const name of ['read_file', 'write_file', 'edit_file'])
      expect(resources(name, { path: 'docs/a.md' })).toEqual(['file:docs/a.md']);
  });
});
