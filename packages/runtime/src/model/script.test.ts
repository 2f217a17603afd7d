import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelRequest, PromptPart } from '../types.ts';
import { createScriptedModel, loadScriptedModel, promptText } from './script.ts';

const part = (text: string): PromptPart => ({ role: 'user', text, cache: false });
const request = (...texts: string[]): ModelRequest => ({
  prompt: texts.map(part),
  schema: null,
  cacheKey: 'k',
  signal: new AbortController().signal,
});

test('a script sees the joined prompt text and the number of the call, and nothing else', async () => {
  const seen: unknown[][] = [];
  const model = createScriptedModel(
    (...given) => {
      seen.push(given);
      return 'yes';
    },
    { name: 'script:test' },
  );
  const reply = await model.ask(request('P', 'S', 'O'));
  await model.ask(request('Q'));
  expect(seen).toEqual([
    ['P\n\nS\n\nO', 1],
    ['Q', 2],
  ]);
  expect(reply).toMatchObject({ ok: true, text: 'yes', json: null, calls: 0, finish: 'stop', retries: [] });
  expect(promptText(request('a', 'b').prompt)).toBe('a\n\nb');
});

test('in tool mode the reply text is the JSON of the one call', async () => {
  const model = createScriptedModel(() => '{"a":1}', { name: 's', mode: 'tool' });
  expect(await model.ask(request('p'))).toMatchObject({ ok: true, text: '', json: '{"a":1}', calls: 1 });
});

test('usage is counted part by part where a counter is given, and is none otherwise', async () => {
  const counted = createScriptedModel(() => 'four', { name: 's', count: (text) => text.length });
  const reply = await counted.ask(request('ab', 'cde'));
  expect(reply.usage).toMatchObject({ inputTokens: 5, outputTokens: 4, source: 'counted' });
  const without = createScriptedModel(() => 'x', { name: 's', count: () => null });
  expect((await without.ask(request('ab'))).usage.source).toBe('none');
});

test('a script that throws or replies with something else is an issue, not an exception', async () => {
  const throws = createScriptedModel(
    () => {
      throw new Error('boom');
    },
    { name: 's' },
  );
  expect(await throws.ask(request('p'))).toMatchObject({
    ok: false,
    temporary: false,
    issue: { code: 'model.script' },
  });
  const wrong = createScriptedModel((() => 7) as never, { name: 's' });
  expect(await wrong.ask(request('p'))).toMatchObject({ ok: false, issue: { code: 'model.script' } });
});

test('a cancelled call does not reach the script', async () => {
  const model = createScriptedModel(() => 'x', { name: 's' });
  const reply = await model.ask({ ...request('p'), signal: AbortSignal.abort() });
  expect(reply).toMatchObject({ ok: false, temporary: true, issue: { code: 'model.aborted' } });
});

test('a TypeScript file is loaded by its path, and a wrong one says what is wrong', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'script-'));
  try {
    await writeFile(join(cwd, 'good.ts'), 'export default (p: string): string => p.toUpperCase();');
    await writeFile(join(cwd, 'object.ts'), 'export default { reply(p: string) { return p + "!"; } };');
    await writeFile(join(cwd, 'bad.ts'), 'export const x = 1;');
    await writeFile(join(cwd, 'broken.ts'), 'export default (');
    const good = await loadScriptedModel('./good.ts', { cwd });
    if (!good.ok) throw new Error(good.issues[0]?.hint);
    expect(good.value.name).toBe('script:good.ts');
    expect(await good.value.ask(request('abc'))).toMatchObject({ text: 'ABC' });
    const object = await loadScriptedModel('object.ts', { cwd });
    expect(object.ok && (await object.value.ask(request('abc')))).toMatchObject({ text: 'abc!' });
    expect(await loadScriptedModel('bad.ts', { cwd })).toMatchObject({
      ok: false,
      issues: [{ code: 'model.script' }],
    });
    expect(await loadScriptedModel('broken.ts', { cwd })).toMatchObject({ ok: false });
    expect(await loadScriptedModel('none.ts', { cwd })).toMatchObject({
      ok: false,
      issues: [{ code: 'model.not_found' }],
    });
  } finally {
    await rm(cwd, { recursive: true });
  }
});
