/** Imports the runtime and does one plain step in a new file, in a process of its own: `first.js FILE`. */
import { createRuntime, createScriptedModel, defineSkill, openSqliteStore } from '@skillstate/runtime';

const [file = ''] = process.argv.slice(2);
const skill = defineSkill({
  name: 'first',
  description: 'Finishes in its first step.',
  instructions: 'Say that it is done.',
  state: { type: 'object', required: ['done'], properties: { done: { type: 'boolean' } } },
  initial: { done: false },
});
const transition = { state_patch: { done: true }, action: { tool: 'finish', args: {} } };
const model = createScriptedModel(() => `Done.\n\`\`\`json\n${JSON.stringify(transition)}\n\`\`\``, {
  name: 'script:first',
});
const store = await openSqliteStore(file);
const report = await createRuntime({ store, model }).start(skill, { run: 'first' });
await store.close();
if (report.status !== 'finished') throw new Error(`the first step did not finish the run: ${report.reason}`);
