import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, expect, test } from 'vitest';
import { createRepository } from './repository/repository.ts';

const folder = mkdtempSync(join(tmpdir(), 'skillexecbench-'));
const clients: Client[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function connect(args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const bin = fileURLToPath(new URL('../../../skillstate/bin/skillstate.js', import.meta.url));
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [bin, 'bench', 'serve', ...args],
    }),
  );
  clients.push(client);
  return client;
}

const textOf = (result: { content: unknown }): string =>
  (result.content as { text: string }[])[0]?.text ?? '';

test('an agent that knows only the MCP tools plays an episode, a restarted server goes on, and the score is kept apart', async () => {
  const files = [join(folder, 'score.json'), join(folder, 'journal')] as const;
  const args = ['--environment', 'repository', '--seed', '3', '--horizon', '12'];
  const start = (): Promise<Client> => connect([...args, '--score', files[0], '--journal', files[1]]);
  const { environment, truth } = createRepository({ seed: 3, horizon: 12 });
  let client = await start();
  expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(['act', 'status']);
  for (let turn = 0; turn < 12; turn++) {
    if (turn === 6) {
      await client.close();
      client = await start();
    }
    const status = textOf(await client.callTool({ name: 'status', arguments: {} }));
    expect(status).toBe(`Turn ${turn + 1} of 12.\n${environment.event(turn)}`);
    const command = truth.answer();
    const result = await client.callTool({ name: 'act', arguments: { command } });
    expect(textOf(result)).toBe(`${environment.act(command).text}\n${environment.event(turn + 1)}`);
    expect(result.isError).toBe(false);
  }
  expect(JSON.parse(readFileSync(files[0], 'utf8'))).toMatchObject({ score: 1 });
  const late = await client.callTool({ name: 'act', arguments: { command: 'Wait' } });
  expect(late.isError).toBe(true);
});
