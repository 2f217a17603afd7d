import {
  costUsd,
  createScriptedModel,
  createTokenCounter,
  type Model,
  type ModelSettings,
  parseModelName,
  priceOf,
  type Usage,
} from '@skillstate/runtime';
import { IssuesError } from './output.ts';

/** For verbs that never ask a model. */
export const nobody: Model = createScriptedModel(() => '', { name: 'none' });

/** The model that a name such as `openai:gpt-5-mini` or `script:./model.ts` stands for. */
export async function readModel(name: string, settings: ModelSettings = {}): Promise<Model> {
  const model = await parseModelName(name, { count: createTokenCounter().exact, ...settings });
  if (!model.ok) throw new IssuesError(`no model ${name}:`, model.issues);
  return model.value;
}

/** USD of a usage by the dated price sheet of the model; null where there is none. */
export function priceFor(name: string): ((usage: Usage) => number) | null {
  const sheet = priceOf(name);
  return sheet === null ? null : (usage) => costUsd(usage, sheet);
}
