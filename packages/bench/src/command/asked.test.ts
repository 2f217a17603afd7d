import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeReply, startFakeProvider } from '@skillstate/runtime/model/fake-provider';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createReference } from '../reference/reference.ts';
import { benchMain } from './bench.ts';

/** A server of one's own, and what it was asked, by the beginning of the prompt's last part. */
async function serverOf(
  reply: (prompt: string, call: number) => FakeReply,
  tokens?: (text: string) => number,
) {
  const server = await startFakeProvider({
    reply: (prompt, { call }) => reply(prompt, call),
    ...(tokens !== undefined && { tokens }),
  });
  onTestFinished(() => server.close());
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation(() => true);
  onTestFinished(() => void vi.restoreAllMocks());
  return { server, model: `compatible:m@${server.url('chat')}` };
}

test('a named model is asked the same way in all arms; another mode changes the arms of state alone', async () => {
  const reference = createReference({ seed: 1 });
  const { server, model } = await serverOf((prompt, call) => reference.reply(prompt, call));
  const line = ['warehouse', '--model', model, '--horizons', '3', '--seeds', '1'];
  const arms = 'state,state-paper,prompt,memory,stateful,stateful-idiomatic,truncated,llmlingua';
  expect(await benchMain([...line, '--arms', arms])).toBe(0);
  const texts = [...server.requests];
  expect(texts.length).toBeGreaterThanOrEqual(8 * 3);
  const how = ({ body }: (typeof texts)[number]) => {
    const { messages: _messages, ...rest } = body;
    return JSON.stringify(rest);
  };
  expect(new Set(texts.map(how)).size).toBe(1);
  expect(texts.every(({ body }) => !('response_format' in body) && !('tools' in body))).toBe(true);
  expect(await benchMain([...line, '--arms', 'state', '--mode', 'structured'])).toBe(0);
  expect(server.requests.at(-1)?.body).toHaveProperty('response_format');
});

test('a limit holds though answers are as long as they may be and come at the same time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-limit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { server, model } = await serverOf(
    () => 'Action: Wait',
    (text) => (text === 'Action: Wait' ? 8_000 : Math.ceil(text.length / 4)),
  );
  const line = `warehouse --model ${model} --arms prompt --horizons 8 --seeds 4 --parallel 4 --max-tokens 30000`;
  expect(await benchMain([...line.split(' '), '--out', folder])).toBe(2);
  const spent = readFileSync(join(folder, 'spent.jsonl'), 'utf8').trim().split('\n');
  const sum = spent.reduce((all, text) => all + (JSON.parse(text) as { tokens: number }).tokens, 0);
  expect(server.requests.length).toBeGreaterThan(0);
  expect(sum).toBeLessThanOrEqual(30_000);
});
