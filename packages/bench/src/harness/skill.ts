import { defineSkill, type JsonObject, type Layout, type Skill } from '@skillstate/runtime';
import type { BenchSkill } from '../env/environment.ts';

/** The tool through which every command reaches the environment. */
export const ACT = 'act';

/** Room for an observation with 50 lines of telemetry. */
const OBSERVATION_BYTES = 32 * 1024;

const made = new WeakMap<BenchSkill, Map<string, Skill>>();

/**
 * An environment's skill as the runtime runs it: the model's action is a command string for `act`. No limit but the
 * retries, which are the same for every arm. The same object for the same arguments.
 */
export function runtimeSkill(bench: BenchSkill, layout: Layout, retries: number): Skill {
  const known = made.get(bench) ?? new Map<string, Skill>();
  made.set(bench, known);
  const key = `${layout} ${retries}`;
  const skill = known.get(key) ?? define(bench, layout, retries);
  known.set(key, skill);
  return skill;
}

function define(
  { name, description, instructions, state, initial }: BenchSkill,
  layout: Layout,
  retries: number,
): Skill {
  return defineSkill({
    name,
    description,
    instructions,
    state: state as JsonObject,
    initial: initial as JsonObject,
    dialect: 'merge',
    layout,
    actions: { command: ACT, functions: [ACT] },
    observation: { resultBytes: OBSERVATION_BYTES, messageBytes: OBSERVATION_BYTES },
    limits: { steps: null, rejections: retries + 1 },
  });
}
