import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectStep, stateAt, verifyRun } from '@skillstate/runtime';
import { expect, onTestFinished, test } from 'vitest';
import { walkThrough } from './run.ts';

test('the walk-through has the states it is described with, and the constraint added midway survives to the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillstate-csv-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { report, store } = await walkThrough(folder, () => undefined);
  onTestFinished(() => store.close());
  expect(report.status).toBe('finished');
  expect(await stateAt(store, 'csv-export', 1)).toEqual({
    task: 'add CSV export to order list',
    facts: ['CSV export is admin-only', 'existing JSON API must remain compatible'],
    progress: 'locating implementation',
    open_questions: ['where is the order list implemented?', 'how does the project enforce admin access?'],
    done: false,
  });
  expect(await stateAt(store, 'csv-export', 3)).toEqual({
    task: 'add CSV export to order list',
    facts: [
      'CSV export is admin-only',
      'existing JSON API must remain compatible',
      'CSV timestamps must use UTC',
      'order list is implemented in routes/orders.ts',
      'admin access uses requireAdmin()',
      'order tests are in tests/orders.test.ts',
      'GET /orders returns JSON and must remain unchanged',
      'CSV export should use a separate route',
    ],
    progress: 'ready to implement',
    open_questions: [],
    next_action: { tool: 'edit_files', args: { paths: ['routes/orders.ts', 'tests/orders.test.ts'] } },
    done: false,
  });
  expect(report.state['facts']).toContain('CSV timestamps must use UTC');
  const last = await inspectStep(store, 'csv-export', 5);
  expect(last.observation.messages).toEqual([]);
  expect(readFileSync(join(folder, 'project/routes/orders.ts'), 'utf8')).toContain('toISOString');
  expect((await verifyRun(store, 'csv-export')).ok).toBe(true);
});
