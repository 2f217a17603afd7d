import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseModelName } from './choose.ts';
import { startFakeProvider } from './fake-provider.ts';

const env = { OPENAI_API_KEY: 'sk-0123456789', ANTHROPIC_API_KEY: 'a', GEMINI_API_KEY: 'g' };

async function chosen(name: string): Promise<string> {
  const result = await parseModelName(name, { env });
  if (!result.ok) return result.issues.map((issue) => `${issue.code}: ${issue.hint}`).join();
  return `${result.value.name} ${result.value.mode} ${result.value.dialect}`;
}

test('a name gives its provider, and auto mode and dialect follow from it', async () => {
  expect(await chosen('openai:gpt-5-mini')).toBe('openai:gpt-5-mini tool merge');
  expect(await chosen('anthropic:claude-haiku-4-5')).toBe('anthropic:claude-haiku-4-5 tool merge');
  expect(await chosen('google:gemini-2.5-flash')).toBe('google:gemini-2.5-flash tool merge');
  expect(await chosen('ollama:qwen3:8b')).toBe('ollama:qwen3:8b structured merge');
  expect(await chosen('vllm:org/model@http://gpu:8000/v1')).toBe('vllm:org/model structured merge');
  expect(await chosen('compatible:a@b@http://localhost:8080/v1')).toBe('compatible:a@b structured merge');
});

test('a wrong name says what to write', async () => {
  expect(await chosen('gpt-5')).toContain('write one of openai:MODEL');
  expect(await chosen('constructor:x')).toContain('no model provider');
  expect(await chosen('openai:')).toContain('openai:MODEL');
  expect(await chosen('compatible:qwen')).toContain('compatible:qwen@http://localhost:8080/v1');
  expect(await chosen('script:')).toContain('script:./model.ts');
  expect(await chosen('script:./none.ts')).toContain('no script at');
});

test('a missing key is found before a run starts', async () => {
  const result = await parseModelName('anthropic:claude-haiku-4-5', { env: {} });
  expect(result).toMatchObject({ ok: false, issues: [{ code: 'model.auth' }] });
});

test('a chosen model speaks to the base URL behind @', async () => {
  const server = await startFakeProvider({ reply: () => '{"x":1}' });
  const result = await parseModelName(`openai:gpt-4.1@${server.url('responses')}`, { env, mode: 'text' });
  if (!result.ok) throw new Error(result.issues[0]?.hint);
  const prompt = [{ role: 'user', text: 'hello', cache: false }] as const;
  const signal = new AbortController().signal;
  const reply = await result.value.ask({ prompt, schema: null, cacheKey: 'k', signal });
  expect(reply).toMatchObject({ ok: true, text: '{"x":1}' });
  expect(server.requests[0]?.prompt).toBe('hello');
  await server.close();
});

test('a script is found from the given folder and keeps its name', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'choose-'));
  await writeFile(join(cwd, 'm.ts'), 'export default (): string => "hi";');
  const result = await parseModelName('script:./m.ts', { cwd });
  expect(result.ok && result.value.name).toBe('script:./m.ts');
  await rm(cwd, { recursive: true });
});
