import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeReply, startFakeProvider } from '@skillstate/runtime/model/fake-provider';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createReference } from '../reference/reference.ts';
import { benchMain } from './bench.ts';

let folder: string;
let errors: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillstate-interrupt-'));
  errors = '';
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    errors += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** A model that answers so many calls and is silent from then on, until it may go on. */
async function silentAfter(calls: number) {
  const reference = createReference({ seed: 1 });
  const silent = Promise.withResolvers<void>();
  let most = calls;
  const server = await startFakeProvider({
    reply: (prompt, { call }): FakeReply => {
      if (call <= most) return reference.reply(prompt, call);
      silent.resolve();
      return { hang: true };
    },
  });
  onTestFinished(() => server.close());
  return {
    model: `compatible:m@${server.url('chat')}`,
    silent: silent.promise,
    goOn: () => void (most = Infinity),
  };
}

const lines = (name: string): string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n') : [];

test('Ctrl-C reaches a call under way; whole episodes, their report and what was spent are kept; the same command goes on', async () => {
  const { model, silent, goOn } = await silentAfter(8);
  const line = `warehouse --model ${model} --arms state --horizons 5 --seeds 3 --out ${folder}`.split(' ');
  const exit = benchMain(line);
  await silent;
  process.emit('SIGINT');
  expect(await exit).toBe(130);
  expect(errors).toMatch(
    /^stopped; spent so far: [\d,]+ tokens\nthe same command with --out goes on from here$/m,
  );
  expect(lines('results.jsonl')).toHaveLength(1);
  expect(lines('report.md').join('\n')).toContain('1 episode');
  expect(lines('spent.jsonl')).toHaveLength(9);
  goOn();
  expect(await benchMain(line)).toBe(0);
  expect(lines('results.jsonl')).toHaveLength(3);
});

test('Ctrl-C does not wait for a rate limit; without --out it says that nothing was kept', async () => {
  const { model } = await silentAfter(Infinity);
  const exit = benchMain(
    `warehouse --model ${model} --arms state --horizons 5 --seeds 1 --rate 1`.split(' '),
  );
  await vi.waitFor(() => expect(process.listenerCount('SIGINT')).toBeGreaterThan(0));
  process.emit('SIGINT');
  expect(await exit).toBe(130);
  expect(errors).toContain('nothing was kept; with --out');
});
