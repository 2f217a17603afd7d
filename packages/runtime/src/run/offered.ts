import { checkConfirmations } from '../confirm/spec.ts';
import { compileContract } from '../state/contract.ts';
import type { Issue, Skill, ToolSpec } from '../types.ts';
import { openTools } from './open.ts';
import type { RuntimePorts } from './ports.ts';

/** What a skill's sources offer right now: for `check` and for the first prompt, without starting a run. */
export type OfferedTools = {
  readonly specs: readonly ToolSpec[];
  readonly disabled: readonly Issue[];
  /** What is wrong with the skill's confirmations, given these tools. */
  readonly confirmations: readonly Issue[];
  readonly digest: string;
};

/** Opens the skill's tools, lists them, and closes them again. */
export async function offeredTools(
  ports: Pick<RuntimePorts, 'tools' | 'connectors' | 'secrets'>,
  skill: Skill,
): Promise<OfferedTools> {
  const { toolset, close } = await openTools(ports, skill);
  await close();
  const { specs, disabled, digest } = toolset;
  const confirmations = checkConfirmations(skill, compileContract(skill.state), specs);
  return { specs, disabled, confirmations, digest };
}
