/** The arm of this runtime: the skill in the folder beside, over the CMS's address, with what a variant switches off. */
import { join } from 'node:path';
import {
  createRuntime,
  createScriptedModel,
  defineSkill,
  loadSkill,
  mcpConnector,
  type Model,
  openSqliteStore,
  type ReplyFunction,
  type RunReport,
  type Skill,
  type Tool,
} from '@skillstate/runtime';
import type { Sent } from './bare.ts';
import type { Variant } from './variants.ts';

export const FOLDER = join(import.meta.dirname, '../translate-articles');

export async function translationSkill(): Promise<Skill> {
  const loaded = await loadSkill(FOLDER);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues, null, 2));
  return loaded.value.skill;
}

/** The same skill on a CMS at another address. */
function at(skill: Skill, url: string): Skill {
  const { digest: _, actions, ...rest } = skill;
  const cms = actions.servers['cms'];
  if (cms?.transport !== 'http') throw new Error('the skill has no CMS over HTTP');
  return defineSkill({ ...rest, actions: { ...actions, servers: { cms: { ...cms, url } } } });
}

export type RuntimePlay = {
  readonly sent: Sent;
  readonly report: RunReport;
  /** Replies that were refused before anything ran, by the code of their first issue. */
  readonly rejected: Readonly<Record<string, number>>;
};

export async function playRuntime(
  url: string,
  db: string,
  model: ReplyFunction,
  variant: Variant,
): Promise<RuntimePlay> {
  const sent: Sent = [];
  const rejected: Record<string, number> = {};
  const store = await openSqliteStore(db);
  const skill = at(variant.change(await translationSkill()), url);
  const connect = mcpConnector({ base: FOLDER });
  const runtime = createRuntime({
    store,
    model: recorded(createScriptedModel(model, { name: 'script:translator' }), sent),
    connectors: [
      async (asked, secrets) => {
        const source = await connect(asked, secrets);
        return variant.loose ? { ...source, tools: source.tools.map(loosened) } : source;
      },
    ],
    secrets: { CMS_TOKEN: 'runtime-arm-token' },
    listen(progress) {
      if (progress.kind !== 'event' || progress.event.type !== 'step.rejected') return;
      const code = progress.event.issues[0]?.code ?? 'none';
      rejected[code] = (rejected[code] ?? 0) + 1;
    },
  });
  try {
    const report = await runtime.start(skill, {
      input: 'Translate the six English articles into French drafts.',
      stayMs: 120_000,
    });
    return { sent, report, rejected };
  } finally {
    await store.close();
  }
}

function recorded(model: Model, sent: Sent): Model {
  return {
    ...model,
    ask(request) {
      sent.push({ prompt: request.prompt, at: Date.now() });
      return model.ask(request);
    },
  };
}

/** A tool whose arguments nobody checks before the server does. */
function loosened(tool: Tool): Tool {
  return { ...tool, inputSchema: { type: 'object' }, run: (call) => tool.run(call) };
}
