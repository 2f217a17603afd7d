import { parseSkillDocument } from '../skill/skill.ts';
import type { JsonObject, RunHead, Skill, Store, ToolSpec } from '../types.ts';
import { RunError } from './error.ts';

/** The skill and tool list that a run is bound to, as the store keeps them once per digest. */
export type Stored = { readonly skill: Skill; readonly tools: readonly ToolSpec[] };

export async function storedSkill(store: Store, head: RunHead): Promise<Stored> {
  const [skill, tools] = await Promise.all([store.document(head.skill), store.document(head.tools)]);
  const parsed = skill === null ? null : parseSkillDocument(skill as JsonObject);
  if (parsed === null || tools === null)
    throw new RunError({
      code: 'run.no_skill',
      path: '',
      hint: `the store lacks the skill ${head.skill.slice(0, 12)} of run ${head.run}`,
    });
  if (!parsed.ok)
    throw new RunError(parsed.issues[0] ?? { code: 'run.no_skill', path: '', hint: 'unreadable skill' });
  return { skill: parsed.value, tools: tools as unknown as ToolSpec[] };
}
