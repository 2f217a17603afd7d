/** Drives one effects run: `effects-worker.ts DB WORLD PORT|stdio [settle]`. `settle`: a person looks at the world first. */
import {
  createRuntime,
  createScriptedModel,
  endLeftoverServers,
  mcpConnector,
  openSqliteStore,
} from '@skillstate/runtime';
import { effectsReply, effectsSkill } from './effects-skill.ts';
import { countOf, openWorld } from './effects-world.ts';

const [db = '', world = '', place = '', person = ''] = process.argv.slice(2);
const RUN = 'effects-1';
const store = await openSqliteStore(db);
const known = await store.load(RUN);
/** The tools are open: from here on a kill meets work. */
let ready = false;
const runtime = createRuntime({
  store,
  model: createScriptedModel(effectsReply, { name: 'script:effects' }),
  connectors: [mcpConnector({ base: import.meta.dirname })],
  leftovers: [endLeftoverServers],
  listen({ kind }) {
    if (kind === 'asking' && !ready) process.stdout.write('ready\n');
    ready ||= kind === 'asking';
  },
});
if (person === 'settle' && known !== null) {
  const seen = openWorld(world);
  for (const { call, action } of known.head.unresolved) {
    const happened = countOf(seen, { tool: action.tool, n: Number(action.args['n']) }) > 0;
    await runtime.order(RUN, 'settle', 'tester', { call, happened, why: 'looked at the world' });
  }
  seen.close();
}
const skill = effectsSkill(world, place === 'stdio' ? null : Number(place));
const report =
  known === null
    ? await runtime.start(skill, { run: RUN, input: 'begin', stayMs: 20_000 })
    : await runtime.resume(RUN, { stayMs: 20_000 });
await store.close();
process.stdout.write(JSON.stringify({ status: report.status, reason: report.reason }));
