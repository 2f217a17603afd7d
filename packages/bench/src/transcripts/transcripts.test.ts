import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { priceOf } from '@skillstate/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { readLines } from './lines.ts';
import { scanTranscripts } from './scan.ts';
import { summariseScan } from './summarise.ts';

const SECRET = 'the launch code is 0000';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'skillstate-transcripts-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function write(root: string, name: string, lines: readonly (object | string)[]): string {
  const path = join(root, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(
    path,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  return path;
}

type Claude = { id: string; fresh?: number; write?: number; read?: number; output?: number; side?: string };

function claude({ id, fresh = 10, write: made = 0, read = 0, output = 5, side }: Claude): object {
  return {
    type: 'assistant',
    ...(side !== undefined && { isSidechain: true, agentId: side }),
    message: {
      id,
      role: 'assistant',
      model: 'claude-haiku-4-5-20251001',
      content: [{ type: 'text', text: SECRET }],
      usage: {
        input_tokens: fresh,
        cache_creation_input_tokens: made,
        cache_read_input_tokens: read,
        output_tokens: output,
      },
    },
  };
}

function codex(prompt: number, cached: number, output: number, total: number): object {
  const usage = {
    input_tokens: prompt,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: 1,
  };
  const info = {
    last_token_usage: usage,
    total_token_usage: { ...usage, input_tokens: total, output_tokens: total },
  };
  return { type: 'event_msg', payload: { type: 'token_count', info } };
}

const all = { minTurns: 1, constant: null };

test('a Claude Code session is counted: prompt, cache share, drops of more than half, cost', async () => {
  const root = folder();
  const prompts = [1_000, 2_000, 4_000, 6_000, 8_000, 10_000, 4_999, 9_000, 4_500];
  const lines = prompts.map((prompt, i) =>
    claude({ id: `m${i}`, fresh: 100, write: 400, read: prompt - 500 }),
  );
  write(root, 'projects/-home-me-shop/a.jsonl', [{ type: 'user', message: { content: SECRET } }, ...lines]);
  const [session] = (await scanTranscripts(root)).sessions;
  expect(session).toEqual({
    source: 'claude-code',
    model: 'claude-haiku-4-5-20251001',
    subagent: false,
    turns: 9,
    promptTokens: 49_499,
    cacheReadTokens: 49_499 - 9 * 500,
    cacheWriteTokens: 9 * 400,
    outputTokens: 45,
    firstPrompt: 1_000,
    lastPrompt: 4_500,
    maxPrompt: 10_000,
    drops: 1,
    basePrompt: 4_000,
  });
});

test('streamed lines of one message count once, as the last of them says', async () => {
  const root = folder();
  write(root, 'a.jsonl', [
    claude({ id: 'm1', output: 1 }),
    claude({ id: 'm1', output: 9 }),
    claude({ id: 'm2', output: 3 }),
  ]);
  expect((await scanTranscripts(root)).sessions).toMatchObject([
    { turns: 2, promptTokens: 20, outputTokens: 12 },
  ]);
});

test('a resumed session that copies an earlier file counts its turns once', async () => {
  const root = folder();
  write(root, 'a.jsonl', [claude({ id: 'm1' }), claude({ id: 'm2' })]);
  write(root, 'b.jsonl', [claude({ id: 'm1' }), claude({ id: 'm2' }), claude({ id: 'm3' })]);
  const scan = await scanTranscripts(root);
  expect(scan.repeatedTurns).toBe(2);
  expect(scan.sessions.map(({ turns }) => turns)).toEqual([2, 1]);
});

test('a sub-agent in the same file is a chain of its own, so its small prompts are no drops', async () => {
  const root = folder();
  const big = (id: string) => claude({ id, fresh: 9_000 });
  write(root, 'a.jsonl', [
    big('m1'),
    claude({ id: 's1', side: 'x' }),
    big('m2'),
    claude({ id: 's2', side: 'x' }),
    big('m3'),
  ]);
  const { sessions } = await scanTranscripts(root);
  expect(sessions).toMatchObject([
    { subagent: false, turns: 3, drops: 0 },
    { subagent: true, turns: 2, drops: 0 },
  ]);
});

test('a Codex rollout is counted: cached input is part of the input, repeated events count once', async () => {
  const root = folder();
  write(root, 'sessions/2026/11/30/rollout-1.jsonl', [
    { type: 'session_meta', payload: { id: 'x', instructions: SECRET } },
    { type: 'turn_context', payload: { model: 'gpt-5' } },
    { type: 'event_msg', payload: { type: 'token_count', info: null } },
    codex(1_000, 0, 50, 1_000),
    codex(3_000, 1_000, 50, 4_000),
    codex(3_000, 1_000, 50, 4_000),
    codex(1_400, 1_000, 50, 5_400),
  ]);
  expect((await scanTranscripts(root)).sessions).toMatchObject([
    {
      source: 'codex',
      model: 'gpt-5',
      turns: 3,
      promptTokens: 5_400,
      cacheReadTokens: 2_000,
      outputTokens: 150,
      drops: 1,
    },
  ]);
});

test('bad lines are counted and passed over: broken JSON, counters that are no counts, too long a line', async () => {
  const root = folder();
  const path = write(root, 'a.jsonl', [
    '{"message": {"usage"',
    claude({ id: 'm1', fresh: -1 }),
    claude({ id: 'm2', fresh: 0.5 }),
    '[[[[',
    '',
    'null',
    '"text"',
    claude({ id: 'm3' }),
  ]);
  const scan = await scanTranscripts(root);
  expect(scan).toMatchObject({ lines: 7, badLines: 4 });
  expect(scan.sessions).toMatchObject([{ turns: 1 }]);
  const lines: (string | null)[] = [];
  for await (const line of readLines(path, 30)) lines.push(line);
  expect(lines.slice(0, 2)).toEqual(['{"message": {"usage"', null]);
  expect(lines.slice(3, 7)).toEqual(['[[[[', '', 'null', '"text"']);
});

test('symbolic links are counted and never followed', async () => {
  const outside = folder();
  write(outside, 'secret.jsonl', [claude({ id: 'm1' })]);
  const root = folder();
  symlinkSync(outside, join(root, 'folder'));
  symlinkSync(join(outside, 'secret.jsonl'), join(root, 'file.jsonl'));
  symlinkSync(root, join(root, 'loop'));
  expect(await scanTranscripts(root)).toMatchObject({ files: 0, symlinks: 3, sessions: [] });
});

test('the summary compares long sessions with a prompt of constant size and holds no content', async () => {
  const root = folder();
  const growing = Array.from({ length: 40 }, (_, i) => claude({ id: `m${i}`, fresh: 100, read: i * 1_000 }));
  write(root, `projects/${SECRET}/a.jsonl`, growing);
  write(root, 'projects/b/b.jsonl', [claude({ id: 'short' })]);
  const summary = summariseScan(await scanTranscripts(root), { minTurns: 30, constant: null });
  expect(summary).toMatchObject({
    files: 2,
    sessions: 1,
    turns: 40,
    drops: 0,
    unpriced: 0,
    promptTokens: 784_000,
  });
  expect(summary.medianTimes).toBeCloseTo(784_000 / (40 * 2_100), 10);
  expect(summary.medianCacheShare).toBeCloseTo(780 / 784, 10);
  expect(summary.usd).toBeCloseTo((4_000 * 1 + 780_000 * 0.1 + 200 * 5) / 1e6, 12);
  expect(summary.constantUsd).toBeCloseTo((40 * 2_100 + 200 * 5) / 1e6, 12);
  expect(JSON.stringify(summary)).not.toContain('launch code');
  const fixed = summariseScan(await scanTranscripts(root), { minTurns: 30, constant: 1_000 });
  expect(fixed.medianTimes).toBeCloseTo(19.6, 10);
});

test('a hostile model name cannot reach a terminal', async () => {
  const root = folder();
  const line = claude({ id: 'm1' }) as { message: { model: string } };
  write(root, 'a.jsonl', [{ ...line, message: { ...line.message, model: '\u001b[31m<b>x' } }]);
  const summary = summariseScan(await scanTranscripts(root), all);
  expect(summary.longest[0]?.model).toBe('??31m?b?x');
  expect(summary).toMatchObject({ usd: null, unpriced: 1 });
  const otherwise = priceOf('openai:gpt-5-mini');
  const priced = summariseScan(await scanTranscripts(root), { ...all, otherwise });
  expect(priced).toMatchObject({ usd: expect.any(Number) as number, unpriced: 0 });
  expect(JSON.stringify(priced)).not.toContain('otherwise');
});
