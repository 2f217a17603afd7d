/** `node examples/03-csv-export/run.ts`: seed of a feature, a constraint added midway, and the constraint at the end. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRuntime,
  createScriptedModel,
  loadSkill,
  openSqliteStore,
  type RunReport,
  type Store,
} from '@skillstate/runtime';
import reply from './model.ts';
import { projectTools } from './tools.ts';

const here = import.meta.dirname;

/** Runs the walk-through in `folder` (a copy of the project, and the database). */
export async function walkThrough(
  folder: string,
  say: (line: string) => void,
): Promise<{ report: RunReport; store: Store }> {
  mkdirSync(folder, { recursive: true });
  cpSync(join(here, 'project'), join(folder, 'project'), { recursive: true });
  const loaded = await loadSkill(join(here, 'implement-feature'));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  const { skill } = loaded.value;
  const store = await openSqliteStore(join(folder, 'runs.db'));
  const runtime = createRuntime({
    store,
    model: createScriptedModel(reply, { name: 'script:walk-through' }),
    tools: projectTools(join(folder, 'project')),
    listen: (progress) => {
      if (progress.kind === 'event' && progress.event.type === 'step.accepted')
        say(
          `step ${progress.event.step}: ${progress.event.action.tool}, prompt ${progress.event.promptBytes} bytes`,
        );
    },
  });
  const run = 'csv-export';
  say('user: Add CSV export to the order list. Admins only; do not change the JSON API.');
  await runtime.start(skill, {
    run,
    input: 'Add CSV export to the order list. Admins only; do not change the existing JSON API.',
    limits: { steps: 2 },
  });
  say('user, midway: All times in the CSV must be UTC.');
  await runtime.send(run, 'All times in the CSV must be UTC.');
  return { report: await runtime.resume(run), store };
}

if (process.argv[1] === import.meta.filename) {
  const folder = join('.skillstate', `csv-export-${Date.now().toString(36)}`);
  const { report, store } = await walkThrough(folder, (line) => process.stdout.write(`${line}\n`));
  await store.close();
  process.stdout.write(`${report.status}: ${report.reason}\n${JSON.stringify(report.state, null, 2)}\n`);
  process.stdout.write(
    `look: npm run skillstate -- --db ${join(folder, 'runs.db')} show csv-export --step 3\n`,
  );
}
