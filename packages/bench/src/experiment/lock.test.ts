import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockFolder } from './lock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillstate-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a folder has one holder in a process too; it is free once given back', () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(`another bench (process ${process.pid} on ${hostname()})`);
  unlock();
  lockFolder(folder)();
});

test('the holder in another process is named; once it is killed, its lock is gone', async () => {
  const module = fileURLToPath(new URL('lock.ts', import.meta.url));
  const script = `(await import(process.argv[1])).lockFolder(process.argv[2]); console.log('held'); setInterval(() => {}, 1e6)`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, module, folder]);
  await once(child.stdout, 'data');
  expect(() => lockFolder(folder)).toThrow(`another bench (process ${child.pid} on `);
  child.kill('SIGKILL');
  await once(child, 'close');
  lockFolder(folder)();
});
