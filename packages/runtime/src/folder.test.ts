import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from './folder.ts';

test('a folder is made with those above it, and an old one is left alone', () => {
  const base = mkdtempSync(join(tmpdir(), 'skillstate-folder-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  makeFolder(join(base, 'a', 'b', 'c'));
  makeFolder(join(base, 'a', 'b'));
  expect(statSync(join(base, 'a', 'b', 'c')).isDirectory()).toBe(true);
});

test('a folder that cannot be made is an error at once', () => {
  const base = mkdtempSync(join(tmpdir(), 'skillstate-folder-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  writeFileSync(join(base, 'file'), '');
  expect(() => makeFolder(join(base, 'file'))).toThrow('EEXIST');
  expect(() => makeFolder(join(base, 'file', 'below'))).toThrow('ENOTDIR');
  if (process.platform === 'linux') expect(() => makeFolder('/proc/none/below')).toThrow('ENOENT');
});
