import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ground, newGround, skillWith, using } from './fixtures/open.test.support.ts';

let ground: Ground;
beforeEach(() => {
  ground = newGround();
});
afterEach(() => ground.remove());

/** The program of an installed server package. */
function program(name: string): string {
  const file = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(file), 'dist/index.js');
}

const server = (name: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  skillWith({ real: { command: 'node', args: [program(name), ...args], env } });

test('server-filesystem: writes, reads, edits, lists and refuses what is outside', async () => {
  const root = join(ground.path, 'root');
  mkdirSync(root);
  writeFileSync(join(root, 'a.md'), '- [ ] write\n');
  await using(server('server-filesystem', [root]), async ({ call, toolset, tool }) => {
    expect(toolset.disabled).toEqual([]);
    expect(tool('read_text_file').readOnly).toBe(true);
    expect(tool('write_file')).toMatchObject({ readOnly: false, destructive: true });
    expect((await call('read_text_file', { path: join(root, 'a.md') })).text).toContain('- [ ] write');
    expect((await call('write_file', { path: join(root, 'b.md'), content: 'new' })).status).toBe('ok');
    expect((await call('list_directory', { path: root })).text).toContain('b.md');
    expect((await call('read_text_file', { path: '/etc/passwd' })).status).toBe('error');
  });
});

test('server-everything: echo, structured content, images, resource links, long running with progress', async () => {
  await using(server('server-everything'), async ({ call, toolset }) => {
    expect(toolset.disabled).toEqual([]);
    expect((await call('echo', { message: 'hi' })).text).toContain('hi');
    expect((await call('get-sum', { a: 2, b: 3 })).text).toContain('5');
    expect((await call('get-tiny-image')).blobs?.[0]?.mimeType).toBe('image/png');
    expect((await call('get-structured-content', { location: 'New York' })).structured).toHaveProperty(
      'temperature',
    );
    expect((await call('get-resource-links', { count: 2 })).text).toContain('[link to resource ');
    expect((await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).text).toContain(
      '[resource ',
    );
    expect((await call('trigger-long-running-operation', { duration: 1, steps: 4 })).status).toBe('ok');
    expect((await call('get-sum', { a: 'two', b: 3 })).status).toBe('error');
  });
});

test('server-memory: what is created is read back, after a restart too', async () => {
  const skill = server('server-memory', [], { MEMORY_FILE_PATH: join(ground.path, 'memory.jsonl') });
  await using(skill, async ({ call }) => {
    const entity = { name: 'Order-7', entityType: 'order', observations: ['paid'] };
    expect((await call('create_entities', { entities: [entity] })).status).toBe('ok');
  });
  await using(skill, async ({ call }) => {
    const { text, structured } = await call('search_nodes', { query: 'Order-7' });
    expect(text).toContain('paid');
    expect(structured).toHaveProperty('entities');
  });
});

test('server-sequential-thinking: a thought is taken', async () => {
  await using(server('server-sequential-thinking'), async ({ call }) => {
    const result = await call('sequentialthinking', {
      thought: 'first',
      nextThoughtNeeded: false,
      thoughtNumber: 1,
      totalThoughts: 1,
    });
    expect(result.status).toBe('ok');
    expect(result.text).toContain('"thoughtNumber"');
  });
});
