import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { collect } from './run.ts';

test('the report holds every open task although the run was killed in the middle', async () => {
  const id = `test-${process.pid}`;
  onTestFinished(() =>
    rmSync(join(resolve(import.meta.dirname, '../..'), '.skillstate/notes', id), {
      recursive: true,
      force: true,
    }),
  );
  let shown = '';
  const { report, exit, killed } = await collect(id, (text) => {
    shown += text;
  });
  expect([exit, killed], shown).toEqual([0, true]);
  expect(report).toBe(`# Open tasks

## 2026-w47.md

- send the agenda to Ana
- ask Bo about the invoice 4711

## garden.md

- prune the apple tree before March

## release-2.md

- changelog
- tag after the tests are green
- tell the list — "soon" is not a date

## travel.md

- renew the passport
`);
  expect(shown).toContain('ok  ');
});
