/** Drives one crash run: `worker.ts DB RUN EFFECTS [POINT:WHEN:COUNT]`. Kills itself at the named commit point, if one is named. */
import { createRuntime, createScriptedModel, openSqliteStore, type Store } from '@skillstate/runtime';
import { crashReply, crashSkill, crashTools } from './skill.ts';

const [db = '', run = '', effects = '', trap = ''] = process.argv.slice(2);
const [point, when, count] = trap.split(':');

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

/** The same store; the process dies right before or right after the n-th commit at the point. */
function trapped(store: Store): Store {
  let seen = 0;
  return {
    ...store,
    commit: async (lease, commit) => {
      const now = commit.point === point && ++seen === Number(count);
      if (now && when === 'before') await die();
      await store.commit(lease, commit);
      if (now) await die();
    },
  };
}

const store = await openSqliteStore(db);
const known = await store.load(run);
const ports = {
  store: trapped(store),
  model: createScriptedModel(crashReply, { name: 'script:crash' }),
  tools: crashTools(effects),
};
const runtime = createRuntime(ports);
process.stdout.write('ready\n');
// The first drive ends at a limit, so that a stop is committed in the middle of the run too.
const report =
  known === null
    ? await runtime.start(crashSkill, { run, input: 'begin', limits: { steps: 7 } })
    : await runtime.resume(run);
await store.close();
process.stdout.write(
  JSON.stringify({ status: report.status, steps: report.steps, unresolved: report.unresolved.length }),
);
