import { createScriptedModel, type Model, parseModelName, type ModelSettings } from '@skillstate/runtime';
import { IssuesError } from './output.ts';

/** For verbs that never ask a model. */
export const nobody: Model = createScriptedModel(() => '', { name: 'none' });

/** The model that a name such as `openai:gpt-5-mini` or `script:./model.ts` stands for. */
export async function readModel(name: string, settings: ModelSettings = {}): Promise<Model> {
  const model = await parseModelName(name, settings);
  if (!model.ok) throw new IssuesError(`no model ${name}:`, model.issues);
  return model.value;
}
