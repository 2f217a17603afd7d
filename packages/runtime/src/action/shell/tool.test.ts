import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defineSkill } from '../../skill/define.ts';
import type { ShellSpec, Tool, ToolDeclaration, ToolResult } from '../../types.ts';
import type { ToolSource } from '../source.ts';
import { findSandbox } from './find.ts';
import { shellConnector } from './tool.ts';

const sandbox = await findSandbox();
if (!sandbox.available) console.warn(`confined shell tests skipped: ${sandbox.reason}`);
const kinds = sandbox.available
  ? [
      { name: 'confined', unsafe: false },
      { name: 'unconfined', unsafe: true },
    ]
  : [{ name: 'unconfined', unsafe: true }];

const BARE = {
  name: 'bare',
  description: 'x',
  instructions: 'x',
  state: { type: 'object', properties: {} },
} as const;

let base: string;
const open: ToolSource[] = [];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'skillstate-shell-tool-'));
  chmodSync(base, 0o755);
  mkdirSync(join(base, 'workspace/sub'), { recursive: true });
  writeFileSync(join(base, 'workspace/f.txt'), 'content\n');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((source) => source.close()));
  rmSync(base, { recursive: true, force: true });
});

async function shellOf(
  unsafe: boolean,
  shell: Partial<ShellSpec> = {},
  declared: ToolDeclaration = {},
): Promise<{ tool: Tool; run: (command: string) => Promise<ToolResult> }> {
  const skill = defineSkill({
    name: 'shell',
    description: 'Uses a shell.',
    instructions: 'Use it.',
    state: { type: 'object', properties: {} },
    actions: { shell, tools: { shell: declared } },
  });
  const source = await shellConnector({ base, unsafe })(skill, {});
  open.push(source);
  const [tool] = source.tools;
  if (tool === undefined) throw new Error('no tool');
  const run = (command: string): Promise<ToolResult> =>
    tool.run({
      args: { command },
      key: 'k',
      run: 'r',
      step: 1,
      signal: new AbortController().signal,
      deadline: 0,
    });
  return { tool, run };
}

describe.each(kinds)('the tool shell, $name', ({ unsafe }) => {
  test('output, exit code and working directory come back; the directory is kept', async () => {
    const { run, tool } = await shellOf(unsafe);
    expect(tool).toMatchObject({ name: 'shell', readOnly: false, idempotent: false });
    const first = await run('cat f.txt; cd sub');
    expect(first.status).toBe('ok');
    expect(first.text).toMatch(/^content\n\[exit code 0, in .*\/sub\]$/);
    const second = await run('echo bad >&2; exit 3');
    expect(second.status).toBe('error');
    expect(second.text).toMatch(/^\[stderr\]\nbad\n\[exit code 3, in .*\/sub\]$/);
    expect(second.structured).toMatchObject({ exitCode: 3, killedBy: null });
  });

  test('long output is shown at its two ends, and whole as a blob', async () => {
    const { run } = await shellOf(unsafe, { outputBytes: 400 });
    const { text, blobs } = await run('seq 1 1000');
    expect(text).toMatch(/^1\n2\n3\n.*bytes left out.*\n1000\n\[exit code 0/s);
    expect(blobs).toHaveLength(1);
    expect(
      Buffer.from(blobs?.[0]?.bytes ?? [])
        .toString()
        .split('\n'),
    ).toHaveLength(1001);
  });

  test('P84: output that is not UTF-8 is an executed command with its exit code, escaped text and exact bytes', async () => {
    const { run } = await shellOf(unsafe);
    const { status, text, blobs } = await run("printf 'a\\377b'");
    expect(status).toBe('ok');
    expect(text).toMatch(/^a\\xffb\n\[stdout is not UTF-8.*\n\[exit code 0/);
    expect(blobs?.[0]).toMatchObject({ name: 'stdout', mimeType: 'application/octet-stream' });
    expect([...(blobs?.[0]?.bytes ?? [])]).toEqual([0x61, 0xff, 0x62]);
  });

  test('the time limit ends a command before the deadline of the call, so its end is known', async () => {
    const { run, tool } = await shellOf(unsafe, { timeoutMs: 500 });
    expect(tool.timeoutMs).toBeGreaterThan(500);
    const result = await run('echo begun; sleep 60');
    expect(result.status).toBe('error');
    expect(result.text).toMatch(/^begun\n\[ended by its time limit/);
  });

  test('a copy leaves the folder as it was', async () => {
    const { run } = await shellOf(unsafe, { mode: 'copy' });
    await run('echo changed > f.txt');
    expect(readFileSync(join(base, 'workspace/f.txt'), 'utf8')).toBe('content\n');
  });
});

test('where commands cannot be confined the skill does not start: install line and the explicit way are named', async () => {
  const skill = defineSkill({ ...BARE, actions: { shell: {} } });
  const opening = shellConnector({ base, bwrap: join(base, 'no-bwrap') })(skill, {});
  await expect(opening).rejects.toThrow(/actions\/shell: bwrap: .*Install: .*bubblewrap.*--unsafe-shell/s);
});

test('a workspace that is missing is named; a skill without a shell opens nothing', async () => {
  await expect(shellOf(true, { workspace: 'nowhere' })).rejects.toThrow(
    /nowhere: the workspace must be an existing directory/,
  );
  expect((await shellConnector({ base })(defineSkill(BARE), {})).tools).toEqual([]);
});

test('a resumed run finds what its commands wrote in its copy of the workspace, and the original is untouched', async () => {
  const skill = defineSkill({ ...BARE, actions: { shell: { workspace: 'workspace' } } });
  const connect = shellConnector({ base, unsafe: !sandbox.available });
  const call = {
    key: 'k',
    run: 'r',
    step: 1,
    signal: new AbortController().signal,
    deadline: Date.now() + 10_000,
  };
  const first = await connect(skill, {});
  await first.tools[0]?.run({ ...call, args: { command: 'echo more >> f.txt' } });
  await first.close();
  const again = await connect(skill, {}, first.facts);
  const seen = await again.tools[0]?.run({ ...call, args: { command: 'cat f.txt' } });
  await again.close();
  rmSync(join(String(first.facts['workspace']), '..'), { recursive: true, force: true });
  expect(seen?.text).toContain('content\nmore');
  expect(readFileSync(join(base, 'workspace/f.txt'), 'utf8')).toBe('content\n');
});
