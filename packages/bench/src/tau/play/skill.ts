import { defineSkill, type Layout, type Skill } from '@skillstate/runtime';
import { respondAction } from '../call.ts';
import type { TauDomain } from '../load.ts';
import { transferTool } from '../tool.ts';
import { contracts } from './contract.ts';
import { tauToolSpecs } from './tools.ts';

/** Room for the longest result of a tool (connecting flights), shown whole as the original does. */
const OBSERVATION_BYTES = 32 * 1024;

/** How to act, in every arm; what is remembered between steps is each arm's own matter. */
const howToAct = `# How to act

Take one action at a time. \`${respondAction}\` says its content to the user; the user's answer is the next observation. Every other
action is a tool, whose result is the next observation; the user sees none of it. The user ends the conversation; you end it only by
\`${transferTool}\`. Never end it in another way, and never wait: nobody speaks until you do.`;

export type TauSkillOptions = {
  readonly layout: Layout;
  /** Refused replies that a step may have, besides the accepted one. */
  readonly retries: number;
  readonly steps: number;
};

const made = new WeakMap<TauDomain, Map<string, Skill>>();

/** The skill of a domain: its policy and how to act, its tools, its state contract. The same object for the same arguments. */
export function tauSkill(domain: TauDomain, options: TauSkillOptions): Skill {
  const known = made.get(domain) ?? new Map<string, Skill>();
  made.set(domain, known);
  const key = JSON.stringify(options);
  const skill = known.get(key) ?? define(domain, options);
  known.set(key, skill);
  return skill;
}

function define(domain: TauDomain, { layout, retries, steps }: TauSkillOptions): Skill {
  const { state, initial } = contracts[domain.name];
  return defineSkill({
    name: `tau-${domain.name}`,
    description: `Customer service of the ${domain.name} domain of τ-bench.`,
    version: domain.revision.slice(0, 12),
    instructions: `${domain.wiki.trim()}\n\n${howToAct}`,
    state,
    initial,
    dialect: 'merge',
    layout,
    actions: { functions: tauToolSpecs(domain).map(({ name }) => name) },
    observation: { resultBytes: OBSERVATION_BYTES, messageBytes: OBSERVATION_BYTES },
    limits: { steps, rejections: retries + 1, noProgress: steps + 1 },
    done: 'false',
  });
}
